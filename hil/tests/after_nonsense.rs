//! Whatever was sent to the boards before, a MainDevice that starts from the beginning reaches OP: nobody restarts a server.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "main_device/bench.rs"]
mod bench;
mod esc_support;

use esc_support::storm::{self, Dice};
use esc_support::{Bench, SIZES, STATION};
use hil::exchange::Exchange;
use hil::virtual_bus::{Device, Segment};
use hil::wire::{AlState, Command, FrameBuilder, physical, register as reg};
use proptest::prelude::*;

const BOARDS: usize = 4;
const FRAMES: u64 = 300;
/// Nobody starts sooner after somebody else [ns].
const PAUSE: u64 = 200_000_000;

/// Random frames of all kinds, mailbox messages that are nearly right, and requests for states that exist or not.
fn storm<D: Device>(segment: &mut Segment<D>, dice: &mut Dice, mut now: u64) -> u64 {
    for _ in 0..FRAMES {
        now += dice.below(2_000_000);
        let station = STATION + dice.below(BOARDS as u64) as u16;
        let mut frame = match dice.below(4) {
            0 => {
                let request = [dice.roll() as u8 & if dice.one_in(4) { 0xff } else { 0x1f }, 0];
                FrameBuilder::new().datagram(Command::Fpwr, 0, physical(station, reg::AL_CONTROL), &request).finish()
            }
            1 => FrameBuilder::new().datagram(Command::Fpwr, 0, physical(station, 0x1000), &message(dice)).finish(),
            _ => storm::frame(dice, BOARDS),
        };
        segment.process(&mut frame, now);
        segment.tick(now);
    }
    now + PAUSE
}

/// A download to the assignment, a mapping or anything else, in a mailbox of 128 bytes.
fn message(dice: &mut Dice) -> Vec<u8> {
    let index = match dice.below(4) {
        0 => 0x1c12 + dice.below(2) as u16,
        1 => 0x1600,
        2 => 0x1a00,
        _ => dice.roll() as u16,
    };
    let [low, high] = index.to_le_bytes();
    let value = (dice.roll() as u32 & if dice.one_in(2) { 0xff } else { u32::MAX }).to_le_bytes();
    let command = if dice.one_in(8) { dice.roll() as u8 } else { 0x23 | (dice.below(4) as u8) << 2 };
    let counter = (dice.below(7) as u8 + 1) << 4 | 3;
    let mut bytes = vec![10, 0, 0, 0, 0, counter, 0, 0x20, command, low, high, dice.below(3) as u8];
    bytes.extend_from_slice(&value);
    bytes.resize(128, 0);
    bytes
}

/// What SOEM does: INIT twice, three units and four sync managers blank, then everything from the EEPROM.
fn plain_bring_up(bench: &mut Bench) {
    for _ in 0..2 {
        bench.send(Command::Bwr, physical(0, reg::AL_CONTROL), &[0x11, 0]);
    }
    assert_eq!(usize::from(bench.send(Command::Brd, physical(0, reg::TYPE), &[0]).0), BOARDS, "all are found");
    bench.send(Command::Bwr, physical(0, reg::FMMU), &[0; 48]);
    bench.send(Command::Bwr, physical(0, reg::SYNC_MANAGER), &[0; 32]);
    bench.address();
    for board in 0..BOARDS {
        let (control, identity) = ([0, 1, 8, 0, 0, 0], 0x0664_u32);
        assert_eq!(bench.write(board, reg::SII_CONTROL, &control), 1);
        assert_eq!(bench.read(board, reg::SII_DATA, 4).1, identity.to_le_bytes(), "its EEPROM is whole");
        bench.configure(board);
    }
    for state in [2, 4, 8] {
        for board in 0..BOARDS {
            assert_eq!(bench.request(board, state | 0x10), (state, 0), "board {board}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_plain_bring_up_works_after_any_frames(seed in any::<u64>()) {
        let mut bench = Bench::in_op(BOARDS);
        let mut dice = Dice(seed);
        bench.now = storm(&mut bench.segment, &mut dice, bench.now);
        plain_bring_up(&mut bench);
        bench.now += 1_000_000;
        let image = vec![0x33; BOARDS * (SIZES.outputs + SIZES.inputs)];
        let (counted, data) = bench.send(Command::Lrw, 0, &image);
        prop_assert_eq!(usize::from(counted), 3 * BOARDS);
        for board in 0..BOARDS {
            let inputs = Bench::logical(board).1 as usize;
            prop_assert!(data[inputs..][..SIZES.inputs].iter().all(|byte| *byte == 0xa5));
            prop_assert_eq!(&bench.segment.device(board).unwrap().outputs, &vec![0x33; SIZES.outputs]);
        }
    }

    #[test]
    fn our_main_device_reaches_op_after_any_frames(seed in any::<u64>()) {
        let mut before = bench::Run::operational(BOARDS);
        let mut cable = std::mem::replace(before.bench(), bench::Bench::new(BOARDS));
        let end = storm(&mut cable.segment, &mut Dice(seed), cable.now);
        cable.now = end;
        let mut run = bench::Run::new(cable, bench::plan(BOARDS));
        run.cycle = end / bench::PERIOD.nanoseconds() + 1;
        run.bus.configure().unwrap();
        run.bus.request(AlState::Op).unwrap();
        run.cycles(5);
        prop_assert!(run.all_op(), "{:?}", run.report);
        for board in 0..BOARDS {
            prop_assert_eq!(u64::from(run.echo(board).0), run.cycle - 1);
        }
    }
}

/// DLR's libethercat writes the whole frame's length, others write too little: controllers do not look at it.
#[test]
fn the_length_in_the_ethercat_header_means_nothing() {
    let built = FrameBuilder::new()
        .datagram(Command::Brd, 1, physical(0, reg::AL_STATUS), &[0; 2])
        .datagram(Command::Lrw, 2, 0, &[0; 28 * BOARDS])
        .finish();
    for length in [0, 1, 12, built.len(), built.len() - 14, 1514, 0x7ff] {
        let (mut bench, mut frame) = (Bench::in_op(BOARDS), built.clone());
        frame[14..16].copy_from_slice(&(0x1000 | length as u16).to_le_bytes());
        bench.segment.process(&mut frame, bench.now);
        let counters = hil::wire::Datagrams::new(&mut frame).unwrap().map(|datagram| datagram.working_counter());
        assert_eq!(counters.collect::<Vec<_>>(), [BOARDS as u16, 3 * BOARDS as u16], "length {length}");
    }
}

#[test]
fn ports_that_were_closed_and_identities_that_were_written_do_not_keep_boards_away() {
    let mut bench = Bench::in_op(BOARDS);
    for board in [2, 1, 0] {
        assert_eq!(bench.write(board, reg::DL_CONTROL + 1, &[0x0c]), 1);
    }
    assert_eq!(bench.send(Command::Brd, physical(0, reg::TYPE), &[0]).0, 1);
    bench.write(0, reg::SII_DATA, &[0xff, 0xff]);
    bench.write(0, reg::SII_CONTROL, &[1, 2, 8, 0, 0, 0]);
    assert_eq!(bench.read(0, reg::SII_CONTROL, 2).1[1] & 0x20, 0x20, "the identity is write-protected");
    bench.write(0, reg::SII_CONFIGURATION, &[1]);
    bench.now += PAUSE;
    plain_bring_up(&mut bench);
}
