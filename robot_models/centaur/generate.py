#!/usr/bin/env python3
"""Writes centaur.urdf: `python3 generate.py`. With `--check` it only compares; with `--poses` it prints leg angles.

Figures that are given (Momaro, see README.md): 58 kg, 80 x 70 cm over the wheels, 40 cm of leg stroke in front and 15 cm
more behind, 56 joints and their names. All other lengths and masses are chosen here, so that the given ones come out.
Servo masses are those of Robotis' data sheets, in the legs with brackets and bearings: H54-200 and H54-100 0.85 and
0.73 kg, H42-20 0.34 kg, MX-64 0.126 kg, MX-28 0.072 kg.
"""

import math
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # leave no __pycache__ behind
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import shapes
from shapes import ALONG_X, ALONG_Y, Joint, Link, box, cylinder, sphere

# Peak effort [N·m] and no-load speed [rad/s]; the same as in centaur.toml (tests/centaur.rs compares them).
PRO_200W, PRO_100W, PRO_20W = (62.0, 3.5), (35.0, 3.5), (8.4, 3.5)
WHEEL, MX_64, MX_28 = (15.0, 12.0), (6.0, 6.6), (2.5, 5.8)

X, Y, Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

# --- legs [m] -------------------------------------------------------------------------------------------------------
WHEEL_RADIUS, WHEEL_WIDTH, WHEEL_TRACK = 0.08, 0.03, 0.13
WHEEL_X = 0.40 - WHEEL_RADIUS  # footprint 80 cm long
LEG_Y = 0.35 - WHEEL_TRACK / 2 - WHEEL_WIDTH / 2  # footprint 70 cm wide
ANKLE_ABOVE_WHEEL = 0.10
HIP_X = {"front": 0.19, "rear": 0.15}  # the wheel stands between hip and knee, so that both share the load
HIP_Y, THIGH_OUT = 0.17, 0.03  # thigh and shank fold past each other in two planes
SEGMENT = {"front": 0.30, "rear": 0.375}  # thigh and shank: 2 x 7.5 cm make the 15 cm more behind
STAND = 0.375  # hip above ankle in `stand`

# --- upper body [m] -------------------------------------------------------------------------------------------------
SPINE = (0.09, 0.0, 0.09)
SHOULDER_Y, SHOULDER_Z = 0.19, 0.43
UPPER_ARM, FOREARM, WRIST_TO_PALM = 0.28, 0.26, 0.03

links, joints = [], []


def add(joint, about, parts):
    joints.append(joint)
    links.append(Link(joint.child, about, parts))


def frame(name, parent, xyz, rpy, about, parts=()):
    add(Joint(name.replace("_link", "_mount"), "fixed", parent, name, xyz, rpy), about, list(parts))


def servo(radius, length, xyz, mass, **more):
    return cylinder(radius, length, xyz, mass, "servo", **more)


def trunk():
    links.append(Link("base_link", "Trunk: origin between the wheels, at the height of the hip axes.", [
        box((0.42, 0.26, 0.14), (0.02, 0, 0.0), 6.6, "shell", collides=True),  # frame, plates, cables
        box((0.36, 0.20, 0.02), (0.02, 0, 0.08), 0.6, "accent"),  # lid
        box((0.18, 0.18, 0.10), (-0.06, 0, 0.0), 3.6, "electronics", seen=False),  # computer and power supply
        box((0.14, 0.10, 0.06), (-0.08, 0, -0.03), 2.5, "electronics", seen=False),  # battery, 355 Wh
        box((0.10, 0.16, 0.05), (-0.11, 0, 0.115), 0.5, "electronics"),  # router and bus converters
        box((0.06, 0.06, 0.12), (0.09, 0, 0.02), 0.85, "servo", seen=False),  # spine servo
        cylinder(0.004, 0.14, (-0.14, 0.06, 0.20), 0.01, "servo"),  # antennas
        cylinder(0.004, 0.14, (-0.14, -0.06, 0.20), 0.01, "servo"),
    ] + [
        servo(0.034, 0.085, (sx * HIP_X[end], sy * 0.1475, 0), 0.95, rpy=ALONG_Y)
        for end, sx in (("front", 1), ("rear", -1)) for sy in (1, -1)
    ]))
    frame("base_camera_link", "base_link", (0.20, 0, -0.075), (0, math.pi / 2, 0),
          "Wide-angle camera below the base, looks down (x forward of the lens).", [box((0.02, 0.03, 0.03), (0, 0, 0), 0.05, "sensor")])


