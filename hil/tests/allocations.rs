//! A bus cycle of the emulated boards allocates nothing, mailbox included.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../../tests/support/counting.rs"]
mod counting;
mod esc_support;

use esc_support::{Bench, MAILBOX, STATION};
use hil::virtual_bus::Passage;
use hil::wire::{Command, FrameBuilder, physical, register as reg};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

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
        let before = counting::allocations();
        assert_eq!(bench.segment.process(&mut frame, bench.now), Passage::Returned);
        bench.segment.tick(bench.now + 500_000);
        assert_eq!(counting::allocations(), before, "cycle {cycle}");
    }
    assert_eq!(bench.state(7), (8, 0));
    assert!(bench.segment.device(1).unwrap().mails > 490 && bench.segment.device(3).unwrap().syncs.len() > 490);
}
