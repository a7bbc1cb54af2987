//! What a bus cycle costs in memory: `cargo run --release -p hil --example cycle_cost [BOARDS]`.
//!
//! Prints the time of one exchange and one pass, split into the MainDevice's end and the boards'.
#![allow(clippy::unwrap_used, reason = "a measurement")]

use std::time::Instant;

use hil::exchange::Exchange;
use hil::main_device::scan;

#[path = "../tests/main_device/bench.rs"]
mod bench;

const CYCLES: usize = 5_000;

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(57);
    let begin = Instant::now();
    println!("{} boards found in {:?}", scan(bench::Bench::new(count)).unwrap().len(), begin.elapsed());
    let begin = Instant::now();
    let mut run = bench::Run::operational(count);
    println!("INIT to OP in {:?}, {} frames", begin.elapsed(), run.bus.statistics().sent);
    run.bench().measured = true;
    let mut costs: Vec<[u64; 2]> = (0..CYCLES).map(|_| cycle(&mut run)).collect();
    assert!(run.all_op());
    let before = run.bus.statistics().sent;
    run.cycle();
    let frames = run.bus.statistics().sent - before;
    costs.sort_unstable_by_key(|[main, boards]| main + boards);
    println!("{count} boards, {frames} frames a cycle, {CYCLES} cycles [µs]: MainDevice, boards, together");
    for (name, part) in [("median", 0.5), ("90 %", 0.9), ("99 %", 0.99), ("worst", 1.0)] {
        let [main, boards] = costs[((CYCLES - 1) as f64 * part) as usize].map(|time| time as f64 / 1_000.0);
        println!("{name:>8} {main:8.1} {boards:8.1} {:8.1}", main + boards);
    }
    let board = run.bus.diagnose(0);
    println!("board 0: {board:?}");
}

/// One cycle: the MainDevice's time and the boards' [ns].
fn cycle(run: &mut bench::Run) -> [u64; 2] {
    run.bench().boards_time = 0;
    let begin = Instant::now();
    run.cycle();
    let total = begin.elapsed().as_nanos() as u64;
    let boards = run.bench().boards_time;
    [total - boards, boards]
}
