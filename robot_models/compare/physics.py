#!/usr/bin/env python3
"""Plays the cases of the validation book (`sim/validation`) in MuJoCo, and prints its errors as `sim/validation/src/mujoco.toml`.

    robot_models/compare/physics.py > out/mujoco.toml && mv out/mujoco.toml sim/validation/src/mujoco.toml

Same bodies, same beginnings, 1 ms a step, PyPI `mujoco-core` in the virtual environment of `speed.py`, implicitfast. Twice: with MuJoCo's
defaults, and as its documentation advises against slip (elliptic cones, impratio 100, 20 iterations without slip). MuJoCo has no coefficient
of restitution: the spring and the damper of a contact are set to what gives the same one to two bodies that nothing else touches.
"""

import math
import sys

from speed import enter_venv

GRAVITY = 9.81
# Of a contact that bounces [1/s²]: it lasts 10 steps
SPRING = 1e5
SETTINGS = {"defaults": "", "against_slip": 'cone="elliptic" impratio="100" noslip_iterations="20"'}


def main():
    enter_venv()
    import mujoco

    print(f'# MuJoCo in the cases of the book, by robot_models/compare/physics.py\nversion = "{mujoco.__version__}"')
    for name, options in SETTINGS.items():
        print(f"\n[{name}]")
        for case in CASES:
            print(f"{case.__name__} = {case(options):.3e}", flush=True)


class Scene:
    """A model with its state; `bodies` are the children of its world, `more` what stands beside it."""

    def __init__(self, options, bodies, more="", gravity=(0, 0, -GRAVITY), step=1e-3, integrator="implicitfast"):
        import mujoco

        self.mujoco = mujoco
        down = " ".join(map(str, gravity))
        self.model = mujoco.MjModel.from_xml_string(
            f'<mujoco><compiler angle="radian" autolimits="false"/><option timestep="{step}" integrator="{integrator}" gravity="{down}" {options}/>'
            f"<worldbody>{bodies}</worldbody>{more}</mujoco>")
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)

    def run(self, seconds):
        for _ in range(round(seconds / self.model.opt.timestep)):
            self.step()

    def step(self):
        self.mujoco.mj_step(self.model, self.data)

    def forward(self):
        self.mujoco.mj_forward(self.model, self.data)

    def places(self):
        """Where the bodies are, after the last step."""
        self.mujoco.mj_kinematics(self.model, self.data)
        return self.data.xpos[1:].copy()


SPACE = (0, 0, 0)


def inertial(mass, moments, com=(0, 0, 0)):
    return f'<inertial mass="{mass}" pos="{text(com)}" diaginertia="{text(moments)}"/>'


def text(numbers):
    return " ".join(repr(float(number)) for number in numbers)


def box_moments(mass, edges):
    x, y, z = (edge * edge for edge in edges)
    return [mass / 12 * (y + z), mass / 12 * (x + z), mass / 12 * (x + y)]


def box(mass, edges, at, quaternion=(1, 0, 0, 0), more=""):
    half = text(edge / 2 for edge in edges)
    return (f'<body pos="{text(at)}" quat="{text(quaternion)}"><freejoint/>{inertial(mass, box_moments(mass, edges))}'
            f'<geom type="box" size="{half}" {more}/></body>')


def ball(mass, radius, at, more=""):
    return (f'<body pos="{text(at)}"><freejoint/>{inertial(mass, [0.4 * mass * radius * radius] * 3)}'
            f'<geom type="sphere" size="{radius}" {more}/></body>')


def floor(more, angle=0.0):
    return f'<geom type="plane" size="0 0 1" quat="{text([math.cos(angle / 2), 0, math.sin(angle / 2), 0])}" {more}/>'


def rough(friction, restitution=0.0):
    """Friction of a geom, and a restitution as spring and damper."""
    more = f'friction="{friction} 0 0"'
    if restitution > 0:
        low, high = 0.0, 10.0
        while high - low > 1e-9:
            middle = (low + high) / 2
            low, high = (middle, high) if given_back(middle) > restitution else (low, middle)
        more += f' solref="{-SPRING} {-2 * low * math.sqrt(SPRING)}" solimp="0.99 0.99 0.001"'
    return more


