//! Distributed clocks, and what boards see of their cable (ethercat.md 2.2).
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod esc_support;

use esc_support::{Bench, STATION};
use hil::virtual_bus::HOP;
use hil::wire::{Command, physical, register as reg};

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// What a MainDevice does at start: latch, offsets to board 0's clock, delays from the ports' times.
fn set_clocks(bench: &mut Bench) -> Vec<u32> {
    let boards = bench.segment.len();
    assert_eq!(usize::from(bench.send(Command::Bwr, physical(0, reg::RECEIVE_TIMES), &[0; 4]).0), boards);
    let mut delays = vec![0; boards];
    let mut rounds = Vec::new();
    let mut reference = 0;
    for board in 0..boards {
        let bytes = bench.read(board, reg::RECEIVE_TIMES, 32).1;
        let received = u64::from_le_bytes(bytes[24..32].try_into().unwrap());
        assert_eq!(received as u32, u32_at(&bytes, 0), "the processing unit is at port 0");
        let round = if board + 1 < boards { u32_at(&bytes, 4).wrapping_sub(u32_at(&bytes, 0)) } else { 0 };
        rounds.push(round);
        if board == 0 {
            reference = received;
        } else {
            delays[board] = delays[board - 1] + (rounds[board - 1] - round) / 2;
        }
        let offset = reference.wrapping_sub(received).wrapping_add(u64::from(delays[board]));
        bench.write(board, reg::SYSTEM_TIME_OFFSET, &offset.to_le_bytes());
        bench.write(board, reg::TRANSMISSION_DELAY, &delays[board].to_le_bytes());
    }
    bench.send(Command::Bwr, physical(0, reg::DIFFERENCE_FILTER), &[0, 12]);
    bench.send(Command::Bwr, physical(0, reg::SPEED_COUNTER_START), &[0, 0x10]);
    delays
}

fn cycle(bench: &mut Bench) {
    bench.now += 1_000_000;
    let boards = bench.segment.len() as u16;
    assert_eq!(bench.send(Command::Frmw, physical(STATION, reg::SYSTEM_TIME), &[0; 8]).0, boards);
    bench.send(Command::Lrw, 0, &vec![0; 28 * usize::from(boards)]);
}

/// The register 0x092C of a board [ns].
fn difference(bench: &mut Bench, board: usize) -> i64 {
    let word = u32_at(&bench.read(board, reg::TIME_DIFFERENCE, 4).1, 0);
    let magnitude = i64::from(word & 0x7fff_ffff);
    if word >> 31 == 1 { -magnitude } else { magnitude }
}

#[test]
fn delays_follow_from_the_ports_times() {
    let mut bench = Bench::in_op(5);
    let hop = HOP as u32;
    assert_eq!(set_clocks(&mut bench), [0, hop, 2 * hop, 3 * hop, 4 * hop]);
    for _ in 0..5 {
        cycle(&mut bench);
    }
    for board in 1..5 {
        assert_eq!(difference(&mut bench, board), 0, "board {board}: crystals are perfect unless told otherwise");
    }
}

#[test]
fn clocks_that_drift_converge_on_the_reference_while_it_is_distributed() {
    let drifts = [3.0, -40.0, 100.0, 0.0, -100.0];
    let mut bench = Bench::in_op(5);
    drifts.into_iter().enumerate().for_each(|(board, ppm)| bench.segment.set_drift(board, ppm));
    set_clocks(&mut bench);
    cycle(&mut bench);
    assert!(difference(&mut bench, 2) > 90, "a fast clock is ahead: {}", difference(&mut bench, 2));
    assert!(difference(&mut bench, 4) < -90, "a slow one behind: {}", difference(&mut bench, 4));
    let mut worst = 0;
    for n in 0..600 {
        cycle(&mut bench);
        let largest = (1..5).map(|board| difference(&mut bench, board).abs()).max().unwrap();
        worst = if n < 400 { 0 } else { largest.max(worst) };
    }
    assert!(worst <= 3, "after 400 ms all are within 3 ns, not {worst}");
    let now = bench.now;
    let times: Vec<u64> = (0..5).map(|board| bench.segment.esc(board).unwrap().system_time(now)).collect();
    assert!(times.iter().all(|time| time.abs_diff(times[0]) <= 3), "{times:?}");
    bench.now += 100_000_000;
    let late = bench.segment.esc(2).unwrap().system_time(bench.now);
    let reference = bench.segment.esc(0).unwrap().system_time(bench.now);
    let apart = late.abs_diff(reference);
    assert!(apart < 500, "the loop has learned the crystal: {apart} ns after 100 ms alone");
}

#[test]
fn time_never_runs_back() {
    let mut bench = Bench::in_op(2);
    bench.segment.set_drift(1, 200.0);
    set_clocks(&mut bench);
    let mut last = bench.segment.esc(1).unwrap().system_time(bench.now);
    for _ in 0..200 {
        cycle(&mut bench);
        let time = bench.segment.esc(1).unwrap().system_time(bench.now);
        assert!(time > last);
        last = time;
    }
}

