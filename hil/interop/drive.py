"""A CiA 402 drive as any MainDevice sees it: its process data by object, and a way up and along with cyclic positions."""

import struct

CONTROL, STATUS, MODE, TARGET, ACTUAL, GAINS = 0x6040, 0x6041, 0x6060, 0x607A, 0x6064, 0x2010
CSP = 8
# distances and increments a cycle; what may be left of them. A loop of the drive's own reaches its target against friction, gains
# that are mapped are no more than what they are.
OWN_LOOP = (((4000, 20), (30, 30), (150, 150), (-4180, 20)), 10)
MAPPED_GAINS = (((4000, 20), (-4000, 20)), 200)


class Drive:
    """`read(index, sub)` uploads an object; `exchange(outputs)` makes one bus cycle and gives the inputs."""

    def __init__(self, read, exchange):
        self.read, self.exchange = read, exchange
        (self.outputs, length), (self.inputs, _) = self.places(0x1C12), self.places(0x1C13)
        self.data, self.seen = bytearray(length), b""

    def places(self, assignment):
        places, bit = {}, 0
        for sub in range(1, self.read(assignment, 0)[0] + 1):
            pdo = struct.unpack("<H", self.read(assignment, sub)[:2])[0]
            for part in range(1, self.read(pdo, 0)[0] + 1):
                entry = struct.unpack("<I", self.read(pdo, part)[:4])[0]
                place = (bit // 8, (entry & 0xFF) // 8)
                places.setdefault(entry >> 16, place)
                places[entry >> 16, entry >> 8 & 0xFF] = place
                bit += entry & 0xFF
        return places, bit // 8

    def has_cyclic_positions(self):
        return {CONTROL, TARGET} <= set(self.outputs) and {STATUS, ACTUAL} <= set(self.inputs)

    def put(self, index, value):
        at, size = self.outputs[index]
        self.data[at:at + size] = value.to_bytes(size, "little", signed=value < 0)

    def get(self, index, signed=True):
        at, size = self.inputs[index]
        return int.from_bytes(self.seen[at:at + size], "little", signed=signed)

    def cycle(self, count=1):
        for _ in range(count):
            self.seen = self.exchange(bytes(self.data))

    def wait(self, done, most=5000):
        for _ in range(most):
            self.cycle()
            if done():
                return True
        return False

    def move(self, check):
        """On, by some distances, each reached, and off again."""
        steps, reach = OWN_LOOP
        if MODE in self.outputs:
            self.put(MODE, CSP)
        self.cycle(5)
        if self.get(STATUS, False) & 0x4F == 0x08:
            self.put(CONTROL, 0x80)
            check("fault reset", self.wait(lambda: self.get(STATUS, False) & 0x4F == 0x40))
        target = self.get(ACTUAL)
        self.put(TARGET, target)
        for control, value in [(0x06, 0x21), (0x07, 0x23), (0x0F, 0x27)]:
            self.put(CONTROL, control)
            if not self.wait(lambda: self.get(STATUS, False) & 0x6F == value):
                return check("statusword on the way up", False, f"{self.get(STATUS, False):#06x} after {control:#04x}")
        check("drive in operation enabled", True, f"statusword {self.get(STATUS, False):#06x}")
        if (GAINS, 1) in self.outputs:  # our own drives may get stiffness and damping each cycle; others keep their own
            steps, reach = MAPPED_GAINS
            self.put((GAINS, 1), struct.unpack("<I", struct.pack("<f", 100.0))[0])
            self.put((GAINS, 2), struct.unpack("<I", struct.pack("<f", 1.0))[0])
        for distance, step in steps:
            goal = target + distance
            while target != goal:
                target += max(-step, min(step, goal - target))
                self.put(TARGET, target)
                self.cycle()
            reached = self.wait(lambda: abs(self.get(ACTUAL) - goal) <= reach)
            check(f"target {distance} increments away reached", reached, f"{self.get(ACTUAL)}, target {goal}")
        self.put(CONTROL, 0x06)
        check("and off again", self.wait(lambda: self.get(STATUS, False) & 0x6F == 0x21))
