#!/usr/bin/env python3
"""Every reading and command of a log, at full rate and to the bit: the channel /io, decoded as SPEC.md describes it.

    decode_io.py run.mcap                          the signals with their units
    decode_io.py run.mcap left_knee imu            values of the signals whose names contain a text, as CSV
    decode_io.py run.mcap --all > run.csv          all of them

It needs the package `mcap` (pip install mcap), which unpacks the file; what is below needs Python's own library only.
In a program: `for signals in cycles("run.mcap"): signals["readings/joints/left_knee/position"]`.
"""

import csv
import struct
import sys

MASK = (1 << 64) - 1
# what stands behind the flags of an operator's input while there is one
TWIST = [("f64", "x"), ("f64", "y"), ("f64", "yaw")]
REQUEST = [("u64", "code"), ("f64", "x"), ("f64", "y"), ("f64", "yaw")]
REQUEST_WITH_NAME = [("u64", f"name/{word}") for word in range(6)] + [("f64", "value")]
MOVE_JOINT = 5
UNITS = {
    "time": "ns", "stamp": "ns", "position": "rad or m", "velocity": "rad/s or m/s", "effort": "N·m or N",
    "stiffness": "N·m/rad or N/m", "damping": "N·m·s/rad or N·s/m", "temperature": "°C", "voltage": "V", "current": "A",
}


class Words:
    """Unpacks messages, one after the other; each is predicted from the two before it."""

    def __init__(self):
        self.last, self.step, self.expected = [], [], []

    def unpack(self, message):
        kind, count = struct.unpack_from("<BI", message)
        if kind == 1:
            self.last, self.step, self.expected = [], [], []
        elif kind != 0 or not self.expected:
            raise ValueError(f"expected a message that stands alone (1) or continues another (0), found kind {kind}")
        if (count + 7) // 8 > len(message) - 5:
            raise ValueError(f"expected {count} words, found {len(message)} bytes")
        for words in (self.last, self.step, self.expected):
            del words[count:]
            words.extend([0] * (count - len(words)))
        at = 5
        for first in range(0, count, 8):
            mask = message[at]
            at += 1
            for index in range(first, min(first + 8, count)):
                word = self.expected[index]
                if mask >> (index - first) & 1:
                    skipped, kept = message[at] >> 4, message[at] & 15
                    word ^= int.from_bytes(message[at + 1 : at + 1 + kept], "little") << 8 * skipped
                    at += 1 + kept
                self.learn(index, word)
        if at != len(message):
            raise ValueError(f"expected the end of the message at byte {at}, found {len(message)} bytes")
        return self.last

    def learn(self, index, word):
        step = word - self.last[index] & MASK
        self.expected[index] = word + step & MASK if step == self.step[index] else word
        self.step[index], self.last[index] = step, word


def layout(schema):
    """The (kind, name) of every word, as the channel's schema lists them."""
    lines = (line.split(" ", 2) for line in schema.splitlines())
    return [(line[1], line[2]) for line in lines if len(line) == 3 and line[0].isdigit() and line[1] in ("u64", "f64")]


def signals(words, fields):
    """Names and values of a cycle. Digests of scans and pictures, which stand behind all other words, are left out."""
    values, at = {}, 0

    def take(kind, name):
        nonlocal at
        word = words[at]
        at += 1
        values[name] = struct.unpack("<d", struct.pack("<Q", word))[0] if kind == "f64" else word
        return word

    def take_all(prefix, extra):
        for kind, name in extra:
            take(kind, f"{prefix}/{name}")

    for kind, name in fields:
        word = take(kind, name)
        if word and name.endswith("operator/twist"):
            take_all(name, TWIST)
        elif word and name.endswith("operator/request"):
            take_all(name, REQUEST)
            if values[f"{name}/code"] >= MOVE_JOINT:
                take_all(name, REQUEST_WITH_NAME)
    return values


def unit(name):
    parts = name.split("/")
    if "angular_velocity" in parts:
        return "rad/s"
    if "linear_acceleration" in parts:
        return "m/s²"
    if "force" in parts:
        return "N"
    if "torque" in parts:
        return "N·m"
    if "twist" in parts:
        return {"x": "m/s", "y": "m/s", "yaw": "rad/s"}.get(parts[-1], "")
    return UNITS.get(parts[-1], "")


def cycles(path):
    """The signals of every cycle of a log: name -> value."""
    from mcap.reader import make_reader

    with open(path, "rb") as file:
        words, fields = Words(), None
        for schema, channel, message in make_reader(file).iter_messages(topics=["/io"], log_time_order=False):
            if channel.message_encoding != "chiron":
                raise ValueError(f"expected /io in the encoding 'chiron', found '{channel.message_encoding}'")
            fields = fields or layout(schema.data.decode())
            yield signals(words.unpack(message.data), fields)


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 0
    path, wanted = arguments[0], arguments[1:]
    try:
        rows = cycles(path)
        if not wanted:
            for name, value in next(rows).items():
                print(f"{name} [{unit(name)}] = {value}" if unit(name) else f"{name} = {value}")
            return 0
        table, names = csv.writer(sys.stdout), None
        for row in rows:
            if names is None:
                names = [name for name in row if "--all" in wanted or any(text in name for text in wanted)]
                if not names:
                    raise ValueError(f"expected a part of a signal's name, found {' '.join(wanted)}")
                table.writerow(["time [s]"] + [f"{name} [{unit(name)}]" if unit(name) else name for name in names])
            table.writerow([row["readings/time"] / 1e9] + [row.get(name) for name in names])
    except ModuleNotFoundError:
        print("this needs the package mcap: pip install mcap", file=sys.stderr)
        return 2
    except (OSError, ValueError) as error:
        print(f"{path}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