def leg(end, side):
    name, out, ahead = f"{end}_{side}", 1 if side == "left" else -1, 1 if end == "front" else -1
    length, shank_out = SEGMENT[end], LEG_Y - HIP_Y - THIGH_OUT
    bend = lambda low, high: (low, high) if ahead > 0 else (-high, -low)
    thigh, shank, ankle, pair = (f"{name}_{part}_link" for part in ("thigh", "shank", "ankle", "wheel_pair"))
    y = out * THIGH_OUT
    add(Joint(f"{name}_hip_pitch", "revolute", "base_link", thigh, (ahead * HIP_X[end], out * HIP_Y, 0), axis=Y,
              limit=bend(-2.4, 1.0), actuator=PRO_200W), "Thigh: carbon tube, carries the knee servo.", [
        cylinder(0.036, 0.024, (0, out * 0.032, 0), 0.15, "accent", rpy=ALONG_Y),
        cylinder(0.021, length - 0.06, (0, y, -length / 2), 0.25, "carbon", collides=True),
        servo(0.034, 0.075, (0, y, -length), 1.0, rpy=ALONG_Y),
    ])
    y = out * shank_out
    add(Joint(f"{name}_knee_pitch", "revolute", thigh, shank, (0, out * THIGH_OUT, -length), axis=Y,
              limit=bend(-0.2, 2.7), actuator=PRO_200W), "Shank: carbon tube, carries the ankle servo.", [
        cylinder(0.036, 0.024, (0, y, 0), 0.15, "accent", rpy=ALONG_Y),
        cylinder(0.019, length - 0.06, (0, y, -length / 2), 0.25, "carbon", collides=True),
        servo(0.032, 0.07, (0, y, -length), 1.0, rpy=ALONG_Y),
    ])
    add(Joint(f"{name}_ankle_pitch", "revolute", shank, ankle, (0, out * shank_out, -length), axis=Y,
              limit=(-2.2, 2.2), actuator=PRO_200W), "Ankle: keeps the steering axis vertical, carries the yaw servo.", [
        box((0.05, 0.084, 0.02), (0, 0, -0.042), 0.2, "metal"),
        box((0.05, 0.007, 0.06), (0, 0.0385, -0.02), 0.05, "metal"),
        box((0.05, 0.007, 0.06), (0, -0.0385, -0.02), 0.05, "metal"),
        box((0.06, 0.06, 0.03), (0, 0, -0.038), 0.73, "servo", collides=True),
    ])
    add(Joint(f"{name}_ankle_yaw", "revolute", ankle, pair, (0, 0, -0.055), axis=Z, limit=(-3.1, 3.1), actuator=PRO_100W),
        "Wheel pair: steers about the axis through its middle, carries both wheel servos.", [
        box((0.07, 0.07, 0.02), (0, 0, -0.012), 0.15, "metal"),
        cylinder(0.030, 0.094, (0, 0, 0.055 - ANKLE_ABOVE_WHEEL), 1.0, "servo", rpy=ALONG_Y, collides=True),
    ])
    for turn, sign in (("left", 1), ("right", -1)):
        add(Joint(f"{name}_wheel_{turn}", "continuous", pair, f"{name}_wheel_{turn}_link",
                  (0, sign * WHEEL_TRACK / 2, 0.055 - ANKLE_ABOVE_WHEEL), axis=Y, actuator=WHEEL),
            "Wheel: rubber tyre on a hub.", [
            cylinder(WHEEL_RADIUS, WHEEL_WIDTH, (0, 0, 0), 0.35, "rubber", rpy=ALONG_Y, collides=True),
            cylinder(0.045, WHEEL_WIDTH + 0.004, (0, 0, 0), 0.08, "metal", rpy=ALONG_Y),
            box((0.075, WHEEL_WIDTH + 0.008, 0.012), (0, 0, 0), 0.01, "accent"),  # a spoke: shows that it turns
            box((0.012, WHEEL_WIDTH + 0.008, 0.075), (0, 0, 0), 0.01, "accent"),
        ])


