//! A cycle of stepping over an edge allocates nothing, whatever phase it is in.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod stepping;

use counting::{Counting, allocations};
use locomotion::{CrossingPhase, Settings};
use robot_io::Pose2;
use stepping::{Bench, Ground};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_cycle_of_a_crossing_allocates() {
    let mut bench = Bench::with(Ground::Step(0.1), 1, Pose2 { x: 0.95, ..Pose2::default() }, Settings::default());
    bench.begin(0.0, 0.0).unwrap();
    let mut phases = Vec::with_capacity(16);
    while bench.locomotion.crossing().unwrap().feet_across < 1 {
        bench.sense();
        let before = allocations();
        bench.think();
        assert_eq!(allocations(), before, "{:?}", bench.locomotion.crossing());
        bench.act();
        let phase = bench.locomotion.crossing().unwrap().phase;
        if !phases.contains(&phase) {
            phases.push(phase);
        }
    }
    assert!(phases.contains(&CrossingPhase::Plan) && phases.contains(&CrossingPhase::Load), "{phases:?}");
}