def given_back(ratio):
    """The restitution of a spring with a damper of this damping ratio that only pushes (Schwager and Pöschel, Granular Matter 9, 2007)."""
    if ratio >= 1:
        over = math.sqrt(ratio * ratio - 1)
        return math.exp(-ratio / over * math.log((ratio + over) / (ratio - over))) if over > 0 else math.exp(-2)
    under = math.sqrt(1 - ratio * ratio)
    return math.exp(-ratio / under * (math.pi - math.atan2(2 * ratio * under, under * under - ratio * ratio)))


def share(found, right):
    return abs(found / right - 1)


def distance(one, other):
    return math.dist(one, other)


def crossings(scene, read, count, limit=60.0):
    """When a number has passed zero so often: each pass with whether it fell."""
    found = []
    while len(found) < count and scene.data.time < limit:
        before, at = read(), scene.data.time
        scene.step()
        after = read()
        if before * after < 0:
            found.append((at + scene.model.opt.timestep * before / (before - after), after < before))
    return found


def quarter_period(modulus):
    a, b = 1.0, math.sqrt(1 - modulus)
    for _ in range(8):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / 2 / a


def parabola(options):
    scene = Scene(options, box(3, [0.1, 0.2, 0.3], [0, 0, 0]))
    scene.data.qvel[:3] = [3, -2, 5]
    scene.run(1)
    return distance(scene.data.qpos[:3], [3, -2, 5 - GRAVITY / 2])


HANDLE, HANDLE_SPIN = [0.3, 0.2, 0.05], [0.1, 8.0, 0.0]


def handle(options):
    scene = Scene(options, box(1, HANDLE, [0, 0, 0]), gravity=SPACE)
    scene.data.qvel[3:6] = HANDLE_SPIN
    return scene


def middle_axis(options):
    scene = handle(options)
    passes = crossings(scene, lambda: scene.data.qvel[4], 3)
    # Landau and Lifshitz, § 37, with 1 and 3 exchanged
    moments = box_moments(1, HANDLE)
    low, middle, high = moments[2], moments[1], moments[0]
    energy = sum(moment * spin**2 for moment, spin in zip(moments, HANDLE_SPIN))
    square = sum((moment * spin) ** 2 for moment, spin in zip(moments, HANDLE_SPIN))
    from_low, to_high = square - energy * low, energy * high - square
    rate = math.sqrt((high - middle) * from_low / (low * middle * high))
    modulus = (middle - low) * to_high / ((high - middle) * from_low)
    return share(passes[2][0], 5 * quarter_period(modulus) / rate)


def middle_axis_spin(options):
    scene = handle(options)
    spin = lambda: momenta(scene)[3:]
    begin = spin()
    scene.run(10)
    return distance(spin(), begin) / math.hypot(*begin)


def momenta(scene):
    """Linear momentum and angular momentum about the centre of mass of all."""
    scene.forward()
    scene.mujoco.mj_subtreeVel(scene.model, scene.data)
    return [*(scene.data.subtree_linvel[1] * scene.model.body_subtreemass[1]), *scene.data.subtree_angmom[1]]


def floating(options, velocity, step=1e-3, integrator="implicitfast"):
    arms = ""
    for side in (-1, 1):
        inner = ""
        for number, axis in reversed(list(enumerate(["1 0 0", "0 1 0", "0 0 1"]))):
            at = [0, 0.2 * side, 0.2] if number == 0 else [0, 0.3 * side, 0]
            inner = (f'<body pos="{text(at)}"><joint type="hinge" axis="{axis}"/>'
                     f"{inertial(2, [0.02, 0.004, 0.02], [0.02, 0.15 * side, 0.01])}{inner}</body>")
        arms += inner
    trunk = inertial(10, box_moments(10, [0.3, 0.4, 0.6]))
    scene = Scene(options, f"<body><freejoint/>{trunk}{arms}</body>", gravity=SPACE, step=step, integrator=integrator)
    scene.data.qpos[7 + 2], scene.data.qpos[7 + 5] = 0.7, -0.4
    scene.data.qvel[:6] = [*velocity, 0.3, -0.5, 1.0]
    scene.data.qvel[6:] = [3.0 - 0.7 * number for number in range(6)]
    return scene