#[test]
fn sync0_fires_from_its_start_on_every_period() {
    let mut bench = Bench::in_op(2);
    set_clocks(&mut bench);
    let time = bench.segment.esc(0).unwrap().system_time(bench.now);
    let start = time / 1_000_000 * 1_000_000 + 5_000_000;
    for board in 0..2 {
        let cycles = [1_000_000_u32.to_le_bytes(), 250_000_u32.to_le_bytes()].concat();
        assert_eq!(bench.write(board, reg::SYNC_ACTIVATION, &[0]), 1);
        assert_eq!(bench.write(board, reg::SYNC0_START, &start.to_le_bytes()), 1);
        assert_eq!(bench.write(board, reg::SYNC0_CYCLE, &cycles), 1);
        assert_eq!(bench.write(board, reg::SYNC_ACTIVATION, &[7]), 1);
    }
    let begin = bench.now;
    while bench.now < begin + 10_000_000 {
        bench.now += 10_000;
        bench.segment.tick(bench.now);
    }
    let syncs = &bench.segment.device(1).unwrap().syncs;
    assert_eq!(syncs[..5], [0, 1, 2, 3, 4].map(|n| start + n * 1_000_000));
    let end = bench.segment.esc(1).unwrap().system_time(bench.now);
    assert_eq!(syncs.len() as u64, (end - start) / 1_000_000 + 1);
    let shown = bench.read(1, reg::SYNC0_START, 16).1;
    let next = start + 1_000_000 * syncs_after(start, end);
    assert_eq!(shown[..8], next.to_le_bytes());
    assert_eq!(shown[8..], (next + 250_000).to_le_bytes());
    bench.now += 3_000_000;
    let before = bench.segment.device(0).unwrap().syncs.len();
    bench.send(Command::Nop, 0, &[0]);
    assert_eq!(bench.segment.device(0).unwrap().syncs.len(), before + 3, "a late frame finds them fired");
    bench.write(0, reg::SYNC_ACTIVATION, &[0]);
    bench.segment.tick(bench.now + 5_000_000);
    assert_eq!(bench.segment.device(0).unwrap().syncs.len(), before + 3);
}

fn syncs_after(start: u64, end: u64) -> u64 {
    (end - start) / 1_000_000 + 1
}

#[test]
fn an_absurd_sync0_period_does_not_hang() {
    let mut bench = Bench::in_op(1);
    bench.write(0, reg::SYNC0_CYCLE, &1_u32.to_le_bytes());
    bench.write(0, reg::SYNC0_START, &0_u64.to_le_bytes());
    bench.write(0, reg::SYNC_ACTIVATION, &[3]);
    bench.segment.tick(bench.now + 3_600_000_000_000);
    assert!(bench.segment.device(0).unwrap().syncs.len() < 100);
}

#[test]
fn a_cut_cable_takes_away_what_is_behind_it_and_the_links_say_so() {
    let mut bench = Bench::in_op(4);
    let links = |bench: &Bench| -> Vec<[u8; 2]> {
        let link = |board| {
            let esc = bench.segment.esc(board).unwrap();
            [esc.byte(reg::DL_STATUS), esc.byte(reg::DL_STATUS + 1)]
        };
        (0..4).map(link).collect()
    };
    let (middle, last) = ([0x33, 0x5a], [0x13, 0x56]);
    assert_eq!(links(&bench), [middle, middle, middle, last]);
    bench.segment.cut_after(Some(1));
    assert_eq!(links(&bench), [middle, last, [0x23, 0x59], last]);
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 112]).0, 6);
    assert_eq!(bench.send(Command::Brd, physical(0, 0), &[0]).0, 2);
    assert_eq!(bench.read(2, 0, 1).0, 0);
    let lost = |bench: &Bench, board, port| bench.segment.esc(board).unwrap().byte(reg::LOST_LINKS + port);
    assert_eq!((lost(&bench, 1, 1), lost(&bench, 2, 0), lost(&bench, 0, 1)), (1, 1, 0));
    bench.now += 200_000_000;
    bench.segment.tick(bench.now);
    bench.segment.cut_after(None);
    assert_eq!(links(&bench), [middle, middle, middle, last]);
    assert_eq!(bench.send(Command::Lrw, 0, &[0; 112]).0, 12, "station addresses and settings are still there");
    assert_eq!(bench.state(3), (0x14, 0x1b), "their watchdogs have expired meanwhile");
}

#[test]
fn a_port_that_the_main_device_closes_ends_the_line() {
    let mut bench = Bench::in_op(3);
    bench.write(0, reg::DL_CONTROL + 1, &[0x0c]);
    assert_eq!(bench.send(Command::Brd, physical(0, 0), &[0]).0, 1);
    assert_eq!(bench.read(0, reg::DL_STATUS, 2).1, [0x33, 0x56], "linked, but looped");
    bench.write(0, reg::DL_CONTROL + 1, &[0]);
    assert_eq!(bench.send(Command::Brd, physical(0, 0), &[0]).0, 3);
}

#[test]
fn a_line_of_128_boards_reaches_op() {
    let mut bench = Bench::in_op(128);
    let counted = bench.send(Command::Brd, physical(0, reg::AL_STATUS), &[0; 2]);
    assert_eq!(counted, (128, vec![8, 0]));
    assert_eq!(bench.send(Command::Lrw, 28 * 100, &[0; 28 * 28]).0, 84);
}
