//! Throws random frames at emulated boards: `cargo run --release -p hil --example fuzz_frames -- SECONDS [SEED]`.
//! Any panic is a failure; frames a second and what became of them are printed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "an example made of tests")]

#[path = "../tests/esc_support/mod.rs"]
mod esc_support;

use std::time::{Duration, Instant};

use esc_support::storm::{self, Dice};
use esc_support::{Bench, pass_any};
use hil::virtual_bus::Passage;

const BOARDS: usize = 8;
/// Frames after which the boards are brought to OP afresh.
const FRAMES_A_ROUND: u64 = 2_000;

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let seconds = arguments.next().and_then(Result::ok).unwrap_or(5);
    let seed = arguments.next().and_then(Result::ok).unwrap_or(1);
    let begin = Instant::now();
    let mut counts = [0_u64; 4];
    let mut rounds = 0;
    while begin.elapsed() < Duration::from_secs(seconds) {
        round(seed.wrapping_mul(1 << 32) + rounds, &mut counts);
        rounds += 1;
    }
    let frames: u64 = counts.iter().sum();
    let rate = frames as f64 / begin.elapsed().as_secs_f64();
    println!("seed {seed}: {frames} frames in {rounds} rounds of {BOARDS} boards in OP, {rate:.0} frames/s");
    let [returned, malformed, foreign, lost] = counts;
    println!("returned {returned}, malformed {malformed}, foreign {foreign}, lost {lost}");
}

fn round(seed: u64, counts: &mut [u64; 4]) {
    let mut dice = Dice(seed);
    let mut bench = Bench::in_op(BOARDS);
    for _ in 0..FRAMES_A_ROUND {
        bench.now += dice.below(2_000_000);
        let mut frame = storm::frame(&mut dice, BOARDS);
        let kind = match pass_any(&mut bench.segment, &mut frame, bench.now) {
            Passage::Returned => 0,
            Passage::Malformed(_) => 1,
            Passage::Foreign => 2,
            Passage::Lost => 3,
        };
        counts[kind] += 1;
        if dice.one_in(500) {
            bench.segment.set_power(dice.below(BOARDS as u64) as usize, dice.one_in(2));
            bench.segment.cut_after(Some(dice.below(2 * BOARDS as u64) as usize).filter(|board| *board < BOARDS));
        }
    }
}
