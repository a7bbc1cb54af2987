//! What a cycle took is written down without allocating, and a real-time thread can be set up anywhere.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

#[path = "../../tests/support/counting.rs"]
mod counting;

use counting::{Counting, allocations};
use hil::realtime::{CycleTimes, Histograms, RealtimeSetup};
use robot_io::Period;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn recording_a_cycle_allocates_nothing() {
    let mut histograms = Histograms::new(Period::from_milliseconds(1)).unwrap();
    let before = allocations();
    for cycle in 0..100_000_u64 {
        // from nothing to far beyond the longest time that is told apart
        let time = cycle.pow(3) % 20_000_000_011;
        let times = CycleTimes { jitter: time / 7, round_trip: time / 3, lateness: time, controller: 1, whole: time };
        histograms.record(&times);
    }
    assert_eq!(allocations(), before);
    assert_eq!(histograms.summary().cycles, 100_000);
}

#[test]
fn locking_memory_is_granted_or_refused_with_a_reason_and_memory_can_still_be_had() {
    let only_memory =
        RealtimeSetup { priority: None, core: None, lock_memory: true, timer_slack: None, prefault_stack: false };
    let report = only_memory.apply();
    println!("{report}");
    let [step] = &report.steps[..] else { panic!("one thing was asked for: {report}") };
    assert_eq!(step.granted, step.cure.is_empty());
    assert_eq!(vec![1_u8; 64 << 20].iter().filter(|byte| **byte == 1).count(), 64 << 20);
}
