#!/usr/bin/env python3
"""Compares robot_model with Pinocchio on every URDF of the PyPI wheel `example-robot-data`.

    robot_models/compare/compare.py [--eval-command "CMD {robot} {state}"] [--states N] [--seed N] [--only TEXT]

Installs `pin` and `example-robot-data` into ~/.cache/chiron/compare-venv on first use, draws random states, has them
evaluated by Chiron (by default `chiron robot FILE --eval STATE.json`) and by Pinocchio, and prints a Markdown table of
the largest relative differences. Exits with 1 if a robot differs by more than --tolerance.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

VENV = Path.home() / ".cache/chiron/compare-venv"
REPOSITORY = Path(__file__).resolve().parents[2]
DEFAULT_COMMAND = "cargo run --release --quiet --manifest-path %s -- robot {robot} --eval {state}" % shlex.quote(
    str(REPOSITORY / "Cargo.toml")
)
COLUMNS = ["mass", "com", "links", "mass_matrix", "bias", "inverse_dynamics"]


def main():
    arguments = parse_arguments()
    enter_venv()
    rows, worst_of_all = [], 0.0
    for path in find_robots(arguments.only):
        row = compare_robot(path, arguments)
        rows.append(row)
        if row["errors"]:
            worst_of_all = max(worst_of_all, max(row["errors"].values()))
        print(row["name"], "refused" if row["errors"] is None else max(row["errors"].values()), file=sys.stderr)
    print_table(rows)
    imported = sum(row["errors"] is not None for row in rows)
    print(f"\n{imported} of {len(rows)} robots imported; largest relative difference {worst_of_all:.1e}.")
    sys.exit(0 if worst_of_all < arguments.tolerance else 1)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval-command", default=DEFAULT_COMMAND, help="with {robot} and {state}")
    parser.add_argument("--states", type=int, default=3, help="random states per robot")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="only robots whose path contains this text")
    parser.add_argument("--tolerance", type=float, default=1e-9)
    return parser.parse_args()


def enter_venv():
    """Restarts this script in its own environment, which is made on first use."""
    python = VENV / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "pin", "example-robot-data"], check=True)
    if Path(sys.prefix).resolve() != VENV.resolve():
        os.execv(python, [str(python), *sys.argv])


def find_robots(only):
    [folder] = VENV.glob("lib/python*/site-packages/cmeel.prefix/share/example-robot-data/robots")
    return sorted(path for path in folder.rglob("*.urdf") if only in str(path))


def compare_robot(path, arguments):
    import numpy

    name = f"{path.parent.parent.name.removesuffix('_description')}/{path.stem}"
    row = {"name": name, "dof": "", "mass": "", "errors": None, "note": "", "both_refuse": False}
    try:
        model, lower, upper = pinocchio_model(path)
    except Exception as error:  # Pinocchio raises whatever its parser does
        ours = evaluate(path, {}, arguments.eval_command)
        row["both_refuse"] = isinstance(ours, str)
        row["note"] = f"Pinocchio refuses it too; {message(ours, path)}" if row["both_refuse"] else f"Pinocchio: {error}"
        return row
    random = numpy.random.default_rng([arguments.seed, *name.encode()])
    for _ in range(arguments.states):
        state = draw_state(model, lower, upper, random)
        answer = evaluate(path, state, arguments.eval_command)
        if isinstance(answer, str):
            row["note"] = message(answer, path)
            return row
        errors = differences(model, state, answer)
        row["dof"], row["mass"] = len(answer["velocity_order"]) - 6, answer["mass"]
        previous = row["errors"] or dict.fromkeys(COLUMNS, 0.0)
        row["errors"] = {column: max(previous[column], errors[column]) for column in COLUMNS}
    if model.mimics:
        row["note"] = f"{len(model.mimics)} mimic joint" + "s" * (len(model.mimics) > 1)
    return row


def message(error, path):
    """The refusal's text: the line that names the robot's file."""
    lines = [line for line in error.splitlines() if path.name in line] or error.splitlines() or ["no message"]
    return "refused: " + lines[-1].replace(str(path), path.name).strip()


class Model:
    """Pinocchio's model without mimics, and the matrix that projects onto the independent joints."""

    def __init__(self, path):
        import pinocchio
        import xml.etree.ElementTree as xml

        self.pin = pinocchio
        self.model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer(), "floating_base__")
        self.data = self.model.createData()
        self.mimics = {}
        for joint in xml.parse(path).getroot().findall("joint"):
            mimic = joint.find("mimic")
            if mimic is not None and joint.get("type") != "fixed":
                factor = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
                self.mimics[joint.get("name")] = mimic.get("joint"), *factor
        self.names = list(self.model.names)[2:]
        self.independent = [name for name in self.names if name not in self.mimics]

    def follow(self, name):
        """The independent joint that moves `name`, with multiplier and offset."""
        if name not in self.mimics:
            return name, 1.0, 0.0
        master, multiplier, offset = self.mimics[name]
        final, by, plus = self.follow(master)
        return final, multiplier * by, multiplier * plus + offset

    def full_configuration(self, state):
        import numpy

        q = self.pin.neutral(self.model)
        q[:3], q[3:7] = state["base"]["position"], state["base"]["orientation"]
        for name in self.names:
            joint = self.model.joints[self.model.getJointId(name)]
            master, multiplier, offset = self.follow(name)
            position = multiplier * state["q"][master] + offset
            angle = [position] if joint.nq == 1 else [numpy.cos(position), numpy.sin(position)]
            q[joint.idx_q : joint.idx_q + joint.nq] = angle
        return q

    def projection(self, order):
        """G: velocities in `order` (base, independent joints) → Pinocchio's velocities."""
        import numpy

        matrix = numpy.zeros((self.model.nv, len(order)))
        matrix[:6, :6] = numpy.eye(6)
        for name in self.names:
            joint = self.model.joints[self.model.getJointId(name)]
            master, multiplier, _ = self.follow(name)
            matrix[joint.idx_v, order.index(master)] = multiplier
        return matrix


