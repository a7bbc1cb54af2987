"""What the robots' bus.py share: tables of a bus file, and what they say of drives. Needs nothing but Python 3."""

import sys
import tomllib
import xml.etree.ElementTree as xml

# Made up: it says "CHIR" and is not among the registered makers that ethercrab 0.7.1 lists.
OUR_VENDOR = 0x43484952
IIT_VENDOR = 0x0664  # Istituto Italiano di Tecnologia (the table of makers in ethercrab); the product number is made up


def text(value):
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list):
        return "[" + ", ".join(text(part) for part in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {text(part)}" for name, part in value.items()) + " }"
    return f"{value}"


def table(header, fields):
    return "\n".join(["", header] + [f"{name} = {text(value)}" for name, value in fields.items()]) + "\n"


def encoder(actuator):
    """Counts per turn of the motor and the gear, as far as whole numbers can say it; else counts per turn of the joint."""
    counts, ratio = actuator["encoder_counts_per_turn"], actuator["gear_ratio"]
    per_motor_turn = counts / ratio
    if per_motor_turn.is_integer() and ratio.is_integer():
        return {"counts": int(per_motor_turn), "gear": [int(ratio), 1]}
    return {"counts": counts}


def settings(actuators, joints_entries, joint):
    entry = next(entry for entry in joints_entries if joint in entry["names"])
    return actuators[entry["actuator"]], entry


def named(out):
    """Puts the numbers of makers and products in place of their names."""
    for name, number in (("OUR", OUR_VENDOR), ("IIT", IIT_VENDOR), ("0402", 0x0402), ("0101", 0x0101), ("0601", 0x0601), ("0701", 0x0701)):
        out = out.replace(f'"HEX_{name}"', f"{number:#x}")
    return out


def body_board(serial=1):
    return named(table("[[board]] # made up like the drives", {
        "name": "body", "type": "body", "vendor": "HEX_OUR", "product": 0xB0D1, "revision": 1, "serial": serial,
        "imu": "imu", "battery": "battery",
    })).replace(str(0xB0D1), "0xb0d1")


def skin_boards(description, sides, place, serial):
    """A board for the skin of each side, whose patches' names begin with it; the first one at a place of the cable."""
    out = ""
    for number, side in enumerate(sides, start=place):
        patches = [patch["name"] for patch in description.get("skin", []) if patch["name"].startswith(side)]
        name = f"{side}skin"
        out += table("[[board]]", {"name": name, "like": "skin", "serial": serial + number, "patches": patches})
    return out


def description_and_joints(folder, name):
    """A robot's TOML, its actuators by name, and the names of the URDF's joints that have a drive."""
    description = tomllib.loads((folder / f"{name}.toml").read_text())
    joints = xml.parse(folder / f"{name}.urdf").getroot().iter("joint")
    moving = [j.get("name") for j in joints if j.get("type") not in (None, "fixed") and j.find("mimic") is None]
    return description, {actuator["name"]: actuator for actuator in description["actuator"]}, moving


def write_or_check(folder, text_of_bus):
    target = folder / "bus.toml"
    if "--check" in sys.argv:
        if target.read_text() != text_of_bus:
            sys.exit("bus.toml: expected what bus.py writes, found another text; run bus.py")
    else:
        target.write_text(text_of_bus)