def floating_momentum(options):
    scene = floating(options, [300, 0, 0])
    begin = momenta(scene)
    scene.run(2)
    end = momenta(scene)
    return max(distance(end[:3], begin[:3]) / math.hypot(*begin[:3]), distance(end[3:], begin[3:]) / math.hypot(*begin[3:]))


def floating_chain(options):
    found, right = floating(options, SPACE), floating(options, SPACE, 1e-5, "RK4")
    found.run(0.5)
    right.run(0.5)
    return float(max(abs(found.data.qpos[7:] - right.data.qpos[7:])))


def pendulum(options):
    bob = inertial(1, [1e-9] * 3, [0, 0, -1])
    scene = Scene(options, f'<body pos="0 0 2"><joint type="hinge" axis="0 1 0"/>{bob}</body>')
    scene.data.qpos[0] = 1.0
    falls = [time for time, falls in crossings(scene, lambda: scene.data.qpos[0], 22) if falls]
    return share((falls[10] - falls[0]) / 10, 4 * math.sqrt(1 / GRAVITY) * quarter_period(math.sin(0.5) ** 2))


def top(options):
    mass, lever, radius, speed, lean = 0.5, 0.06, 0.05, 400.0, 0.5
    moments = [0.5 * mass * radius * radius * part for part in (0.5, 0.5, 1)]
    fork = inertial(1e-6, [1e-9] * 3)
    scene = Scene(options, f'<body><joint type="hinge" axis="0 0 1"/>{fork}<body><joint type="hinge" axis="0 1 0"/>{fork}'
                           f'<body><joint type="hinge" axis="0 0 1"/>{inertial(mass, moments, [0, 0, lever])}</body></body></body>')
    across, along, weight = moments[0] + mass * lever**2, moments[2] * speed, mass * GRAVITY * lever
    cosine = math.cos(lean)
    rate = (along - math.sqrt(along**2 - 4 * across * weight * cosine)) / (2 * across * cosine)
    scene.data.qpos[1] = lean
    scene.data.qvel[:] = [rate, 0, speed - rate * cosine]
    scene.run(2)
    return share(scene.data.qpos[0], rate * 2)


def damper(options):
    worst = 0.0
    for damping in (0.1, 10, 1e4):
        wheel = f'<body><joint type="hinge" axis="0 0 1" damping="{damping}"/>{inertial(1, [0.1] * 3)}</body>'
        scene = Scene(options, wheel, gravity=SPACE)
        scene.data.qvel[0] = 5.0
        for _ in range(20):
            scene.step()
            worst = max(worst, abs(scene.data.qvel[0] - 5 * math.exp(-damping * scene.data.time / 0.1)))
    return worst


def bar(mass, at, com, inner="", name=""):
    return f'<body pos="{text(at)}" name="{name}"><joint type="hinge" axis="0 1 0" name="{name}"/>{inertial(mass, [0.01 * mass] * 3, com)}{inner}</body>'


def four_bar(options):
    rocker = bar(0.8, [0.5, 0, 0], [0, 0, -0.2], '<site name="end" pos="0 0 -0.4"/>', "rocker")
    bars = bar(0.5, [0, 0, 0], [0, 0, 0.1], bar(1, [0, 0, 0.2], [0.25, 0, 0], rocker, "coupler"), "crank")
    pin = '<equality><connect body1="rocker" anchor="0 0 -0.4"/></equality>'
    scene = Scene(options, bars, pin, gravity=SPACE)
    scene.data.qvel[:] = [4, -4, 2]
    worst = 0.0
    while scene.data.time < 2:
        scene.step()
        scene.mujoco.mj_kinematics(scene.model, scene.data)
        worst = max(worst, distance(scene.data.site_xpos[0], [0.5, 0, -0.2]))
    return worst


def geared(options):
    arms = bar(1, [0, 0, 0], [0.4, 0, 0], name="master") + bar(1, [0, 1, 0], [0.4, 0, 0], name="follower")
    coupling = '<equality><joint joint1="follower" joint2="master" polycoef="0 2 0 0 0"/></equality>'
    scene = Scene(options, arms, coupling)
    scene.run(0.01)
    right = GRAVITY * 0.4 * 3 / ((0.4 * 0.4 + 0.01) * 5)
    return share(scene.data.qvel[0] / 0.01, right)


