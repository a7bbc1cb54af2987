#!/usr/bin/env python3
"""Writes humanoid.urdf: `python3 generate.py`. With `--check` it only compares.

Given (a public simulation model of Walk-Man's class, README.md): where joints are, how far they turn, their efforts and
speeds, and each link's mass, centre of mass and inertia. Names, frames of sensors, shapes, fingers, and how head, feet and
hands share the given masses are chosen here.
"""

import math
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leave no __pycache__ behind
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import shapes
from shapes import ALONG_X, ALONG_Y, Joint, Link, box, cylinder

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
SPEED = 6.28  # of every joint [rad/s]

# --- given: legs ----------------------------------------------------------------------------------------------------
HIP_ROLL, HIP_YAW = (0.1569, 0.06, -0.108), (-0.0889, 0.121, -0.2179)  # from the joint before; of the left leg [m]
THIGH, SHANK = 0.356, 0.4
SOLE = -0.1435  # below the ankle
FOOT_AHEAD, FOOT_IN, FOOT_OUT = 0.16, 0.07, 0.09  # the sole's edges from the ankle
ANKLE_CELL = (0.005, 0.0, -0.107)

# --- chosen: the part of a foot that is below its force cell [kg, m] ----------------------------------------------------
SOLE_MASS, SOLE_THICKNESS = 1.0, 0.03
# --- chosen: what of the head turns with the laser, and what of a hand the fingers are [kg] ----------------------------
LASER_MASS, PHALANX_MASS, DRUM_MASS = 0.3, 0.025, 0.02

links, joints = [], []


def mirrored(side, low, high):
    """Limits of a joint whose angle is mirrored on the other side."""
    return (low, high) if side == "left" else (-high, -low)


def flipped(xyz, side):
    x, y, z = xyz
    return (x, y if side == "left" else -y, z)


def add(joint, about, parts, mass, com, inertia):
    joints.append(joint)
    links.append(Link(joint.child, about, parts, (mass, com, inertia)))


def moved(name, parent, child, xyz, axis, limit, effort, **more):
    return Joint(name, "revolute", parent, child, xyz, axis=axis, limit=limit, actuator=(effort, SPEED), **more)


def frame(name, parent, xyz, rpy, about, parts=()):
    joints.append(Joint(name.replace("_link", "_mount"), "fixed", parent, name, xyz, rpy))
    links.append(Link(name, about, list(parts)))


def without(whole, mass, com, diagonal):
    """What is left of a mass when a part of it is taken away: mass, centre of mass, and inertia about that, along the axes."""
    total, center, inertia = whole
    left = total - mass
    place = tuple((total * center[i] - mass * com[i]) / left for i in range(3))
    about = lambda m, own, at: [own[i] + m * sum((at[j] - place[j]) ** 2 for j in range(3) if j != i) for i in range(3)]
    all_of, gone = about(total, inertia, center), about(mass, diagonal, com)
    return left, place, tuple(all_of[i] - gone[i] for i in range(3))


def waist():
    links.append(Link("base_link", "Waist: origin between the hips' roll axes and the trunk's.", [
        box((0.16, 0.20, 0.10), (0.04, 0, -0.03), 0, "shell"),
        box((0.20, 0.16, 0.08), (0.04, 0, -0.02), 0, "shell", collides=True, seen=False),
        cylinder(0.05, 0.12, (0.0, 0, -0.06), 0, "servo", rpy=ALONG_Y),
    ], (2.926, (0.02704, 0, -0.06419), (0.02571, 0.02495, 0.02492))))
    frame("imu_link", "base_link", (0.117, 0, -0.04775), (0, 0, 0), "IMU in the waist.")


