"""Solids with mass, and URDF elements made of them. Used by the robots' generate.py; needs nothing but Python 3."""

import math
from dataclasses import dataclass

ORIGIN = (0.0, 0.0, 0.0)
ALONG_X = (0.0, math.pi / 2, 0.0)  # rpy that lays a cylinder's z axis along x
ALONG_Y = (math.pi / 2, 0.0, 0.0)  # rpy that lays a cylinder's z axis along y


@dataclass
class Part:
    """A homogeneous solid at its place on a link: it is seen, it weighs, and it may collide."""

    kind: str  # "box", "cylinder" or "sphere"
    size: tuple  # (x, y, z) or (radius, length) or (radius,) [m]
    xyz: tuple  # centre in the link's frame [m]
    mass: float  # [kg]
    look: str  # a material
    rpy: tuple = ORIGIN  # [rad]
    collides: bool = False
    seen: bool = True


@dataclass
class Link:
    name: str
    about: str
    parts: list
    inertial: tuple = None  # (mass [kg], centre of mass [m], (ixx, iyy, izz) about it [kg·m²]); default: that of the parts


@dataclass
class Joint:
    name: str
    kind: str  # "revolute", "continuous" or "fixed"
    parent: str
    child: str
    xyz: tuple
    rpy: tuple = ORIGIN
    axis: tuple = None
    limit: tuple = None  # (lower, upper) [rad]
    actuator: tuple = None  # (peak effort [N·m], no-load speed [rad/s])
    mimic: tuple = None  # (joint that it follows, ratio)


def box(size, xyz, mass, look, **more):
    return Part("box", size, xyz, mass, look, **more)


def cylinder(radius, length, xyz, mass, look, **more):
    return Part("cylinder", (radius, length), xyz, mass, look, **more)


def sphere(radius, xyz, mass, look, **more):
    return Part("sphere", (radius,), xyz, mass, look, **more)


def rotation(rpy):
    """URDF's fixed-axis roll, pitch, yaw as a matrix."""
    (sr, sp, sy), (cr, cp, cy) = [[f(a) for a in rpy] for f in (math.sin, math.cos)]
    return [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]


def own_inertia(part):
    """Principal inertia of a homogeneous solid about its centre, along its own axes."""
    m = part.mass
    if part.kind == "box":
        x, y, z = part.size
        return [m / 12 * (y * y + z * z), m / 12 * (x * x + z * z), m / 12 * (x * x + y * y)]
    if part.kind == "cylinder":
        r, h = part.size
        return [m / 12 * (3 * r * r + h * h)] * 2 + [m / 2 * r * r]
    return [0.4 * m * part.size[0] ** 2] * 3


def lump(parts):
    """Mass, centre of mass and inertia about it (3 × 3) of parts that move as one (Steiner's theorem)."""
    mass = sum(p.mass for p in parts)
    com = [sum(p.mass * p.xyz[i] for p in parts) / mass for i in range(3)]
    total = [[0.0] * 3 for _ in range(3)]
    for p in parts:
        turn, own = rotation(p.rpy), own_inertia(p)
        d = [p.xyz[i] - com[i] for i in range(3)]
        square = sum(x * x for x in d)
        for i in range(3):
            for j in range(3):
                turned = sum(turn[i][k] * own[k] * turn[j][k] for k in range(3))
                total[i][j] += turned + p.mass * ((square if i == j else 0.0) - d[i] * d[j])
    return mass, com, total


def number(x):
    text = f"{x:.6g}"
    return "0" if text in ("-0", "0") or abs(x) < 1e-12 else text


def vector(values):
    return " ".join(number(x) for x in values)


def placed(xyz, rpy):
    turned = f' rpy="{vector(rpy)}"' if rpy != ORIGIN else ""
    return f'<origin xyz="{vector(xyz)}"{turned}/>'


def shape_element(part):
    if part.kind == "box":
        return f'<box size="{vector(part.size)}"/>'
    if part.kind == "cylinder":
        return f'<cylinder radius="{number(part.size[0])}" length="{number(part.size[1])}"/>'
    return f'<sphere radius="{number(part.size[0])}"/>'


def inertial_of(link):
    """Mass, centre of mass and inertia about it of a link; `None` if it weighs nothing."""
    if link.inertial:
        mass, com, diagonal = link.inertial
        return mass, com, [[diagonal[i] if i == j else 0.0 for j in range(3)] for i in range(3)]
    heavy = [p for p in link.parts if p.mass > 0]
    return lump(heavy) if heavy else None


def link_element(link):
    inertial = inertial_of(link)
    if not link.parts and not inertial:
        return [f"  <!-- {link.about} -->", f'  <link name="{link.name}"/>']
    lines = [f"  <!-- {link.about} -->", f'  <link name="{link.name}">']
    if inertial:
        mass, com, inertia = inertial
        entries = [("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2)]
        values = " ".join(f'{name}="{number(inertia[i][j])}"' for name, i, j in entries)
        lines += ["    <inertial>", f"      {placed(com, ORIGIN)}", f'      <mass value="{number(mass)}"/>']
        lines += [f"      <inertia {values}/>", "    </inertial>"]
    for p in [p for p in link.parts if p.seen]:
        geometry = f"<geometry>{shape_element(p)}</geometry>"
        lines.append(f'    <visual>{placed(p.xyz, p.rpy)}{geometry}<material name="{p.look}"/></visual>')
    for p in [p for p in link.parts if p.collides]:
        lines.append(f"    <collision>{placed(p.xyz, p.rpy)}<geometry>{shape_element(p)}</geometry></collision>")
    return lines + ["  </link>"]


def joint_element(joint):
    lines = [f'  <joint name="{joint.name}" type="{joint.kind}">']
    lines.append(f'    <parent link="{joint.parent}"/><child link="{joint.child}"/>{placed(joint.xyz, joint.rpy)}')
    if joint.axis:
        effort, velocity = joint.actuator
        range_ = ""
        if joint.limit:
            range_ = f'lower="{number(joint.limit[0])}" upper="{number(joint.limit[1])}" '
        lines.append(f'    <axis xyz="{vector(joint.axis)}"/>')
        lines.append(f'    <limit {range_}effort="{number(effort)}" velocity="{number(velocity)}"/>')
    if joint.mimic:
        lines.append(f'    <mimic joint="{joint.mimic[0]}" multiplier="{number(joint.mimic[1])}"/>')
    return lines + ["  </joint>"]


def urdf(name, about, colours, links, joints):
    """The whole file: the materials, then each link behind the joint that moves it."""
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f"<!-- {about} -->", f'<robot name="{name}">']
    for look, colour in colours.items():
        rgba = " ".join(f"{part:g}" for part in (*colour, 1))
        lines.append(f'  <material name="{look}"><color rgba="{rgba}"/></material>')
    above = {joint.child: joint for joint in joints}
    for link in links:
        lines.append("")
        lines += joint_element(above[link.name]) if link.name in above else []
        lines += link_element(link)
    return "\n".join(lines + ["</robot>", ""])