def bounce_whole(options):
    more = rough(0.5, 0.999999)
    scene = Scene(options, floor(more) + ball(0.3, 0.05, [0, 0, 0.55], more))
    energy = lambda: 0.3 * GRAVITY * scene.data.qpos[2] + 0.15 * float(scene.data.qvel[:3] @ scene.data.qvel[:3])
    begin = energy()
    scene.run(20)
    return share(energy(), begin)


def bounce_tenth(options):
    more = rough(0.5, 0.1)
    scene = Scene(options, floor(more) + ball(0.3, 0.05, [0, 0, 1.05], more))
    while scene.data.qvel[2] <= 0 and scene.data.time < 5:
        scene.step()
    highest = 0.0
    while scene.data.qvel[2] > 0:
        highest = max(highest, scene.data.qpos[2] - 0.05)
        scene.step()
    return share(highest, 0.01)


def cradle(options):
    row = "".join(ball(0.1, 0.02, [-0.1 if number == 0 else 0.04 * number, 0, 0], rough(0.3, 0.999999)) for number in range(5))
    scene = Scene(options, row, gravity=SPACE)
    scene.data.qvel[0] = 1.0
    scene.run(0.3)
    velocities = [scene.data.qvel[6 * number:6 * number + 3] for number in range(5)]
    return max(distance(velocity, [float(number == 4), 0, 0]) for number, velocity in enumerate(velocities))


def billiards(options):
    more = rough(1e-5, 0.999999)
    scene = Scene(options, ball(0.17, 0.03, [0, 0, 0], more) + ball(0.17, 0.03, [-0.2, 0.025, 0], more), gravity=SPACE)
    scene.data.qvel[6] = 2.0
    scene.run(0.3)
    one, two = scene.data.qvel[:3], scene.data.qvel[6:9]
    return abs(float(one @ two)) / (math.hypot(*one) * math.hypot(*two))


def light_on_heavy(options):
    light, heavy, velocity, restitution = 0.1, 100.0, 3.0, 0.5
    more = rough(0.3, restitution)
    scene = Scene(options, ball(light, 0.03, [-0.2, 0, 0], more) + ball(heavy, 0.1, [0, 0, 0], more), gravity=SPACE)
    scene.data.qvel[0] = velocity
    scene.run(0.2)
    middle, back = light * velocity / (light + heavy), restitution * velocity / (light + heavy)
    return max(distance(scene.data.qvel[:3], [middle - back * heavy, 0, 0]), distance(scene.data.qvel[6:9], [middle + back * light, 0, 0]))


def on_slope(options, friction, steep):
    angle = math.atan(friction * steep)
    at = [0.05 * math.sin(angle), 0, 0.05 * math.cos(angle)]
    more = rough(friction)
    turned = [math.cos(angle / 2), 0, math.sin(angle / 2), 0]
    return Scene(options, floor(more, angle) + box(2, [0.3, 0.2, 0.1], at, turned, more)), angle


def slope_holds(options):
    worst = 0.0
    for friction in (0.1, 0.5, 1.0):
        scene, _ = on_slope(options, friction, 0.98)
        begin = scene.data.qpos[:3].copy()
        scene.run(10)
        worst = max(worst, distance(scene.data.qpos[:3], begin))
    return worst


def slope_slides(options):
    worst = 0.0
    for friction in (0.1, 0.5, 1.0):
        scene, angle = on_slope(options, friction, 1.02)
        scene.run(2)
        right = GRAVITY * (math.sin(angle) - friction * math.cos(angle)) * 2
        worst = max(worst, share(math.hypot(*scene.data.qvel[:3]), right))
    return worst


def stops(options):
    more = rough(0.3)
    scene = Scene(options, floor(more) + box(2, [0.3, 0.2, 0.1], [0, 0, 0.05], more=more))
    scene.data.qvel[0] = 2.0
    scene.run(2)
    return share(scene.data.qpos[0], 4 / (2 * 0.3 * GRAVITY))


