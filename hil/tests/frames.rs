//! Frames that nobody would send, and how long frames take that everybody sends.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod esc_support;

use std::time::Instant;

use esc_support::storm::{self, Dice};
use esc_support::{Bench, STATION, pass_any};
use hil::virtual_bus::Passage;
use hil::wire::{Command, FrameBuilder, physical, register as reg};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn boards_in_op_stand_any_frames(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let mut bench = Bench::in_op(4);
        for _ in 0..200 {
            bench.now += dice.below(2_000_000);
            let mut frame = storm::frame(&mut dice, 4);
            pass_any(&mut bench.segment, &mut frame, bench.now);
            if dice.one_in(50) {
                bench.segment.cut_after(Some(dice.below(5) as usize).filter(|board| *board < 4));
                bench.segment.set_power(dice.below(5) as usize, dice.one_in(2));
            }
            if dice.one_in(20) {
                bench.segment.tick(bench.now);
            }
        }
    }

    #[test]
    fn any_bytes_behind_the_ethertype_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut bench = Bench::in_op(2);
        let mut frame = vec![0xff; 12];
        frame.extend_from_slice(&[0x88, 0xa4]);
        frame.extend_from_slice(&bytes);
        pass_any(&mut bench.segment, &mut frame, 5_000);
    }
}

/// Physical address plus length beyond 64 KiB: a slice of the memory would panic, wrapping would hit register 0.
#[test]
fn an_fmmu_at_the_end_of_the_address_space_reaches_nothing() {
    let mut bench = Bench::in_op(1);
    for (start, first_bit) in [(0xfff0, 0), (0xffff, 3), (0x2ff8, 0), (0x2ff8, 5)] {
        let mut unit = Bench::fmmu(0x5000, 64, start, 3);
        unit[6] = first_bit;
        assert_eq!(bench.write(0, reg::FMMU + 32, &unit), 1);
        let before = bench.read(0, 0, 16).1;
        let counted = bench.send(Command::Lrw, 0x5000, &[0xff; 64]).0;
        assert_eq!(counted, if start == 0x2ff8 { 3 } else { 0 }, "{start:#06x}");
        assert_eq!(bench.read(0, 0, 16).1, before, "register 0 is not where the memory goes on");
    }
}

/// The two frames of a cycle: clock and process data, then the state of every board.
fn cycle(boards: usize) -> [Vec<u8>; 2] {
    let clock = physical(STATION, reg::SYSTEM_TIME);
    let data = FrameBuilder::new().datagram(Command::Frmw, 0, clock, &[0; 8]);
    let data = data.datagram(Command::Lrw, 1, 0, &vec![0; (28 * boards).min(1466)]);
    let states = (0..boards as u16).fold(FrameBuilder::new(), |frame, board| {
        frame.datagram(Command::Fprd, 2, physical(STATION + board, reg::AL_STATUS), &[0; 2])
    });
    [data.finish(), states.finish()]
}

/// 57 boards: 1466 bytes of process data, the clock, 57 states. The bound is wide because machines differ and share; the
/// number is printed.
#[test]
fn a_cycle_of_57_boards_takes_microseconds() {
    let mut bench = Bench::in_op(57);
    let sent = cycle(57);
    let mut best = [u128::MAX; 2];
    for _ in 0..40 {
        for (frame, best) in sent.iter().zip(&mut best) {
            let mut frame = frame.clone();
            let begin = Instant::now();
            for _ in 0..100 {
                bench.now += 500_000;
                assert_eq!(bench.segment.process(&mut frame, bench.now), Passage::Returned);
            }
            *best = (*best).min(begin.elapsed().as_nanos() / 100);
        }
    }
    println!("57 boards: clock and process data {} ns, states {} ns", best[0], best[1]);
    assert!(best.iter().sum::<u128>() < 200_000, "{best:?} ns");
    assert_eq!(bench.state(0), (8, 0), "still in OP");
}