def torso_and_head():
    add(Joint("spine_yaw", "revolute", "base_link", "torso_link", SPINE, axis=Z, limit=(-3.0, 3.0), actuator=PRO_200W),
        "Torso: spine column, chest with both shoulder pitch servos.", [
        cylinder(0.055, 0.03, (0, 0, 0.015), 0.25, "accent"),
        cylinder(0.038, 0.22, (0, 0, 0.13), 0.5, "carbon"),
        box((0.12, 0.24, 0.20), (0, 0, SHOULDER_Z - 0.06), 1.15, "shell", collides=True),
        servo(0.036, 0.06, (0, SHOULDER_Y - 0.055, SHOULDER_Z), 0.85, rpy=ALONG_Y),
        servo(0.036, 0.06, (0, -SHOULDER_Y + 0.055, SHOULDER_Z), 0.85, rpy=ALONG_Y),
    ])
    frame("head_link", "torso_link", (0.01, 0, SHOULDER_Z + 0.06), (0, 0, 0), "Sensor head.", [
        cylinder(0.022, 0.06, (0, 0, 0.01), 0.1, "carbon"),
        box((0.10, 0.16, 0.05), (0.01, 0, 0.065), 0.65, "shell", collides=True),
        box((0.05, 0.05, 0.045), (-0.02, 0, 0.1125), 0.16, "servo"),  # MX-64 of the laser
    ])
    add(Joint("laser_spin", "continuous", "head_link", "laser_spin_link", (-0.02, 0, 0.14), axis=Z, actuator=MX_64),
        "Turning laser scanner; the axis is vertical.", [
        cylinder(0.024, 0.01, (0, 0, 0.005), 0.05, "metal"),
        cylinder(0.028, 0.055, (0, 0, 0.045), 0.21, "sensor", rpy=ALONG_Y),  # UTM-30LX-EW, 210 g
        cylinder(0.0285, 0.012, (0, 0, 0.045), 0.0, "accent", rpy=ALONG_Y),
    ])
    frame("laser_link", "laser_spin_link", (0, 0, 0.045), (math.pi / 2, 0, 0),
          "Laser: beams in the xy plane of this frame, which stands upright; x is the middle beam.")
    frame("imu_link", "head_link", (0.02, 0.0, 0.10), (0, 0, 0), "PIXHAWK IMU beside the laser.",
          [box((0.05, 0.08, 0.015), (0, 0, 0), 0.04, "electronics")])
    frame("rgbd_camera_link", "head_link", (0.07, 0, 0.05), (0, 0.3, 0), "RGB-D camera, looks ahead and down.",
          [box((0.03, 0.18, 0.03), (0, 0, 0), 0.2, "sensor")])
    for place, x, y, yaw in (("front", 0.06, 0.0, 0.0), ("left", 0.01, 0.08, 1.8), ("right", 0.01, -0.08, -1.8)):
        frame(f"head_camera_{place}_link", "head_link", (x, y, 0.08), (0, 0, yaw), f"Panoramic camera, {place}.",
              [cylinder(0.010, 0.02, (0, 0, 0), 0.02, "sensor", rpy=ALONG_X)])
    frame("head_camera_down_link", "head_link", (0.075, 0, 0.025), (0, math.pi / 2, 0), "Wide-angle camera, looks down.",
          [cylinder(0.010, 0.02, (0, 0, 0), 0.02, "sensor", rpy=ALONG_X)])