def leg(side):
    link = lambda part: f"{side}_{part}_link"
    out = lambda y: y if side == "left" else -y
    at = lambda x, y, z: (x, out(y), z)
    add(moved(f"{side}_hip_roll", "base_link", link("hip_roll"), flipped(HIP_ROLL, side), X, mirrored(side, -0.698, 0.873), 400),
        "Hip, turns the leg sideways: carries the yaw drive.", [
            cylinder(0.055, 0.14, (-0.09, 0, 0), 0, "servo", rpy=ALONG_X),
            box((0.10, 0.06, 0.16), at(-0.09, 0.11, -0.10), 0, "shell"),
        ], 3.796, at(-0.1035, 0.1092, -0.06492), (0.01564, 0.02352, 0.02095))
    add(moved(f"{side}_hip_yaw", link("hip_roll"), link("hip_yaw"), flipped(HIP_YAW, side), Z, mirrored(side, -0.873, 1.57), 140),
        "Hip, turns the leg about its length: carries the pitch drive.", [
            cylinder(0.06, 0.12, at(0, -0.02, 0), 0, "servo", rpy=ALONG_Y),
        ], 3.24, at(-0.005293, 0.02256, 0.00567), (0.0101, 0.006715, 0.01049))
    add(moved(f"{side}_hip_pitch", link("hip_yaw"), link("thigh"), (0, 0, 0), Y, (-2.09, 1.05), 400),
        "Thigh: carries the knee drive.", [
            box((0.11, 0.09, 0.22), at(0.03, 0.02, -0.17), 0, "shell"),
            cylinder(0.06, 0.26, at(0.02, 0.02, -0.17), 0, "shell", collides=True, seen=False),
            cylinder(0.055, 0.11, (0, 0, -THIGH), 0, "servo", rpy=ALONG_Y),
        ], 5.095, at(0.03775, 0.02854, -0.1931), (0.05161, 0.04435, 0.02337))
    add(moved(f"{side}_knee_pitch", link("thigh"), link("shank"), (0, 0, -THIGH), Y, (0.0, 2.44), 400),
        "Shank.", [
            box((0.09, 0.08, 0.32), (-0.005, 0, -0.20), 0, "shell"),
            cylinder(0.05, 0.26, (-0.005, 0, -0.18), 0, "shell", collides=True, seen=False),
        ], 5.65, at(-0.005083, -0.003773, -0.07261), (0.1054, 0.09786, 0.02085))
    add(moved(f"{side}_ankle_pitch", link("shank"), link("ankle"), (0, 0, -SHANK), Y, (-1.4, 0.698), 330),
        "Ankle: carries the roll drive.", [
            cylinder(0.05, 0.10, (0, 0, 0), 0, "servo", rpy=ALONG_Y),
            cylinder(0.045, 0.10, (-0.03, 0, 0), 0, "servo", rpy=ALONG_X),
        ], 3.284, at(-0.02202, -0.002568, 0.0009459), (0.007555, 0.01124, 0.01339))
    sole = box((2 * FOOT_AHEAD, FOOT_IN + FOOT_OUT, SOLE_THICKNESS),
               at(0, (FOOT_OUT - FOOT_IN) / 2, SOLE + SOLE_THICKNESS / 2), SOLE_MASS, "rubber", collides=True)
    foot = (3.426, at(-0.006536, 0.004794, -0.1018), (0.01033, 0.02854, 0.02799))
    add(moved(f"{side}_ankle_roll", link("ankle"), link("foot"), (0, 0, 0), X, mirrored(side, -0.785, 0.785), 210),
        "Foot, down to its force cell.", [
            box((0.10, 0.07, 0.07), (0, 0, -0.06), 0, "shell"),
        ], *without(foot, SOLE_MASS, sole.xyz, shapes.own_inertia(sole)))
    below = lambda xyz: tuple(xyz[i] - ANKLE_CELL[i] for i in range(3))
    sole.xyz = below(sole.xyz)
    plate = box((0.26, 0.12, 0.02), below(at(0, 0.01, SOLE + SOLE_THICKNESS + 0.01)), 0, "accent")
    joints.append(Joint(f"{side}_ankle_cell", "fixed", link("foot"), link("sole"), ANKLE_CELL))
    links.append(Link(link("sole"), "Sole below the force cell; the frame is the cell's.", [sole, plate]))
    frame(f"{side}_foot_center_link", link("sole"), below(at(0, 0.01, SOLE)), (0, 0, 0), "Middle of the sole's underside.")


def trunk():
    add(moved("waist_roll", "base_link", "waist_roll_link", (0.0596, 0, 0), X, (-0.611, 0.611), 120),
        "Between waist and chest.", [cylinder(0.06, 0.16, (0, 0, 0.09), 0, "servo")],
        2.431, (-0.01344, 0, 0.07356), (0.0167, 0.01944, 0.005772))
    add(moved("waist_yaw", "waist_roll_link", "torso_link", (0.0088, 0, 0.2222), Z, (-1.75, 1.75), 120),
        "Chest: computers, battery, shoulder drives.", [
            box((0.20, 0.26, 0.24), (-0.07, 0, 0.07), 0, "shell", collides=True),
            box((0.04, 0.20, 0.18), (0.05, 0, 0.06), 0, "accent"),
        ], 12.51, (-0.05965, 0.001431, 0.04274), (0.2102, 0.1998, 0.1403))


