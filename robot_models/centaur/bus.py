#!/usr/bin/env python3
"""Writes bus.toml from centaur.urdf and centaur.toml: `python3 bus.py`. With `--check` it only compares.

The centaur's bus is CHOSEN (Momaro has Dynamixel servos on RS-485): 57 boards in one line. First the body board; then
drives after CiA 402 for legs, spine and laser, each wheel's with the wheel's contact switch; then Walk-Man's joint boards
for arms and hands, and at the end two boards of skin, if a scenario switches the skin on. Encoder counts, rated torques, damping and temperatures are those of centaur.toml, so that a bus in
between changes as little as a bus must. Fields: hil/README.md.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leave no __pycache__ behind
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from boards import body_board, description_and_joints, encoder, named, settings, skin_boards, table, write_or_check

HEADER = '''# The centaur's bus. Written by bus.py from centaur.urdf and centaur.toml: change it there.
#
# Vendor 0x43484952 is made up: no registered maker (list in ethercrab 0.7.1) has it. 0x0664 is IIT. Product, revision and serial
# numbers are all made up: these boards exist in the virtual bus only.

name = "centaur"
sync0_shift_us = 300 # chosen: frame and wire need less
watchdog_ms = 40 # ten cycles

[reactions]
ride_through = 2 # cycles
stale_after = 3 # cycles
command_age = 2 # cycles
jump_factor = 4.0
warn_temperature = 90.0 # degC; the servos' torque falls from 85 on
stop_temperature = 100.0 # degC; the servos trip at 105
stop = "hold" # it stands on its legs: without torque it would fall
'''

# Process data: what the modes below need and no more; 57 boards share a cycle.
GAINS = ["0x2010:1 32", "0x2010:2 32"]
STATE = ["0x6064 32", "0x606c 32", "0x6077 16", "0x603f 16", "0x2020 16", "0x2021 16"]
CSP_OUT = ["0x6040 16", "0x607a 32", "0x60b1 32", "0x60b2 16"] + GAINS
CSV_OUT = ["0x6040 16", "0x60ff 32", "0x60b2 16"] + GAINS
BOTH_OUT = ["0x6040 16", "0x6060 8", "0x607a 32", "0x60b1 32", "0x60ff 32", "0x60b2 16"] + GAINS
ONE_MODE_IN = ["0x6041 16"] + STATE
WHEEL_IN = ["0x6041 16", "0x6061 8"] + STATE + ["0x60fd 32", "0x2022 32"]
DRIVES = {  # who: (modes, outputs, inputs)
    "servo": (["csp"], CSP_OUT, ONE_MODE_IN),
    "wheel": (["csp", "csv"], BOTH_OUT, WHEEL_IN),
    "laser": (["csv"], CSV_OUT, ONE_MODE_IN),
}

# Where drives show an open safe torque off: bit 15 of the statusword, one of the two that are the maker's own.
STO = {"object": "0x6041", "bit": 15, "open": 1}

# Motors on the right are mounted the other way round; encoders of pitch joints were set to zero where they happened to
# stand (joint position there, rad). Both are chosen so that scaling has something to do.
MIRRORED = "right_"
ZERO = {"hip_pitch": 0.25, "knee_pitch": -0.4, "ankle_pitch": 0.125, "shoulder_pitch": 0.6, "elbow_pitch": -1.2}


def kind_of(joint):
    if "_arm_" in joint or "_hand_" in joint:
        return "walkman"
    if "_wheel_" in joint:
        return "wheel"
    return "laser" if joint == "laser_spin" else "servo"


def defaults(actuators, used):
    common = {"revision": 1, "bus_loss": "hold"}  # a leg without torque is a fall
    out = table(
        "[defaults.drive] # CiA 402", {"type": "cia402", "vendor": "HEX_OUR", "product": "HEX_0402"} | common | {"sto": STO}
    )
    out += table("[defaults.walkman]", {"type": "walkman_joint", "vendor": "HEX_IIT", "product": "HEX_0101"} | common)
    out += table("[defaults.skin]", {"type": "skin", "vendor": "HEX_OUR", "product": "HEX_0701", "revision": 1})
    for kind, name in used:
        actuator = actuators[name]
        fields = {"like": "walkman" if kind == "walkman" else "drive", **encoder(actuator)}
        if kind == "walkman":
            if name.startswith("mx"):  # fingers: small gains
                fields |= {"stiffness_unit": 0.001, "damping_unit": 0.0001, "torque_unit": 0.001, "torque_stiffness": 2.0}
        else:
            modes, outputs, inputs = DRIVES[kind]
            fields |= {"rated_torque": actuator["rated_effort"], "modes": modes, "outputs": outputs, "inputs": inputs}
        fields["trip_temperature"] = actuator["thermal"]["trip_at"]
        out += table(f"[defaults.{kind}_{name}]", fields)
    return named(out)


def board(actuators, entries, joint, serial):
    actuator, entry = settings(actuators, entries, joint)
    kind = kind_of(joint)
    fields = {"name": joint, "like": f"{kind}_{actuator['name']}", "serial": serial, "joint": joint}
    if MIRRORED in joint and not joint.endswith(("proximal", "distal")):
        fields["sign"] = -1
    for ending, zero in ZERO.items():
        if joint.endswith(ending):
            fields["offset"] = zero if MIRRORED in joint else -zero
    fields["damp"] = entry["damping"]
    if kind == "wheel":
        fields["contact"] = f"{joint}_contact"
    return table("[[board]]", fields)


def bus():
    description, actuators, moving = description_and_joints(HERE, "centaur")
    drives = [joint for joint in moving if kind_of(joint) != "walkman"]
    cable = drives + [joint for joint in moving if kind_of(joint) == "walkman"]
    of = lambda joint: (kind_of(joint), settings(actuators, description["joints"], joint)[0]["name"])
    out = HEADER + defaults(actuators, list(dict.fromkeys(of(joint) for joint in cable))) + body_board()
    for place, joint in enumerate(cable, start=2):
        first = 20_000 if kind_of(joint) == "walkman" else 10_000
        out += board(actuators, description["joints"], joint, first + place)
    return out + skin_boards(description, ("left_", "right_"), 2 + len(cable), 20_000)


if __name__ == "__main__":
    write_or_check(HERE, bus())
