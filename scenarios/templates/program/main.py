"""A controller for chiron: it holds the robot as it finds it, and waves. It needs nothing but Python's standard library."""

import json
import math
import sys


class Wave:
    """Holds all joints, and waves with one: a swing to both sides takes two seconds."""

    def __init__(self, robot):
        self.settings = robot["settings"]
        joints = robot["joints"]
        self.joint = [joint["name"] for joint in joints].index(self.settings["joint"])
        self.stiffness = [joint["stiffness"] for joint in joints]
        self.damping = [joint["damping"] for joint in joints]

    def reset(self, readings):
        """Begins afresh from the robot as it is now."""
        self.state = {"found": readings["joints"]["position"], "begun": readings["time_ns"], "waved": 0}

    def restore(self, state):
        """Goes on from what an earlier answer said."""
        self.state = json.loads(state)

    def update(self, readings):
        """Answers one cycle."""
        position, events = list(self.state["found"]), []
        if self.state["waved"] < self.settings["times"]:
            swings = (readings["time_ns"] - self.state["begun"]) * 1e-9 / 2.0
            position[self.joint] += self.settings["swing"] * math.sin(2.0 * math.pi * swings)
            if swings >= self.state["waved"] + 1:
                self.state["waved"] += 1
                events.append({"what": "waved"})
        return {
            "joints": {"position": position, "stiffness": self.stiffness, "damping": self.damping},
            "events": events,
            "scalars": {"wave [rad]": position[self.joint] - self.state["found"][self.joint]},
            "done": self.state["waved"] >= self.settings["times"],
            "state": json.dumps(self.state),
        }


def say(message):
    print(json.dumps(message), flush=True)


def main():
    controller = Wave(json.loads(sys.stdin.readline()))
    say({"chiron": 1})
    for line in sys.stdin:
        readings = json.loads(line)
        if readings.get("reset"):
            controller.reset(readings)
        if "state" in readings:
            controller.restore(readings["state"])
        say({"cycle": readings["cycle"], **controller.update(readings)})


main()