def head():
    add(moved("neck_yaw", "torso_link", "neck_yaw_link", (0.016, 0, 0.2383), Z, (-0.611, 0.611), 120),
        "Neck.", [cylinder(0.035, 0.05, (0, 0, 0), 0, "servo")],
        0.5954, (0.0001767, -0.0005696, 0.009696), (0.000444, 0.0003696, 0.0002712))
    given = (3.139, (0.006572, -0.00032, 0.114), (0.02207, 0.01914, 0.02133))
    spin = cylinder(0.035, 0.05, (0.05, 0, 0.05), LASER_MASS, "sensor", rpy=ALONG_X)
    add(moved("neck_pitch", "neck_yaw_link", "head_link", (0, 0, 0.027), Y, (-0.262, 1.05), 120),
        "Head: stereo camera above, turning laser below.", [
            box((0.12, 0.14, 0.07), (0.02, 0, 0.125), 0, "shell", collides=True),
            box((0.03, 0.12, 0.03), (0.085, 0, 0.125), 0, "sensor"),
            box((0.04, 0.10, 0.08), (-0.01, 0, 0.05), 0, "shell"),
        ], *without(given, LASER_MASS, spin.xyz, [shapes.own_inertia(spin)[i] for i in (2, 1, 0)]))
    spin.xyz = (0.0, 0.0, 0.0)
    joints.append(Joint("laser_spin", "continuous", "head_link", "laser_spin_link", (0.05, 0, 0.05), axis=X, actuator=(2.0, 10.0)))
    links.append(Link("laser_spin_link", "Laser scanner on its axis, which points ahead.", [spin]))
    frame("laser_link", "laser_spin_link", (0.03, 0, 0), (0, 0, 0),
          "Laser: beams in the xy plane of this frame, which turns about x, its middle beam.")
    frame("stereo_camera_link", "head_link", (0.10, 0.035, 0.125), (0, 0, 0), "Left camera of the stereo pair; looks along x.")


def arm(side):
    name, out = f"{side}_arm", 1 if side == "left" else -1
    link = lambda part: f"{name}_{part}_link"
    at = lambda x, y, z: (x, out * y, z)
    roll = lambda angle: (out * angle, 0, 0)
    add(moved(f"{name}_shoulder_pitch", "torso_link", link("shoulder_pitch"), at(0.04575, 0.1691, 0.1551), Y, (-3.35, 1.6), 147,
              rpy=(out * 0.1745, 0, out * -0.5236)), "Shoulder.",
        [cylinder(0.05, 0.10, at(0, 0.03, 0), 0, "servo", rpy=ALONG_Y, collides=True)],
        1.963, at(-0.007446, 0.03411, 0.0001098), (0.005355, 0.003392, 0.006892))
    add(moved(f"{name}_shoulder_roll", link("shoulder_pitch"), link("shoulder_roll"), at(-0.09015, 0.062, 0), X, mirrored(side, 0.037, 3.43), 120,
              rpy=roll(-0.1745)), "Upper arm, upper half.",
        [cylinder(0.045, 0.10, (0.05, 0, 0), 0, "servo", rpy=ALONG_X, collides=True),
         box((0.06, 0.07, 0.17), (0.08, 0, -0.10), 0, "shell", collides=True)],
        1.86, at(0.05814, 0, -0.07748), (0.01378, 0.01568, 0.004632))
    add(moved(f"{name}_shoulder_yaw", link("shoulder_roll"), link("shoulder_yaw"), at(0.09015, 0, -0.2182), Z, (-2.55, 2.55), 147),
        "Upper arm, lower half.",
        [cylinder(0.04, 0.10, (0, 0, -0.02), 0, "servo"), cylinder(0.045, 0.14, (0, 0, 0), 0, "shell", collides=True, seen=False)],
        1.668, at(0.01463, -0.0008173, -0.02833), (0.006448, 0.007337, 0.003674))
    add(moved(f"{name}_elbow_pitch", link("shoulder_yaw"), link("elbow"), at(0.045, 0.05515, -0.074), Y, (-2.49, 0.292), 147),
        "Elbow.", [cylinder(0.04, 0.09, at(0, -0.05, 0), 0, "servo", rpy=ALONG_Y), box((0.05, 0.05, 0.09), at(-0.01, -0.053, -0.05), 0, "shell")],
        1.316, at(-0.007683, -0.0403, -0.04349), (0.00433, 0.003854, 0.001759))
    add(moved(f"{name}_forearm_yaw", link("elbow"), link("forearm"), at(-0.015, -0.05515, -0.095), Z, (-2.55, 2.55), 55),
        "Forearm.", [cylinder(0.04, 0.16, (0, 0, -0.06), 0, "shell", collides=True), cylinder(0.035, 0.05, (0, 0, -0.145), 0, "shell")],
        1.491, at(-0.0001108, 0.01159, -0.07816), (0.008569, 0.007745, 0.002744))
    add(moved(f"{name}_wrist_pitch", link("forearm"), link("wrist_pitch"), at(0, 0.049, -0.156), Y, (-1.54, 1.5), 55),
        "Wrist.", [cylinder(0.035, 0.08, at(0, -0.045, -0.02), 0, "servo", rpy=ALONG_Y), box((0.05, 0.05, 0.10), at(0, -0.045, -0.09), 0, "shell")],
        1.126, at(0, -0.03801, -0.06993), (0.005187, 0.004804, 0.001277))
    add(moved(f"{name}_wrist_yaw", link("wrist_pitch"), link("wrist"), at(0, -0.049, -0.174), Z, (-2.55, 2.55), 27),
        "Wrist, down to its force cell.", [cylinder(0.035, 0.025, (0, 0, -0.01), 0, "metal")],
        0.2797, (0, 0, -0.00773), (0.0001442, 0.0001442, 6.05e-05))
    joints.append(Joint(f"{side}_wrist_cell", "fixed", link("wrist"), f"{side}_hand_flange_link", (0, 0, -0.0235)))
    links.append(Link(f"{side}_hand_flange_link", "Below the force cell of the wrist; the frame is the cell's.",
                      [cylinder(0.035, 0.02, (0, 0, -0.006), 0, "metal")],
                      (0.3783, at(8.216e-05, -0.002633, -0.00103), (0.0002332, 0.0002063, 0.000274))))
    hand(side)