def arm(side):
    name, out = f"{side}_arm", 1 if side == "left" else -1
    mirror = lambda low, high: (low, high) if out > 0 else (-high, -low)
    link = lambda part: f"{name}_{part}_link"
    add(Joint(f"{name}_shoulder_pitch", "revolute", "torso_link", link("shoulder_pitch"), (0, out * SHOULDER_Y, SHOULDER_Z),
              axis=Y, limit=(-3.1, 1.6), actuator=PRO_200W), "Shoulder: carries the roll servo.",
        [box((0.06, 0.04, 0.06), (0, out * -0.005, 0), 0.12, "metal"), servo(0.034, 0.08, (0, out * 0.04, 0), 0.85, rpy=ALONG_X)])
    add(Joint(f"{name}_shoulder_roll", "revolute", link("shoulder_pitch"), link("shoulder_roll"), (0, out * 0.04, 0),
              axis=X, limit=mirror(-0.3, 2.9), actuator=PRO_200W), "Upper arm, upper half: carries the yaw servo.",
        [cylinder(0.036, 0.02, (0.05, 0, 0), 0.08, "accent", rpy=ALONG_X), box((0.02, 0.05, 0.07), (0.05, 0, -0.03), 0.08, "metal"),
         servo(0.033, 0.09, (0, 0, -0.085), 0.85)])
    add(Joint(f"{name}_shoulder_yaw", "revolute", link("shoulder_roll"), link("shoulder_yaw"), (0, 0, -0.13),
              axis=Z, limit=(-2.6, 2.6), actuator=PRO_200W), "Upper arm, lower half: carries the elbow servo.",
        [cylinder(0.036, 0.016, (0, 0, -0.008), 0.06, "accent"),
         cylinder(0.026, 0.11, (0, 0, -(UPPER_ARM - 0.13) / 2), 0.12, "carbon"),
         cylinder(0.036, 0.17, (0, 0, -0.015), 0.0, "carbon", collides=True, seen=False),
         servo(0.031, 0.075, (0, 0, -(UPPER_ARM - 0.13)), 0.73, rpy=ALONG_Y)])
    add(Joint(f"{name}_elbow_pitch", "revolute", link("shoulder_yaw"), link("elbow_pitch"), (0, 0, -(UPPER_ARM - 0.13)),
              axis=Y, limit=(-2.6, 0.1), actuator=PRO_100W), "Forearm, upper half: carries the forearm servo.",
        [cylinder(0.034, 0.016, (0, out * 0.044, 0), 0.05, "accent", rpy=ALONG_Y),
         cylinder(0.034, 0.016, (0, out * -0.044, 0), 0.05, "accent", rpy=ALONG_Y),
         box((0.044, 0.09, 0.012), (0, 0, -0.04), 0.06, "metal"), servo(0.027, 0.08, (0, 0, -0.085), 0.34)])
    add(Joint(f"{name}_wrist_yaw", "revolute", link("elbow_pitch"), link("wrist_yaw"), (0, 0, -0.13),
              axis=Z, limit=(-2.6, 2.6), actuator=PRO_20W), "Forearm, lower half: carries the wrist pitch servo.",
        [cylinder(0.028, 0.012, (0, 0, -0.006), 0.04, "accent"),
         cylinder(0.020, FOREARM - 0.16, (0, 0, -(FOREARM - 0.13) / 2), 0.08, "carbon"),
         cylinder(0.030, 0.15, (0, 0, -0.015), 0.0, "carbon", collides=True, seen=False),
         servo(0.024, 0.06, (0, 0, -(FOREARM - 0.13)), 0.34, rpy=ALONG_Y)])
    add(Joint(f"{name}_wrist_pitch", "revolute", link("wrist_yaw"), link("wrist_pitch"), (0, 0, -(FOREARM - 0.13)),
              axis=Y, limit=(-1.6, 1.6), actuator=PRO_20W), "Wrist: carries the roll servo.",
        [box((0.03, 0.07, 0.03), (0, 0, -0.02), 0.05, "metal"), servo(0.024, 0.06, (0, 0, -WRIST_TO_PALM), 0.34, rpy=ALONG_X)])
    add(Joint(f"{name}_wrist_roll", "revolute", link("wrist_pitch"), link("wrist_roll"), (0, 0, -WRIST_TO_PALM),
              axis=X, limit=(-1.6, 1.6), actuator=PRO_20W), "Hand flange.",
        [cylinder(0.030, 0.012, (0, 0, -0.032), 0.05, "metal")])
    hand(side, link("wrist_roll"))


