#!/usr/bin/env python3
"""Checks emulated boards with a MainDevice that is not ours: SOEM 1.4 inside pysoem 1.1.13 (`pip install pysoem`).

    serve BUS.toml vb &                             # hil/examples/serve.rs, or `chiron bus CASE --interface vb`
    python3 pysoem_check.py vm [--boards 57] [--cycles 20000] [--overlap]    # needs CAP_NET_RAW

Every line is a check; the last says how many failed. `--boards` compares the number of boards found; with `--overlap` outputs
and inputs share their logical addresses.
"""

import argparse
import struct
import sys
import time

import pysoem

from drive import Drive

WALKMAN_VENDOR = 0x664
failures = 0
overlap = False
cycles = 1000


def check(what, good, detail=""):
    """Prints one line; counts failures."""
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {what}{': ' if detail != '' else ''}{detail}", flush=True)
    return good


def refused(what, code, work):
    """The work must be refused with this SDO abort code."""
    try:
        work()
    except pysoem.SdoError as error:
        return check(what, error.abort_code == code, f"{error.abort_code:#010x} {error.desc}")
    return check(what, False, "was not refused")


def words(data, form):
    return struct.unpack(form, data)[0]


def cycle(master, count=1, pause=0.0005):
    """Exchanges process data; the working counters that were not right."""
    wrong = []
    for _ in range(count):
        master.send_overlap_processdata() if overlap else master.send_processdata()
        counter = master.receive_processdata(20_000)
        if counter != master.expected_wkc:
            wrong.append(counter)
        time.sleep(pause)
    return wrong


def find(master, boards):
    count = master.config_init()
    check("boards found", count > 0 and boards in (None, count), count)
    states = {slave.state for slave in master.slaves}
    master.read_state()
    check("all in PRE-OP", all(slave.state == pysoem.PREOP_STATE for slave in master.slaves), states)


def identities(master):
    serials, wrong = [], []
    for place, slave in enumerate(master.slaves, 1):
        sii = [struct.unpack("<I", slave.eeprom_read(word)[:4])[0] for word in (8, 10, 12, 14)]
        coe = [words(slave.sdo_read(0x1018, sub), "<I") for sub in (1, 2, 3, 4)]
        soem = [slave.man, slave.id, slave.rev, sii[3]]
        if not sii == coe == soem:
            wrong.append((place, sii, coe, soem))
        serials.append(sii[3])
    check("vendor, product, revision, serial: EEPROM, object 0x1018 and SOEM agree", not wrong, wrong or "")
    check("serial numbers differ", len(set(serials)) == len(serials))
    names = [slave.sdo_read(0x1008, 0).decode() for slave in master.slaves]
    check("names (object 0x1008)", all(names) and len(set(names)) == len(names), ", ".join(names[:4]) + ", …")


def eeprom(master):
    """Walks the categories to their end marker, and writes a word and back."""
    wrong, seen = [], set()
    for slave in master.slaves:
        word, kinds = 0x40, []
        while len(kinds) < 30:
            kind, length = struct.unpack("<HH", slave.eeprom_read(word)[:4])
            if kind == 0xFFFF:
                break
            kinds.append(kind)
            word += 2 + length
        seen |= set(kinds)
        size = (struct.unpack("<H", slave.eeprom_read(0x3E)[:2])[0] + 1) * 128
        if not {10, 30, 40, 41} <= set(kinds) or len(kinds) >= 30 or 2 * word > size:
            wrong.append(kinds)
    check("EEPROM categories up to their end, within the stated size", not wrong, wrong or sorted(seen))
    slave = master.slaves[0]
    before = slave.eeprom_read(0x30)[:2]
    slave.eeprom_write(0x30, b"\x34\x12")
    written = slave.eeprom_read(0x30)[:2]
    slave.eeprom_write(0x30, before)
    check("EEPROM word written and restored", written == b"\x34\x12" and slave.eeprom_read(0x30)[:2] == before)


