#!/usr/bin/env python3
"""Writes bus.toml from humanoid.urdf and humanoid.toml: `python3 bus.py`. With `--check` it only compares.

Given (Walk-Man's paper): a board for each of the 33 joints, four for force/torque cells and one for the IMU, at 1 kHz, with
packets of 12 bytes out and 16 in for a joint, 2 and 30 for a cell. All 38 share one frame. Two boards of skin follow at the end of the
cable (CHOSEN), if a scenario switches the skin on. Their order on the cable, serial
numbers and which motors are mounted the other way round are CHOSEN. Fields: hil/README.md.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leave no __pycache__ behind
HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from boards import body_board, description_and_joints, encoder, named, settings, skin_boards, table, write_or_check

HEADER = '''# The humanoid's bus. Written by bus.py from humanoid.urdf and humanoid.toml: change it there.
#
# Vendor 0x664 is IIT (the table of makers in ethercrab 0.7.1); 0x43484952 is made up. Product, revision and serial numbers are
# all made up: these boards exist in the virtual bus only.

name = "humanoid"
sync0_shift_us = 200 # chosen: frame and wire need less
watchdog_ms = 10 # ten cycles

[reactions]
ride_through = 4 # cycles: 4 ms
stale_after = 6 # cycles
command_age = 4 # cycles
jump_factor = 4.0
warn_temperature = 90.0 # degC; the drives' torque falls from 85 on
stop_temperature = 105.0 # degC; the drives trip at 110
stop = "hold" # it stands on its legs: without torque it would fall
'''

# The right side's motors are mounted the other way round, and encoders were set to zero where the joints happened to stand (joint
# position there, rad): chosen, so that scaling has something to do.
MIRRORED = "right_"
ZERO = {"hip_pitch": -0.3, "knee_pitch": 0.6, "ankle_pitch": -0.3, "shoulder_pitch": 0.4, "elbow_pitch": -1.0}
CELLS = ["left_ankle", "right_ankle", "left_wrist", "right_wrist"]


def units(actuator):
    """Increments of stiffness, damping and torque: 16 bits each."""
    if actuator["peak_effort"] <= 20:  # hands, laser
        return {"stiffness_unit": 0.001, "damping_unit": 0.0001, "torque_unit": 0.001, "torque_stiffness": 2.0}
    return {"torque_unit": 0.02, "torque_stiffness": 100.0}


def defaults(actuators, used):
    common = {"vendor": "HEX_IIT", "revision": 1}
    out = table("[defaults.joint]", {"type": "walkman_joint", "product": "HEX_0101", "bus_loss": "hold"} | common)
    out += table("[defaults.cell]", {"type": "walkman_force_torque", "product": "HEX_0601"} | common)
    out += table("[defaults.skin]", {"type": "skin", "vendor": "HEX_OUR", "product": "HEX_0701", "revision": 1})
    for name in used:
        actuator = actuators[name]
        trip = {"trip_temperature": actuator["thermal"]["trip_at"], "velocity_time_constant": 0.001}
        out += table(f"[defaults.{name}]", {"like": "joint", **encoder(actuator), **units(actuator), **trip})
    return named(out)


def board(actuators, entries, joint, serial):
    actuator, entry = settings(actuators, entries, joint)
    fields = {"name": joint, "like": actuator["name"], "serial": serial, "joint": joint}
    if joint.startswith(MIRRORED):
        fields["sign"] = -1
    for ending, zero in ZERO.items():
        if joint.endswith(ending):
            fields["offset"] = zero if joint.startswith(MIRRORED) else -zero
    return table("[[board]]", fields | {"damp": entry["damping"]})


def bus():
    description, actuators, moving = description_and_joints(HERE, "humanoid")
    name_of = lambda joint: settings(actuators, description["joints"], joint)[0]["name"]
    out = HEADER + defaults(actuators, list(dict.fromkeys(name_of(joint) for joint in moving))) + body_board()
    for place, joint in enumerate(moving, start=2):
        out += board(actuators, description["joints"], joint, 30_000 + place)
    for place, cell in enumerate(CELLS, start=2 + len(moving)):
        out += table("[[board]]", {"name": cell, "like": "cell", "serial": 30_000 + place, "force_torque": cell})
    return out + skin_boards(description, ("left_", "right_"), 2 + len(moving) + len(CELLS), 30_000)


if __name__ == "__main__":
    write_or_check(HERE, bus())
