#!/usr/bin/env python3
"""Steps robots in Chiron's plant and in MuJoCo, one after the other on one core, and prints how fast each is.

    robot_models/compare/speed.py [--seconds N] [--rounds N] [--only TEXT]

Same URDF, same ground, same armature, damping, friction loss and gains, 1 ms a step. MuJoCo (PyPI `mujoco-core`) with
implicitfast and otherwise its defaults; level ground is a plane for it, which it is fastest on, rough ground the same
height field. Chiron's side is the whole plant: drives with dead time, play and heat, and an IMU come on top. Robots: the
centaur, and humanoids of the PyPI wheel `example-robot-data`. Installs both into ~/.cache/chiron/speed-venv on first use.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as xml
from pathlib import Path

VENV = Path.home() / ".cache/chiron/speed-venv"
PACKAGES = ["mujoco-core==4.0.1", "example-robot-data==6.0.0", "numpy"]
REPOSITORY = Path(__file__).resolve().parents[2]
HUMANOIDS = {
    "g1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "talos": "talos_data/robots/talos_reduced.urdf",
}
GROUNDS = {"flat": "worlds/flat.toml", "rough": "worlds/spacebot.toml"}
# Chosen drives of a humanoid: all effort at 0.05 rad, 8 Hz with nothing on the joint, damping ratio 0.7
FULL_EFFORT_AT, FREQUENCY, DAMPING_RATIO, GEAR_RATIO = 0.05, 50.0, 0.7, 100.0


def main():
    arguments = parse_arguments()
    enter_venv()
    build()
    print("| robot | joints | ground | | Chiron [steps/s] | MuJoCo [steps/s] | ratio | contacts | upright at the end |")
    print("|---|---:|---|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, robot in robots(Path(folder), arguments.only):
            for ground, world in GROUNDS.items():
                for motion in ("rest", "moving"):
                    print_row(name, ground, motion, *compare(robot, ground, world, motion, Path(folder), arguments), flush=True)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="simulated seconds of a run, the first of them not timed")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each side, in turn; the medians count")
    parser.add_argument("--only", default="", help="only robots whose name contains this text")
    return parser.parse_args()


def enter_venv():
    """Goes on in a Python that has the packages."""
    python = VENV / "bin/python"
    if Path(sys.prefix).resolve() == VENV.resolve():
        return
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    os.execv(python, [python, *sys.argv])


def build():
    command = ["cargo", "build", "--release", "--quiet", "-p", "plant", "--example", "side_by_side"]
    subprocess.run(command, cwd=REPOSITORY, check=True)


def program():
    return Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target")) / "release/examples/side_by_side"


def robots(folder, only):
    """Names and TOML files; a humanoid gets its file here."""
    candidates = {"centaur": REPOSITORY / "robot_models/centaur/centaur.toml"}
    data = next(VENV.glob("lib/*/site-packages/cmeel.prefix/share"))
    for name, path in HUMANOIDS.items():
        if only in name:
            candidates[name] = describe(data / "example-robot-data/robots" / path, data, folder / name)
    return [(name, path) for name, path in candidates.items() if only in name]


def describe(urdf, data, folder):
    """Copies a URDF with meshes as absolute paths, and writes a TOML with a drive for each joint."""
    folder.mkdir()
    copy = folder / f"{folder.name}.urdf"
    root = xml.fromstring(urdf.read_text().replace("package://", f"{data}/"))
    for link in root.iter("link"):
        for visual in link.findall("visual"):
            link.remove(visual)
    copy.write_text(xml.tostring(root, encoding="unicode"))
    text = [f'name = "{folder.name}"', "cycle_period_us = 4000"]
    positions = []
    for joint in root.iter("joint"):
        kind, limit = joint.get("type"), joint.find("limit")
        if kind in ("fixed", None) or joint.find("mimic") is not None:
            continue
        effort = float(limit.get("effort"))
        stiffness = effort / FULL_EFFORT_AT
        damping = 2 * DAMPING_RATIO * stiffness / FREQUENCY
        rotor = stiffness / FREQUENCY**2 / GEAR_RATIO**2
        name, position = joint.get("name"), nearest_to_zero(kind, limit)
        if position:
            positions.append(f"{name} = {position}")
        text.append(
            f'[[actuator]]\nname = "{name}"\nrated_effort = {effort}\npeak_effort = {effort}\nno_load_speed = 30.0\n'
            f"gear_ratio = {GEAR_RATIO}\nrotor_inertia = {rotor}\ncoulomb_friction = 0.0\nviscous_friction = 0.0\nbacklash = 0.0\n"
            "encoder_counts_per_turn = 1048576\nposition_noise = 0.0\nvelocity_noise = 0.0\neffort_noise = 0.0\n"
            "torque_constant = 0.05\nefficiency = 1.0\nthermal = { resistance = 1.0, capacitance = 1000.0, ambient = 25.0, "
            "derate_from = 85.0, trip_at = 105.0, copper_loss = 0.0 }\n"
            f'[[joints]]\nnames = ["{name}"]\nactuator = "{name}"\nstiffness = {stiffness}\ndamping = {damping}\n'
        )
    text += ["[[pose]]", 'name = "stand"', "[pose.positions]", *positions]
    path = folder / f"{folder.name}.toml"
    path.write_text("\n".join(text))
    return path


def nearest_to_zero(kind, limit):
    """The position within a joint's limits that is nearest to zero, well inside them."""
    if kind == "continuous":
        return 0.0
    lower, upper = float(limit.get("lower")), float(limit.get("upper"))
    margin = min(0.02, 0.25 * (upper - lower))
    return 0.0 if lower < 0.0 < upper else min(max(0.0, lower + margin), upper - margin)