def hand(side):
    name, inward = f"{side}_hand", -1 if side == "left" else 1
    palm = f"{name}_palm_link"
    fingers = 8 * PHALANX_MASS + DRUM_MASS
    share = (1.4 - fingers) / 1.4
    joints.append(Joint(f"{name}_mount", "fixed", f"{name}_flange_link", palm, (0, 0, -0.016)))
    links.append(Link(palm, "Palm: the motor that closes all fingers; it faces the other hand.", [
        box((0.09, 0.035, 0.10), (0, 0, -0.055), 0, "shell", collides=True),
        box((0.03, 0.075, 0.03), (0, inward * 0.055, -0.035), 0, "shell", collides=True),
        box((0.03, 0.018, 0.055), (0, inward * 0.088, -0.0775), 0, "shell", collides=True),
    ], (1.4 * share, (0.002096, inward * 0.004301, -0.06079), tuple(share * i for i in (0.004634, 0.005222, 0.001396)))))
    drum = f"{name}_close"
    joints.append(Joint(drum, "revolute", palm, f"{name}_drum_link", (0, 0, -0.05), axis=X, limit=(0.0, 1.4), actuator=(10.0, SPEED)))
    links.append(Link(f"{name}_drum_link", "Drum on which the fingers' tendon winds up.",
                      [cylinder(0.012, 0.03, (0, 0, 0), DRUM_MASS, "metal", rpy=ALONG_X)]))
    places = [("index", 0.032, 0, inward), ("middle", 0.0, 0, inward), ("ring", -0.032, 0, inward), ("thumb", 0.0, inward * 0.088, -inward)]
    for finger, x, y, closes in places:
        for part, parent, xyz, length in (("proximal", palm, (x, y, -0.105), 0.05), ("distal", f"{name}_{finger}_proximal_link", (0, 0, -0.05), 0.04)):
            joint = f"{name}_{finger}_{part}"
            joints.append(Joint(joint, "revolute", parent, f"{joint}_link", xyz, axis=(closes, 0, 0), limit=(0.0, 1.4),
                                actuator=(5.0, SPEED), mimic=(drum, 1.0)))
            links.append(Link(f"{joint}_link", f"{finger.capitalize()}, {part} phalanx.", [
                box((0.02, 0.018, length - 0.004), (0, 0, -length / 2), PHALANX_MASS, "accent", collides=True),
            ]))
    frame(f"{name}_grasp_link", palm, (0, inward * 0.045, -0.11), (0, math.pi / 2, 0),
          "Middle of the grasp; x points along the open fingers.")


COLOURS = {
    "shell": (0.75, 0.77, 0.80), "accent": (0.85, 0.12, 0.10), "metal": (0.60, 0.62, 0.64),
    "servo": (0.18, 0.18, 0.20), "rubber": (0.05, 0.05, 0.05), "sensor": (0.04, 0.05, 0.10),
}


def urdf():
    waist()
    for side in ("left", "right"):
        leg(side)
    trunk()
    head()
    for side in ("left", "right"):
        arm(side)
    about = """A humanoid of Walk-Man's class. Written by generate.py: change it there. Zero pose: legs and arms hang
     straight down."""
    return shapes.urdf("humanoid", about, COLOURS, links, joints)


def main():
    target = Path(__file__).with_name("humanoid.urdf")
    if "--check" in sys.argv:
        if target.read_text() != urdf():
            sys.exit("humanoid.urdf: expected what generate.py writes, found another text; run generate.py")
    else:
        target.write_text(urdf())


if __name__ == "__main__":
    main()