def dictionary(slave):
    """Every object and part that the information service names can be read, alone and, where there are parts, at once."""
    parts, refusals, whole = 0, [], 0
    for thing in slave.od:
        subs = range(len(thing.entries)) if thing.object_code != 7 else [0]
        for sub in subs:
            try:
                slave.sdo_read(thing.index, sub, 1024)
                parts += 1
            except pysoem.SdoError as error:
                if error.abort_code not in (0x06010001, 0x06090011):
                    refusals.append((hex(thing.index), sub, hex(error.abort_code)))
        if thing.object_code != 7:
            data = slave.sdo_read(thing.index, 0, 1024, ca=True)
            count = slave.sdo_read(thing.index, 0)
            whole += 1
            if data[0] != count[0]:
                refusals.append((hex(thing.index), "complete", data[:4]))
    return parts, whole, refusals


def dictionaries(master):
    kinds = {}
    for slave in master.slaves:
        kinds.setdefault((slave.man, slave.id), slave)
    for (vendor, product), slave in kinds.items():
        parts, whole, refusals = dictionary(slave)
        check(f"dictionary of {vendor:#x}/{product:#x}", parts > 20 and not refusals,
              refusals or f"{parts} parts read alone, {whole} objects at once")


def texts(master):
    """Longer than a mailbox of 128 bytes holds: lists came in fragments above; here values that are expedited or not."""
    slave = master.slaves[0]
    check("text by a normal or segmented upload", slave.sdo_read(0x1009, 0) != b"" and slave.sdo_read(0x100A, 0) != b"")
    refused("missing object", 0x06020000, lambda: slave.sdo_read(0x5FFF, 0))
    refused("missing part", 0x06090011, lambda: slave.sdo_read(0x1018, 9))
    refused("read-only object", 0x06010002, lambda: slave.sdo_write(0x1018, 1, b"\0\0\0\0"))


def remap(slave):
    """Takes the assigned PDO's entries away, puts them back one by one, then once more with complete access."""
    before = slave.sdo_read(0x1C12, 0)[0]
    assigned = [slave.sdo_read(0x1C12, sub) for sub in range(1, before + 1)]
    pdo = words(assigned[0], "<H")
    entries = [slave.sdo_read(pdo, sub) for sub in range(1, slave.sdo_read(pdo, 0)[0] + 1)]
    slave.sdo_write(0x1C12, 0, b"\0")
    slave.sdo_write(pdo, 0, b"\0")
    for sub, entry in enumerate(entries, 1):
        slave.sdo_write(pdo, sub, entry)
    slave.sdo_write(pdo, 0, bytes([len(entries)]))
    slave.sdo_write(0x1C12, 1, assigned[0])
    slave.sdo_write(0x1C12, 0, bytes([before]))
    alone = [slave.sdo_read(pdo, sub) for sub in range(1, len(entries) + 1)]
    whole = bytes([len(entries), 0]) + b"".join(entries)
    slave.sdo_write(0x1C12, 0, b"\0")
    slave.sdo_write(pdo, 0, whole, ca=True)
    slave.sdo_write(0x1C12, 0, bytes([before, 0]) + b"".join(assigned), ca=True)
    back = slave.sdo_read(pdo, 0, 1024, ca=True)
    check("mapping written entry by entry", alone == entries, f"{len(entries)} entries of {pdo:#06x}")
    check("mapping written at once, by a segmented download if need be", back == whole, f"{len(whole)} bytes")


def map_all(master):
    try:
        size = master.config_overlap_map() if overlap else master.config_map()
        check("process data mapped", size > 0, f"{size} bytes")
    except pysoem.ConfigMapError as error:
        check("process data mapped", False, [str(one) for one in error.error_list])
    boards = len(master.slaves)
    check("distributed clocks found", master.config_dc())
    delays = [words(slave._fprd(0x928, 4), "<I") for slave in master.slaves]
    grows = all(one < other for one, other in zip(delays, delays[1:]))
    check("delays grow along the cable", grows, f"{delays[1] if boards > 1 else 0} … {delays[-1]} ns")
    check("SAFE-OP", master.state_check(pysoem.SAFEOP_STATE, 2_000_000) == pysoem.SAFEOP_STATE)