def compare(robot, ground, world, motion, folder, arguments):
    ours, theirs = [], []
    model_file = folder / "model.json"
    command = [program(), robot, REPOSITORY / world, motion, str(arguments.seconds), model_file]
    for _ in range(arguments.rounds):
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        ours.append(json.loads(output))
        theirs.append(Mujoco(robot, ground, json.loads(model_file.read_text())).run(motion == "moving", arguments.seconds))
    return ours, theirs


class Mujoco:
    """The robot in MuJoCo, as Chiron's side has described it."""

    def __init__(self, robot, ground, model):
        import mujoco

        self.mujoco, self.given = mujoco, model
        spec = mujoco.MjSpec.from_string(urdf_of(robot))
        spec.option.timestep = 1e-3
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        self.lay_ground(spec, ground)
        for geom in spec.geoms:
            geom.friction[0] = model["friction"]
        for joint in model["joints"]:
            self.drive(spec, joint)
        self.model, self.data = self.begin(spec)
        # as Chiron's side does: links that overlap where they begin do not touch
        for one, two in self.overlaps():
            spec.add_exclude(bodyname1=one, bodyname2=two)
        self.model, self.data = self.begin(spec)

    def begin(self, spec):
        given, model = self.given, spec.compile()
        data = self.mujoco.MjData(model)
        data.qpos[:3] = given["base"]
        x, y, z, w = given["base_xyzw"]
        data.qpos[3:7] = [w, x, y, z]
        for joint in given["joints"]:
            data.qpos[model.joint(joint["name"]).qposadr[0]] = joint["position"]
        self.mujoco.mj_forward(model, data)
        return model, data

    def overlaps(self):
        """Names of the robot's bodies that touch each other."""
        body = lambda geom: self.model.geom_bodyid[geom]
        pairs = {tuple(sorted((body(contact.geom1), body(contact.geom2)))) for contact in self.data.contact}
        return [(self.model.body(one).name, self.model.body(two).name) for one, two in sorted(pairs) if one > 0]

    def lay_ground(self, spec, ground):
        given, world = self.given, spec.worldbody
        if ground == "flat":
            world.add_geom(type=self.mujoco.mjtGeom.mjGEOM_PLANE, size=[0, 0, 1], pos=[0, 0, given["heights"][0]])
            return
        low, high = min(given["heights"]), max(given["heights"])
        rows, columns, cell = given["rows"], given["columns"], given["cell"]
        half = [(columns - 1) * cell / 2, (rows - 1) * cell / 2]
        heights = [(height - low) / (high - low) for height in given["heights"]]
        spec.add_hfield(name="ground", nrow=rows, ncol=columns, size=[*half, high - low, 1.0], userdata=heights)
        place = [given["origin"][0] + half[0], given["origin"][1] + half[1], low]
        world.add_geom(type=self.mujoco.mjtGeom.mjGEOM_HFIELD, hfieldname="ground", pos=place)

    def drive(self, spec, given):
        joint = spec.joint(given["name"])
        joint.armature, joint.damping, joint.frictionloss = given["armature"], [given["viscous"], 0, 0], given["coulomb"]
        actuator = spec.add_actuator(name=given["name"], target=given["name"], trntype=self.mujoco.mjtTrn.mjTRN_JOINT)
        if given["turn"] is None:
            actuator.set_to_position(kp=given["stiffness"], kv=given["damping"])
        else:
            actuator.set_to_velocity(kv=given["damping"])
        actuator.forcerange = [-given["effort"], given["effort"]] if given["effort"] > 0 else [0, 0]

    def run(self, moving, seconds):
        """Steps per second of wall time, and how it ended; the commands change every 4 ms, as on Chiron's side."""
        import numpy

        given, data = self.given, self.data
        joints = given["joints"]
        pose = numpy.array([joint["position"] for joint in joints])
        wheels = numpy.array([joint["turn"] is not None for joint in joints])
        turn = numpy.array([joint["turn"] or 0.0 for joint in joints])
        index = numpy.arange(len(joints))
        spent, steps, contacts = 0.0, 0, []
        while data.time < seconds:
            passed = data.time - given["begin"] if moving else -1.0
            sway = given["sway"] * (numpy.sin(2 * numpy.pi * passed / given["period"] + index) - numpy.sin(index))
            data.ctrl[:] = numpy.where(wheels, turn * (passed > 0), pose + sway * (passed > 0))
            started = time.perf_counter()
            self.mujoco.mj_step(self.model, data, 4)
            if data.time > given["begin"]:
                spent, steps = spent + time.perf_counter() - started, steps + 4
                contacts.append(data.ncon)
        up = 1 - 2 * (data.qpos[4] ** 2 + data.qpos[5] ** 2)
        return {"steps_per_s": steps / spent, "contacts": statistics.mean(contacts), "base": list(data.qpos[:3]), "upright": up}


