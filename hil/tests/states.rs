//! The AL state machine of the emulated controllers (ethercat.md 2.3; ETG.1000.6, 6.4).
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod esc_support;

use esc_support::{Bench, INPUTS, OUTPUTS};
use hil::wire::{AlCode, register as reg};
use robot_io::StateWriter;

/// A configured board in a state, perhaps with an error.
fn board_in(state: u8, error: bool) -> Bench {
    let mut bench = Bench::in_op(1);
    if state != 8 {
        assert_eq!(bench.request(0, state), (state, 0));
    }
    if error {
        assert_eq!(bench.request(0, 7), (state | 0x10, 0x12), "no state has the number 7");
    }
    bench
}

/// What the board says after a request without an error before: a state, or the code of its refusal.
fn answer(from: u8, to: u8) -> Result<u8, u16> {
    match (from, to) {
        (1, 3) => Err(0x13),
        (_, 3) => Err(0x11),
        (1, 4 | 8) | (2, 8) => Err(0x11),
        _ => Ok(to),
    }
}

#[test]
fn every_request_in_every_state_with_and_without_an_error() {
    for from in [1, 2, 4, 8] {
        for to in [1, 2, 3, 4, 8] {
            let clean = match answer(from, to) {
                Ok(state) => (state, 0),
                Err(code) => (from | 0x10, code),
            };
            assert_eq!(board_in(from, false).request(0, to), clean, "{from} to {to}");
            assert_eq!(
                board_in(from, true).request(0, to | 0x10),
                clean,
                "{from} with an error, acknowledged, to {to}"
            );
            let ignored = if to == 1 { (1, 0) } else { (from | 0x10, 0x12) };
            assert_eq!(board_in(from, true).request(0, to), ignored, "{from} with an error to {to}");
        }
    }
}

#[test]
fn a_processor_may_refuse_the_way_up_but_not_the_way_down() {
    for (from, to) in [(1, 2), (2, 4), (4, 8)] {
        let mut bench = board_in(from, false);
        bench.segment.device_mut(0).unwrap().refuse = Some(AlCode(0x27));
        assert_eq!(bench.request(0, to), (from | 0x10, 0x27));
        assert_eq!(bench.request(0, 0x11), (1, 0));
    }
}

#[test]
fn outputs_are_lost_on_the_way_out_of_op_only() {
    for (to, lost) in [(8, 0), (4, 1), (2, 1), (1, 1)] {
        let mut bench = board_in(8, false);
        bench.request(0, to);
        assert_eq!(bench.segment.device(0).unwrap().lost, lost);
    }
    let mut bench = board_in(4, false);
    bench.request(0, 2);
    assert_eq!(bench.segment.device(0).unwrap().lost, 1, "once, on the way to SAFE-OP");
}

#[test]
fn sync_managers_are_checked_before_a_state_is_taken() {
    let bench = Bench::new(1);
    let changed = |channel: usize, at: usize, value: u8| {
        let mut bytes = bench.manager(channel);
        bytes[at] = value;
        bytes
    };
    // sync manager, its registers, state before, state asked for, code
    let table = [
        (0, changed(0, 0, 0x10), 1, 2, 0x16, "start"),
        (0, changed(0, 2, 64), 1, 2, 0x16, "length"),
        (0, changed(0, 4, 0x24), 1, 2, 0x16, "three buffers"),
        (1, changed(1, 4, 0x26), 1, 2, 0x16, "direction"),
        (1, changed(1, 6, 0), 1, 2, 0x16, "not active"),
        (2, changed(2, 2, 11), 2, 4, 0x1d, "length"),
        (2, changed(2, 4, 0x60), 2, 4, 0x1d, "direction"),
        (2, changed(2, 6, 0), 2, 4, 0x25, "not active"),
        (3, changed(3, 2, 17), 2, 4, 0x1e, "length"),
        (3, changed(3, 4, 0x22), 2, 4, 0x1e, "a mailbox"),
        (3, changed(3, 6, 0), 2, 4, 0x24, "not active"),
        (3, changed(3, 0, 0x20), 2, 4, 0x17, "shares bytes with the outputs' buffers"),
        (3, [vec![0xf0, 0x2f], bench.manager(3)[2..].to_vec()].concat(), 2, 4, 0x17, "reaches beyond the memory"),
    ];
    for (channel, bytes, from, to, code, why) in table {
        let mut bench = board_in(from, false);
        bench.write(0, reg::SYNC_MANAGER + 8 * channel, &bytes);
        assert_eq!(bench.request(0, to), (from | 0x10, code), "sync manager {channel}: {why}");
        bench.write(0, reg::SYNC_MANAGER + 8 * channel, &bench.manager(channel as usize));
        assert_eq!(bench.request(0, to | 0x10), (to, 0), "mended");
    }
}

#[test]
fn fmmus_must_not_reach_beyond_their_sync_manager_and_sync0_needs_a_period() {
    let mut bench = board_in(2, false);
    bench.write(0, reg::FMMU, &Bench::fmmu(0, 13, OUTPUTS, 2));
    assert_eq!(bench.request(0, 4), (0x12, 0x1d));
    bench.write(0, reg::FMMU, &Bench::fmmu(0, 12, OUTPUTS, 2));
    bench.write(0, reg::FMMU + 16, &Bench::fmmu(12, 17, INPUTS, 1));
    assert_eq!(bench.request(0, 0x14), (0x12, 0x1e));
    bench.write(0, reg::FMMU + 16, &Bench::fmmu(12, 16, INPUTS, 1));
    bench.write(0, reg::SYNC_ACTIVATION, &[3]);
    assert_eq!(bench.request(0, 0x14), (0x12, 0x30));
    bench.write(0, reg::SYNC0_CYCLE, &1_000_000_u32.to_le_bytes());
    assert_eq!(bench.request(0, 0x14), (4, 0));
    assert_eq!(bench.request(0, 8), (8, 0));
}

#[test]
fn an_error_raised_from_outside_takes_a_board_out_of_op() {
    let mut bench = board_in(8, false);
    bench.segment.raise_al_error(0, AlCode::SYNC_ERROR);
    assert_eq!(bench.state(0), (0x14, 0x1a));
    assert_eq!(bench.segment.device(0).unwrap().lost, 1);
    assert_eq!(bench.request(0, 8), (0x14, 0x1a), "not acknowledged");
    assert_eq!(bench.request(0, 0x18), (8, 0));
}

#[test]
fn what_changes_by_itself_is_shown_and_repeats_to_the_bit() {
    let save = |bench: &mut Bench| {
        let mut writer = StateWriter::default();
        bench.segment.visit_state(&mut writer);
        writer.bytes
    };
    let mut bench = board_in(8, false);
    bench.segment.set_drift(0, 12.5);
    let saved = save(&mut bench);
    bench.now += 200_000_000;
    bench.segment.tick(bench.now);
    assert_eq!(bench.state(0), (0x14, 0x1b));
    let after = save(&mut bench);
    assert_ne!(after, saved);
    assert!(after.len() < 300, "{} bytes a board", after.len());
    let mut again = board_in(8, false);
    again.segment.set_drift(0, 12.5);
    assert_eq!(save(&mut again), saved, "the same frames at the same times, the same state");
}