def clocks(master):
    for slave in master.slaves:
        slave.dc_sync(True, 1_000_000, 200_000)
    wrong = cycle(master, 1000)
    check("working counter in SAFE-OP", not wrong, f"{master.expected_wkc} expected, wrong: {wrong[:5]}")
    differences = [words(slave._fprd(0x92C, 4), "<I") for slave in master.slaves]
    worst = max(difference & 0x7FFFFFFF for difference in differences)
    check("clocks agree after 1000 cycles", worst < 1000, f"worst 0x092C: {worst} ns")
    first = words(master.slaves[-1]._fprd(0x990, 8), "<Q")
    time.sleep(0.01)
    cycle(master)
    check("SYNC0 fires", words(master.slaves[-1]._fprd(0x990, 8), "<Q") > first)


def operational(master):
    master.state = pysoem.OP_STATE
    master.write_state()
    for _ in range(400):
        cycle(master)
        if master.state_check(pysoem.OP_STATE, 1000) == pysoem.OP_STATE:
            break
    wrong = cycle(master, cycles)
    master.read_state()
    check("OP", all(slave.state == pysoem.OP_STATE for slave in master.slaves))
    check(f"working counter in {cycles} cycles of OP", not wrong, f"{master.expected_wkc} expected, wrong: {wrong[:5]}")


def find_drive(master):
    for slave in master.slaves:
        if slave.man == WALKMAN_VENDOR or not slave.output:
            continue

        def exchange(outputs, slave=slave):
            slave.output = outputs
            cycle(master)
            return slave.input

        drive = Drive(slave.sdo_read, exchange)
        if drive.has_cyclic_positions():
            return drive
    return None


def move(master):
    drive = find_drive(master)
    if check("a CiA 402 drive with CSP", drive is not None):
        drive.move(check)


def watchdog(master):
    divider = words(master.slaves[0]._fprd(0x400, 2), "<H")
    ticks = words(master.slaves[0]._fprd(0x420, 2), "<H")
    silence = (divider + 2) * 40e-9 * ticks
    time.sleep(2 * silence + 0.2)
    master.read_state()
    driven = [slave for slave in master.slaves if slave.output]
    tripped = [slave for slave in driven if slave.state == pysoem.SAFEOP_STATE + pysoem.STATE_ERROR and slave.al_status == 0x1B]
    check("watchdogs trip without cycles", len(tripped) == len(driven), f"{len(tripped)} of {len(driven)}, {silence:.3f} s, 0x001b")
    for slave in tripped:
        slave.state = pysoem.SAFEOP_STATE + pysoem.STATE_ACK
        slave.write_state()
    cycle(master, 20)
    master.read_state()
    check("errors acknowledged", all(slave.state in (pysoem.SAFEOP_STATE, pysoem.OP_STATE) and slave.al_status == 0 for slave in master.slaves))
    operational(master)


def refusals(master):
    """A transition that the state machine does not have, and back."""
    slave = master.slaves[-1]
    master.state = pysoem.INIT_STATE
    master.write_state()
    check("all back in INIT", master.state_check(pysoem.INIT_STATE, 1_000_000) == pysoem.INIT_STATE)
    slave.state = pysoem.OP_STATE
    slave.write_state()
    slave.state_check(pysoem.OP_STATE, 20_000)
    master.read_state()
    check("INIT to OP is refused", (slave.state, slave.al_status) == (0x11, 0x11), f"{slave.state:#x}, code {slave.al_status:#x}")
    slave.state = pysoem.INIT_STATE + pysoem.STATE_ACK
    slave.write_state()
    check("and acknowledged", slave.state_check(pysoem.INIT_STATE, 100_000) == pysoem.INIT_STATE)


def main():
    global overlap, cycles
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interface")
    parser.add_argument("--boards", type=int)
    parser.add_argument("--cycles", type=int, default=cycles)
    parser.add_argument("--overlap", action="store_true")
    arguments = parser.parse_args()
    overlap, cycles = arguments.overlap, arguments.cycles
    master = pysoem.Master()
    master.open(arguments.interface)
    begin = time.monotonic()
    find(master, arguments.boards)
    for step in (identities, eeprom, dictionaries, texts):
        step(master)
    remappable = [slave for slave in master.slaves if slave.man != WALKMAN_VENDOR and slave.sdo_read(0x1C12, 0)[0]]
    if remappable:
        remap(remappable[0])
    for step in (map_all, clocks, operational, move, watchdog, refusals):
        step(master)
    master.close()
    print(f"{failures} checks failed, {time.monotonic() - begin:.1f} s")
    sys.exit(min(failures, 1))


if __name__ == "__main__":
    main()