def urdf_of(robot):
    """The robot's URDF as MuJoCo reads it: floating, without pictures, every link kept."""
    path = robot.with_suffix(".urdf")
    text = re.sub(r"<visual>.*?</visual>", "", path.read_text(), flags=re.DOTALL)
    root = xml.fromstring(text)
    children = {joint.find("child").get("link") for joint in root.iter("joint") if joint.find("child") is not None}
    base = next(link.get("name") for link in root.iter("link") if link.get("name") not in children)
    settings = xml.SubElement(root, "mujoco")
    xml.SubElement(settings, "compiler", strippath="false", fusestatic="true", discardvisual="true", balanceinertia="true",
                   boundmass="1e-6", boundinertia="1e-9", meshdir="/")
    xml.SubElement(root, "link", name="floor_of_all")
    joint = xml.SubElement(root, "joint", name="floating_base", type="floating")
    xml.SubElement(joint, "parent", link="floor_of_all")
    xml.SubElement(joint, "child", link=base)
    return xml.tostring(root, encoding="unicode")


def print_row(name, ground, motion, ours, theirs, flush):
    median = lambda runs: statistics.median(run["steps_per_s"] for run in runs)
    ratio = statistics.median(our["steps_per_s"] / their["steps_per_s"] for our, their in zip(ours, theirs))
    contacts = f"{ours[0]['contacts']:.0f}, {theirs[0]['contacts']:.0f}"
    upright = f"{ours[0]['upright']:.3f}, {theirs[0]['upright']:.3f}"
    print(f"| {name} | {ours[0]['joints']} | {ground} | {motion} | {median(ours):,.0f} | {median(theirs):,.0f} | {ratio:.2f} |"
          f" {contacts} | {upright} |", flush=flush)


if __name__ == "__main__":
    main()