def slides_into_rolling(options):
    more = rough(0.2)
    scene = Scene(options, floor(more) + ball(0.2, 0.03, [0, 0, 0.03], more))
    scene.data.qvel[0] = 1.4
    scene.run(1)
    return max(share(scene.data.qvel[0], 1.0), share(scene.data.qvel[4] * 0.03, 1.0))


def rolls_down(options):
    angle, more = math.radians(20), rough(1.0)
    scene = Scene(options, floor(more, angle) + ball(0.2, 0.03, [0.03 * math.sin(angle), 0, 0.03 * math.cos(angle)], more))
    scene.run(1)
    return share(math.hypot(*scene.data.qvel[:3]), 5 / 7 * GRAVITY * math.sin(angle))


def farthest(scene, seconds, measure=lambda gone: math.hypot(*gone)):
    begin = scene.places()
    scene.run(seconds)
    return max(measure(gone) for gone in scene.places() - begin)


def tower(options):
    more = rough(0.5)
    boxes = "".join(box(1, [0.2, 0.2, 0.1], [0, 0, 0.05 + 0.1 * number], more=more) for number in range(20))
    return farthest(Scene(options, floor(more) + boxes), 60, lambda gone: math.hypot(*gone[:2]))


def heavy_on_light(options):
    more = rough(0.5)
    boxes = box(1, [0.2, 0.2, 0.1], [0, 0, 0.05], more=more) + box(100, [0.2, 0.2, 0.2], [0, 0, 0.2], more=more)
    return farthest(Scene(options, floor(more) + boxes), 5)


def arch(options):
    stones, radius, thick, deep = 9, 1.0, 0.2, 0.2
    half, more = math.pi / 2 / stones, rough(0.7)
    corners = [
        [(radius + out) * math.cos(half) - radius, along, side * (radius + out) * math.sin(half)]
        for out in (-thick / 2, thick / 2) for along in (-deep / 2, deep / 2) for side in (-1, 1)
    ]
    mesh = f'<asset><mesh name="stone" vertex="{text(number for corner in corners for number in corner)}"/></asset>'
    weight = inertial(10, box_moments(10, [thick, deep, 2 * radius * math.tan(half)]))
    bodies = ""
    for number in range(stones):
        angle = half * (2 * number + 1)
        at, turn = [radius * math.cos(angle), 0, radius * math.sin(angle)], [math.cos(angle / 2), 0, -math.sin(angle / 2), 0]
        bodies += f'<body pos="{text(at)}" quat="{text(turn)}"><freejoint/>{weight}<geom type="mesh" mesh="stone" {more}/></body>'
    scene = Scene(options, floor(more) + bodies, mesh)
    return farthest(scene, 60)


def grasp(options, steep):
    mass, width, force = 0.3, 0.08, 10.0
    more = rough(steep * mass * GRAVITY / (2 * force))
    finger = lambda side, name: (
        f'<body pos="{side * (width / 2 + 0.01)} 0 0"><joint name="{name}" type="slide" axis="1 0 0" armature="2"/>{inertial(0.05, [1e-5] * 3)}'
        f'<geom type="box" size="0.01 0.01 0.01" {more}/></body>')
    motors = '<actuator><motor joint="left"/><motor joint="right"/></actuator>'
    scene = Scene(options, box(mass, [width, width, 0.1], [0, 0, 0], more=more) + finger(-1, "left") + finger(1, "right"), motors)
    scene.data.ctrl[:] = [force, -force]
    return scene


def grasp_holds(options):
    scene = grasp(options, 1.02)
    scene.run(60)
    return math.hypot(*scene.data.qpos[:3])


def grasp_slips(options):
    scene = grasp(options, 0.98)
    scene.run(0.5)
    return share(-scene.data.qpos[2], 0.5 * 0.02 * GRAVITY * 0.25)


CASES = [
    parabola, middle_axis, middle_axis_spin, floating_momentum, floating_chain, pendulum, top, damper, four_bar, geared, bounce_whole, bounce_tenth,
    cradle, billiards, light_on_heavy, slope_holds, slope_slides, stops, slides_into_rolling, rolls_down, tower, heavy_on_light, arch, grasp_holds,
    grasp_slips,
]

if __name__ == "__main__":
    sys.exit(main())
