//! A cycle of stepping over an edge allocates nothing, whatever phase it is in.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod stepping;

use std::time::Instant;

use counting::{Counting, allocations};
use locomotion::{CrossingPhase, Settings};
use robot_io::Pose2;
use stepping::{Bench, Ground};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_cycle_of_a_crossing_allocates_or_takes_long() {
    let mut bench = Bench::with(Ground::Step(0.1), 1, Pose2 { x: 0.95, ..Pose2::default() }, Settings::default());
    bench.begin(0.0, 0.0).unwrap();
    let mut times: Vec<f64> = Vec::with_capacity(10_000);
    let mut phases = Vec::with_capacity(16);
    while bench.locomotion.crossing().unwrap().feet_across < 1 {
        bench.sense();
        let (before, begin) = (allocations(), Instant::now());
        bench.think();
        assert_eq!(allocations(), before, "{:?}", bench.locomotion.crossing());
        times.push(begin.elapsed().as_secs_f64());
        bench.act();
        let phase = bench.locomotion.crossing().unwrap().phase;
        if !phases.contains(&phase) {
            phases.push(phase);
        }
    }
    assert!(phases.contains(&CrossingPhase::Plan) && phases.contains(&CrossingPhase::Load), "{phases:?}");
    times.sort_by(f64::total_cmp);
    // a cycle has 4 ms; the search is the slowest phase, and takes about a third of a second in all
    let (median, slow) = (times[times.len() / 2], times[times.len() * 99 / 100]);
    println!("a cycle of locomotion: median {:.0} µs, 99 % {:.0} µs", 1e6 * median, 1e6 * slow);
    assert!(median < 1e-3, "{median} s");
}
