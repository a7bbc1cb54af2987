#!/usr/bin/env python3
"""Checks emulated boards with KickCAT's MainDevice (`pip install kickcat`, 2.5): boards found, dictionary, OP, process data,
a drive moved.

    serve BUS.toml vb --seconds 60 &
    python3 kickcat_check.py vm [--boards 57] [--cycles 20000]
"""

import argparse
import sys
import time
from datetime import timedelta

import kickcat

from drive import Drive

failures = 0


def check(what, good, detail=""):
    global failures
    failures += not good
    print(f"{'ok  ' if good else 'FAIL'} {what}{': ' if detail != '' else ''}{detail}", flush=True)



def cycles(bus, count):
    """Process data; the number of cycles with an error."""
    wrong = 0

    def note(*_):
        nonlocal wrong
        wrong += 1

    for _ in range(count):
        bus.send_logical_read(note)
        bus.send_logical_write(note)
        bus.finalize_datagrams()
        bus.process_awaiting_frames()
        time.sleep(0.001)
    return wrong


def move(bus, boards):
    for board in boards:

        def read(index, sub, board=board):
            return bytes(bus.read_sdo(board, index, sub, kickcat.Access.PARTIAL, 64, timedelta(seconds=1)))

        def exchange(outputs, board=board):
            board.set_output_bytes(outputs)
            cycles(bus, 1)
            return bytes(board.input_data)

        if not board.output_size:
            continue
        drive = Drive(read, exchange)
        if drive.has_cyclic_positions():
            return drive.move(check)
    check("a CiA 402 drive with CSP", False)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("interface")
    parser.add_argument("--boards", type=int)
    parser.add_argument("--cycles", type=int, default=1000)
    arguments = parser.parse_args()
    link = kickcat.create_link(arguments.interface, "")
    link.set_timeout(timedelta(milliseconds=20))  # its own 2 ms are short on a busy machine
    bus = kickcat.Bus(link)
    bus.init(timedelta(milliseconds=100))
    boards = bus.slaves()
    check("boards found and in PRE-OP", len(boards) > 0 and arguments.boards in (None, len(boards)), len(boards))
    names = [bus.read_sdo(board, 0x1008, 0, kickcat.Access.PARTIAL, 64, timedelta(seconds=1)) for board in boards]
    check("names (object 0x1008)", all(names), names[:3])
    serials = [bus.read_sdo(board, 0x1018, 4, kickcat.Access.PARTIAL, 4, timedelta(seconds=1)) for board in boards]
    check("serial numbers (object 0x1018) differ", len(set(serials)) == len(boards))
    whole = bus.read_sdo(boards[-1], 0x1018, 0, kickcat.Access.COMPLETE, 64, timedelta(seconds=1))
    check("complete access", len(whole) >= 18 and whole[0] == 4, whole.hex())
    check("descriptions", True, (bus.read_object_description(boards[0], 0x1018), bus.read_entry_description(boards[0], 0x1018, 1)))
    bus.create_mapping()
    bus.request_state(kickcat.State.SAFE_OP)
    bus.wait_for_state(kickcat.State.SAFE_OP, timedelta(seconds=2))
    check("SAFE-OP", True)
    wrong = cycles(bus, 200)
    check("process data in SAFE-OP", wrong == 0, f"{wrong} errors")
    bus.request_state(kickcat.State.OPERATIONAL)
    bus.wait_for_state(kickcat.State.OPERATIONAL, timedelta(seconds=2), lambda: cycles(bus, 1))
    check("OP", all(bus.get_state(board) == kickcat.State.OPERATIONAL for board in boards))
    wrong = cycles(bus, arguments.cycles)
    check("process data in OP", wrong == 0, f"{wrong} errors in {arguments.cycles} cycles")
    move(bus, boards)
    bus.request_state(kickcat.State.INIT)
    bus.wait_for_state(kickcat.State.INIT, timedelta(seconds=2))
    print(f"{failures} checks failed")
    sys.exit(min(failures, 1))


if __name__ == "__main__":
    main()
