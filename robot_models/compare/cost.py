#!/usr/bin/env python3
"""What kinematics and dynamics cost, beside Pinocchio.

    robot_models/compare/cost.py [--only TEXT] [--rounds N]

Builds cost.cpp against the headers that come with the PyPI wheels `pin`, `cmeel-eigen` and `cmeel-urdfdom-headers` (in ~/.cache/chiron/compare-venv, made on first use; a C++
compiler is needed, and two minutes), and the example `cost` of robot_model. Both are then started in turn for each URDF of example-robot-data; each
tells the fastest of its own rounds, and of all starts the fastest counts. Neither is built for this processor alone. Robots with mimic joints and such
as one of the two refuses are left out. Exits with 1 if a median over the robots is above 1.5.
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CACHE = Path.home() / ".cache/chiron"
VENV = CACHE / "compare-venv"
ALGORITHMS = ["forward kinematics", "inverse dynamics", "mass matrix", "forward dynamics"]
LIMIT = 1.5


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only robots whose path contains this text")
    parser.add_argument("--rounds", type=int, default=3, help="starts of each side for each robot")
    arguments = parser.parse_args()
    prefix = make_venv()
    theirs, ours = build_theirs(prefix), build_ours()
    robots = sorted(path for path in (prefix / "share/example-robot-data/robots").rglob("*.urdf") if arguments.only in str(path))
    rows = [row for row in (measure(path, ours, theirs, arguments.rounds) for path in robots) if row]
    if not rows:
        sys.exit("expected robots that both can load, found none")
    print("| robot | DoF | " + " | ".join(f"{name} [µs] ours, theirs, ratio" for name in ALGORITHMS) + " |")
    print("|---|---:|" + "---:|" * len(ALGORITHMS))
    for name, dof, pairs in rows:
        cells = [f"{a / 1e3:.2f}, {b / 1e3:.2f}, {a / b:.2f}" for a, b in pairs]
        print(f"| {name} | {dof} | " + " | ".join(cells) + " |")
    medians = [statistics.median(row[2][place][0] / row[2][place][1] for row in rows) for place in range(len(ALGORITHMS))]
    worst = [max(row[2][place][0] / row[2][place][1] for row in rows) for place in range(len(ALGORITHMS))]
    print(f"\n{len(rows)} robots; median ratio (highest): " + ", ".join(
        f"{name} {median:.2f} ({most:.2f})" for name, median, most in zip(ALGORITHMS, medians, worst)))
    sys.exit(1 if max(medians) > LIMIT else 0)


def make_venv():
    python = VENV / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", VENV], check=True)
    if not list(VENV.glob("lib/python*/site-packages/cmeel.prefix/include/urdfdom_headers")):
        packages = ["pin", "example-robot-data", "cmeel-eigen", "cmeel-urdfdom-headers"]
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    [prefix] = VENV.glob("lib/python*/site-packages/cmeel.prefix")
    return prefix


def build_theirs(prefix):
    program = CACHE / "pinocchio-cost"
    source = HERE / "cost.cpp"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        include, lib = prefix / "include", prefix / "lib"
        command = ["g++", "-O3", "-DNDEBUG", "-std=c++17", "-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=10", source, "-o", program]
        command += [f"-I{include}", f"-I{include / 'eigen3'}", f"-I{include / 'urdfdom_headers'}", f"-L{lib}", f"-Wl,-rpath,{lib}"]
        subprocess.run(command + ["-lpinocchio_parsers", "-lpinocchio_default"], check=True)
    return program


def build_ours():
    subprocess.run(["cargo", "build", "--release", "-p", "robot_model", "--example", "cost"], cwd=ROOT, check=True)
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/cost"


def measure(path, ours, theirs, rounds):
    name = f"{path.parent.parent.name.removesuffix('_description')}/{path.stem}"
    if "<mimic" in path.read_text(errors="replace"):
        return None
    best = [None, None]
    for _ in range(rounds):
        for side, program in enumerate([ours, theirs]):
            said = subprocess.run([program, path], capture_output=True, text=True)
            numbers = said.stdout.split()
            if said.returncode or len(numbers) != 1 + len(ALGORITHMS):
                return None
            times = [float(number) for number in numbers[1:]]
            best[side] = (numbers[0], times if best[side] is None else list(map(min, best[side][1], times)))
    (our_dof, our_times), (their_dof, their_times) = best
    if our_dof != their_dof:
        return None
    print(f"{name}: done", file=sys.stderr)
    return name, our_dof, list(zip(our_times, their_times))


if __name__ == "__main__":
    main()
