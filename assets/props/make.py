#!/usr/bin/env python3
"""Writes the meshes of the props beside it: closed convex pieces that touch each other, which the plant takes as they are.

    assets/props/make.py            # writes them
    assets/props/make.py --check    # exits 1 if a file is not what it would write

Metres; Z is up, or along a tool's or a wheel's axis. Sizes are chosen: a cup as a hand holds it, a scoop of a garden trowel's size, a valve's wheel.
"""

import math
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def prism(low, high):
    """A piece between two polygons of as many corners, counter-clockwise seen from above; faces look outwards."""
    count = len(low)
    faces = [list(reversed(range(count))), [count + i for i in range(count)]]
    faces += [[i, (i + 1) % count, count + (i + 1) % count, count + i] for i in range(count)]
    return [*low, *high], faces


def slab(points, bottom, top):
    """A prism along Z over a polygon in the plane."""
    return prism([(x, y, bottom) for x, y in points], [(x, y, top) for x, y in points])


def box(low, high):
    (x0, y0, z0), (x1, y1, z1) = low, high
    return slab([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], z0, z1)


def circle(radius, count):
    return [(radius * math.cos(2 * math.pi * i / count), radius * math.sin(2 * math.pi * i / count)) for i in range(count)]


def ring(inner, outer, bottom, top, count):
    """As many pieces around Z."""
    near, far = circle(inner, count), circle(outer, count)
    return [slab([near[i], far[i], far[(i + 1) % count], near[(i + 1) % count]], bottom, top) for i in range(count)]


def turned(piece, angle):
    """About Z."""
    points, faces = piece
    cos, sin = math.cos(angle), math.sin(angle)
    return [(cos * x - sin * y, sin * x + cos * y, z) for x, y, z in points], faces


def cup():
    """Open at the top; its origin is in the middle of its foot."""
    return [slab(circle(0.04, 12), 0.0, 0.005), *ring(0.036, 0.04, 0.005, 0.10, 12)]


def open_box(bottom, top):
    """Four walls of 24 x 30 cm and a floor, a centimetre thick, between two heights, with an upright grip on each wall across Y."""
    floor = box((-0.12, -0.15, bottom), (0.12, 0.15, bottom + 0.01))
    ends = [box((x - 0.005, -0.15, bottom + 0.01), (x + 0.005, 0.15, top)) for x in (-0.115, 0.115)]
    sides = [box((-0.11, y - 0.005, bottom + 0.01), (0.11, y + 0.005, top)) for y in (-0.145, 0.145)]
    grips = [box((-0.05, y - 0.015, top), (0.05, y + 0.015, top + 0.07)) for y in (-0.135, 0.135)]
    return [floor, *ends, *sides, *grips]


def crate():
    """12 cm high, its origin in the middle of its walls' height."""
    return open_box(-0.06, 0.06)


def bin():
    """38 cm high, its origin in the middle of its height with the grips."""
    return open_box(-0.225, 0.155)


def scoop():
    """A trowel: a handle along X from its origin backwards, and a blade of five walls in front, open at the top and in front."""
    bottom = box((0.06, -0.045, -0.02), (0.17, 0.045, -0.017))
    sides = [box((0.06, y - 0.0015, -0.017), (0.17, y + 0.0015, 0.02)) for y in (-0.0435, 0.0435)]
    back = box((0.057, -0.045, -0.02), (0.06, 0.045, 0.02))
    shaft = box((0.0, -0.01, -0.01), (0.057, 0.01, 0.01))
    handle = box((-0.12, -0.015, -0.015), (0.0, 0.015, 0.015))
    return [bottom, *sides, back, shaft, handle]


def soil_scoop():
    """A scoop made for a gripper: a blade of 6 cm, narrower than the cup, and behind it a flat upright handle that is held at any angle; it stands on its
    own foot. Its origin is in the middle of the cutting edge, the blade behind it along -X, open at the top and in front."""
    bottom = box((-0.165, -0.03, 0.0), (0.0, 0.03, 0.003))
    sides = [box((-0.11, y - 0.0015, 0.003), (0.0, y + 0.0015, 0.038)) for y in (-0.0285, 0.0285)]
    heel = box((-0.165, -0.03, 0.003), (-0.11, 0.03, 0.038))
    handle = box((-0.165, -0.012, 0.038), (-0.115, 0.012, 0.145))
    return [bottom, *sides, heel, handle]


def wheel():
    """A valve's wheel of 30 cm: a rim and four spokes about Z; its origin is in its middle."""
    spoke = box((0.0, -0.01, -0.01), (0.131, 0.01, 0.01))
    return [*ring(0.13, 0.15, -0.012, 0.012, 12), *(turned(spoke, angle * math.pi / 2) for angle in range(4))]


def clamp():
    """A plate that is pushed aside by what comes from above: bevelled at its upper edge. Its origin is in the middle of its inner face, towards +Y."""
    profile = [(0.0, -0.03), (0.0, 0.02), (-0.005, 0.03), (-0.008, 0.03), (-0.008, -0.03)]
    across = lambda x: [(x, y, z) for y, z in profile]
    return [prism(across(-0.022), across(0.022))]


def cabinet_door():
    """A leaf of 28 x 40 cm, its origin in the middle of its edge at +Y, where it hangs; on its front, towards -X, a grip at the other edge."""
    return [box((-0.01, -0.28, -0.2), (0.01, 0.0, 0.2)), box((-0.072, -0.26, -0.05), (-0.0101, -0.23, 0.05))]


def obj(name, pieces):
    lines = [f"# {name}, written by make.py: {len(pieces)} closed convex pieces"]
    first = 1
    for points, faces in pieces:
        lines += [f"v {x:.6g} {y:.6g} {z:.6g}" for x, y, z in points]
        lines += ["f " + " ".join(str(first + corner) for corner in face) for face in faces]
        first += len(points)
    return "\n".join(lines) + "\n"


def main():
    stale = []
    for make in (cup, scoop, soil_scoop, wheel, clamp, cabinet_door, crate, bin):
        path, text = HERE / f"{make.__name__}.obj", obj(make.__name__, make())
        if "--check" not in sys.argv:
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(path.name)
    if stale:
        sys.exit(f"not what make.py writes: {', '.join(stale)}")


if __name__ == "__main__":
    main()
