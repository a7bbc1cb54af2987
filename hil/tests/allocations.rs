//! A bus cycle of the emulated boards allocates nothing, mailbox included.
#![allow(unsafe_code, reason = "counting allocations takes an allocator, whose trait is unsafe")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod esc_support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use esc_support::{Bench, MAILBOX, STATION};
use hil::virtual_bus::Passage;
use hil::wire::{Command, FrameBuilder, physical, register as reg};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_frame_and_no_tick_allocates() {
    let mut bench = Bench::in_op(8);
    bench.write(3, reg::SYNC0_CYCLE, &1_000_000_u32.to_le_bytes());
    bench.write(3, reg::SYNC_ACTIVATION, &[3]);
    let sent = FrameBuilder::new()
        .datagram(Command::Frmw, 0, physical(STATION, reg::SYSTEM_TIME), &[0; 8])
        .datagram(Command::Lrw, 1, 0, &[0; 28 * 8])
        .datagram(Command::Brd, 2, physical(0, reg::AL_STATUS), &[0; 2])
        .datagram(Command::Fpwr, 3, physical(STATION + 1, MAILBOX[0]), &[0; 128])
        .datagram(Command::Fprd, 4, physical(STATION + 1, MAILBOX[2]), &[0; 128])
        .datagram(Command::Apwr, 5, physical(0xffff, reg::STATION_ADDRESS), &(STATION + 1).to_le_bytes())
        .datagram(Command::Fpwr, 6, physical(STATION + 2, reg::AL_CONTROL), &[8, 0])
        .finish();
    let mut frame = sent.clone();
    for cycle in 0..500 {
        frame.copy_from_slice(&sent);
        bench.now += 1_000_000;
        let before = ALLOCATIONS.with(Cell::get);
        assert_eq!(bench.segment.process(&mut frame, bench.now), Passage::Returned);
        bench.segment.tick(bench.now + 500_000);
        assert_eq!(ALLOCATIONS.with(Cell::get), before, "cycle {cycle}");
    }
    assert_eq!(bench.state(7), (8, 0));
    assert!(bench.segment.device(1).unwrap().mails > 490 && bench.segment.device(3).unwrap().syncs.len() > 490);
}