def hand(side, flange):
    name, out = f"{side}_hand", 1 if side == "left" else -1
    palm = f"{name}_palm_link"
    frame(palm, flange, (0, 0, -0.038), (0, 0, 0), "Palm: carries the four MX-64 of the fingers.", [
        box((0.09, 0.10, 0.05), (0, 0, -0.027), 0.62, "shell", collides=True),
    ])
    frame(f"{name}_camera_link", palm, (0.05, 0, -0.03), (0, 1.2, 0), "Hand camera, looks along the fingers.",
          [box((0.015, 0.03, 0.02), (0, 0, 0), 0.02, "sensor")])
    frame(f"{name}_grasp_link", palm, (0, 0, -0.11), (0, math.pi / 2, 0), "Middle of the grasp; x points away from the palm.")
    # Fingers 1 and 2 stand in front, 3 and 4 behind; positive angles close all four.
    for index, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1)), start=1):
        proximal, distal = (f"{name}_finger{index}_{part}" for part in ("proximal", "distal"))
        axis = (0, x, 0)
        add(Joint(proximal, "revolute", palm, f"{proximal}_link", (x * 0.04, out * y * 0.03, -0.05), axis=axis,
                  limit=(-0.7, 1.5), actuator=MX_64), f"Finger {index}, with the MX-28 of its tip.",
            [box((0.02, 0.025, 0.05), (0, 0, -0.025), 0.09, "servo", collides=True)])
        add(Joint(distal, "revolute", f"{proximal}_link", f"{distal}_link", (0, 0, -0.05), axis=axis,
                  limit=(-0.3, 1.6), actuator=MX_28), f"Finger {index}, tip: printed.",
            [box((0.014, 0.025, 0.045), (0, 0, -0.0225), 0.035, "accent", collides=True),
             sphere(0.0085, (0, 0, -0.045), 0.005, "rubber", collides=True)])


COLOURS = {
    "shell": (0.86, 0.87, 0.89), "accent": (0.90, 0.38, 0.08), "carbon": (0.11, 0.11, 0.12), "metal": (0.66, 0.68, 0.70),
    "servo": (0.23, 0.24, 0.26), "rubber": (0.05, 0.05, 0.05), "electronics": (0.10, 0.28, 0.22), "sensor": (0.03, 0.04, 0.08),
}


def urdf():
    trunk()
    for end in ("front", "rear"):
        for side in ("left", "right"):
            leg(end, side)
    torso_and_head()
    for side in ("left", "right"):
        arm(side)
    about = """A centaur of Momaro's class. Written by generate.py: change it there. Inertias are those of the
     homogeneous primitives that a link is made of. Zero pose: legs and arms hang straight down."""
    return shapes.urdf("centaur", about, COLOURS, links, joints)


def leg_angles(end, hip_above_ankle):
    """Hip, knee and ankle [rad] that put the ankle over the wheel's place and the steering axis upright."""
    ahead, length = (1 if end == "front" else -1), SEGMENT[end]
    forward, reach = WHEEL_X - HIP_X[end], math.hypot(WHEEL_X - HIP_X[end], hip_above_ankle)
    half_bend = math.acos(reach / (2 * length))
    hip = -(math.atan2(forward, hip_above_ankle) + half_bend)
    return [ahead * angle for angle in (hip, 2 * half_bend, -(hip + 2 * half_bend))]


def print_poses():
    for pose, height in (("low", STAND - 0.2), ("stand", STAND), ("high", STAND + 0.2)):
        print(f"{pose}: hip axes {height + ANKLE_ABOVE_WHEEL + WHEEL_RADIUS:.3f} m above ground")
        for end in ("front", "rear"):
            for side in ("left", "right"):
                for joint, angle in zip(("hip", "knee", "ankle"), leg_angles(end, height)):
                    print(f"{end}_{side}_{joint}_pitch = {angle:.4f}")


def main():
    target = Path(__file__).with_name("centaur.urdf")
    if "--poses" in sys.argv:
        print_poses()
    elif "--check" in sys.argv:
        if target.read_text() != urdf():
            sys.exit("centaur.urdf: expected what generate.py writes, found another text; run generate.py")
    else:
        target.write_text(urdf())


if __name__ == "__main__":
    main()