def pinocchio_model(path):
    model = Model(path)
    lower, upper = {}, {}
    for name in model.names:
        joint = model.model.joints[model.model.getJointId(name)]
        low, high = model.model.lowerPositionLimit[joint.idx_q], model.model.upperPositionLimit[joint.idx_q]
        bounded = joint.nq == 1 and abs(low) < 100 and abs(high) < 100
        lower[name], upper[name] = (low, high) if bounded else (-3.0, 3.0)
    return model, lower, upper


def draw_state(model, lower, upper, random):
    orientation = random.normal(size=4)
    dof = 6 + len(model.independent)
    return {
        "base": {
            "position": random.uniform(-2, 2, 3).tolist(),
            "orientation": (orientation / sum(orientation**2) ** 0.5).tolist(),
        },
        "q": {name: random.uniform(lower[name], upper[name]) for name in model.independent},
        "v": random.uniform(-2, 2, dof).tolist(),
        "a": random.uniform(-5, 5, dof).tolist(),
    }


def evaluate(path, state, command):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(state, file)
        file.flush()
        words = [word.format(robot=path, state=file.name) for word in shlex.split(command)]
        result = subprocess.run(words, capture_output=True, text=True)
    return json.loads(result.stdout) if result.returncode == 0 else result.stderr


def differences(model, state, answer):
    """Largest difference of each quantity, relative to its natural size.

    Masses to the mass, positions to the robot's reach, M[i,j] to sqrt(M[i,i] M[j,j]), and efforts to the largest
    effort times sqrt(M[i,i] / max M): so a finger of 10 g counts as much as the trunk.
    """
    import numpy

    pin, order = model.pin, answer["velocity_order"]
    assert sorted(order[6:]) == sorted(model.independent), "other joints"
    q, projection = model.full_configuration(state), model.projection(order)
    v, a = projection @ state["v"], projection @ state["a"]
    pin.framesForwardKinematics(model.model, model.data, q)
    com = pin.centerOfMass(model.model, model.data, q)
    reach = max([1.0, *(float(numpy.abs(frame.translation).max()) for frame in model.data.oMf)])
    mass_matrix = pin.crba(model.model, model.data, q)
    mass_matrix = numpy.triu(mass_matrix) + numpy.triu(mass_matrix, 1).T
    expected = {
        "mass": pin.computeTotalMass(model.model),
        "com": com,
        "mass_matrix": projection.T @ mass_matrix @ projection,
        "bias": projection.T @ pin.rnea(model.model, model.data, q, v, 0 * a),
        "inverse_dynamics": projection.T @ pin.rnea(model.model, model.data, q, v, a),
    }
    errors = {"links": link_difference(model, answer["links"], reach)}
    size = numpy.sqrt(numpy.maximum(numpy.diag(expected["mass_matrix"]), 1e-12))
    for column, value in expected.items():
        scale = {
            "mass": value if column == "mass" else 0.0,
            "com": reach,
            "mass_matrix": numpy.outer(size, size),
        }.get(column, numpy.abs(value).max() * size / size.max())
        errors[column] = float((numpy.abs(numpy.array(answer[column]) - value) / scale).max())
    return errors


def link_difference(model, links, reach):
    import numpy

    worst = 0.0
    bodies = {frame.name: i for i, frame in enumerate(model.model.frames) if frame.type == model.pin.FrameType.BODY}
    assert set(bodies) == set(links), f"other links: {set(bodies) ^ set(links)}"
    for name, pose in links.items():
        placement = model.data.oMf[bodies[name]]
        rotation = model.pin.Quaternion(numpy.array(pose["orientation"])).matrix()
        worst = max(worst, float(numpy.abs(placement.rotation - rotation).max()))
        worst = max(worst, float(numpy.abs(placement.translation - pose["position"]).max()) / reach)
    return worst


def print_table(rows):
    print("| robot | DoF | mass [kg] | mass | com | links | M | bias | inverse dynamics | note |")
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|")
    for row in rows:
        mass = f"{row['mass']:.3f}" if row["mass"] != "" else ""
        errors = [f"{row['errors'][column]:.0e}" if row["errors"] else "–" for column in COLUMNS]
        print("|", " | ".join([row["name"], str(row["dof"]), mass, *errors, row["note"]]), "|")


if __name__ == "__main__":
    main()
