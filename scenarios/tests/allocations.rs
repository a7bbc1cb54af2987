//! The control cycle allocates nothing: memory is taken when a session is put together, and when a mission's step or a chart's state begins.
//!
//! Every allocation in the measured cycles is caught with its backtrace. Excepted are the cycles in which a deadline task is
//! released or delivered, for its job and its result travel in boxes, and the words in which a
//! controller says ten times a second how it stands.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::path::Path;

use scenarios::session::Session;
use scenarios::{Case, Library, Staffing, Stage};

/// Cycles until caches and buffers have their size: 2 s.
const WARM_UP: u64 = 500;
/// Cycles that are measured: 2 s, in which the robot drives.
const MEASURED: u64 = 500;
/// No deadline task takes more cycles than this.
const LONGEST_TASK: u64 = 100;

#[path = "support/watched.rs"]
mod watched;
use watched::{place, watch};

fn session(case: &str) -> Session {
    let library = Library::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
    let case = Case::load(&library, case).unwrap();
    let stage = Stage::load(&library, case).unwrap();
    Session::start(stage.assemble(Staffing::default()).unwrap()).unwrap()
}

/// The cycles in which a deadline task was released or delivered.
fn cycles_with_tasks(session: &mut Session) -> Vec<u64> {
    let both = |delivery: scenarios::session::Delivery| [delivery.cycle - delivery.latency_cycles, delivery.cycle];
    session.take_deliveries().flat_map(both).collect()
}

/// The allocations of `count` cycles, each with its cycle, less those of deadline tasks.
fn allocations(session: &mut Session, count: u64) -> Vec<(u64, String)> {
    let mut caught = Vec::new();
    let mut with_tasks = Vec::new();
    let end = session.readings().cycle + count;
    // a task that is released in the last cycles is known when it is delivered
    while session.readings().cycle < end + LONGEST_TASK {
        let traces = watch(|| session.cycle().unwrap());
        let cycle = session.readings().cycle;
        with_tasks.extend(cycles_with_tasks(session));
        if cycle <= end {
            caught.extend(traces.into_iter().map(|trace| (cycle, trace)));
        }
    }
    caught.retain(|(cycle, _)| !with_tasks.contains(cycle));
    let caught: Vec<(u64, String)> = caught.into_iter().map(|(cycle, trace)| (cycle, trace.to_string())).collect();
    let begins = |cycle: &u64| caught.iter().any(|(other, trace)| other == cycle && begins_a_state(trace));
    assert!(!with_tasks.is_empty(), "a deadline task runs every 2 s, so it is in the window");
    caught.iter().filter(|(cycle, trace)| !begins(cycle) && !is_words(trace)).cloned().collect()
}

/// True for what a chart takes for its next state.
fn begins_a_state(trace: &str) -> bool {
    calls(trace, "enter")
}

/// True for what is said to people.
fn is_words(trace: &str) -> bool {
    calls(trace, "say")
}

/// True if a function of this name is on the way to an allocation.
fn calls(trace: &str, name: &str) -> bool {
    let (inlined, called) = (format!(": {name}"), format!("::{name}"));
    let is_called = |line: &str| line.contains(&inlined) || line.ends_with(&called);
    trace.lines().any(is_called)
}

#[test]
fn a_control_cycle_allocates_nothing() {
    expect_none("centaur_drives_flat");
}

#[test]
fn a_control_cycle_of_components_and_a_chart_allocates_nothing() {
    expect_none("centaur_greets");
}

fn expect_none(case: &str) {
    let mut session = session(case);
    (0..WARM_UP).for_each(|_| session.cycle().unwrap());
    session.take_deliveries().for_each(drop);
    let caught = allocations(&mut session, MEASURED);
    let mut places = BTreeMap::<&str, u64>::new();
    caught.iter().for_each(|(_, trace)| *places.entry(place(trace)).or_default() += 1);
    assert!(places.is_empty(), "who allocated, and how often: {places:#?}\n{}", caught[0].1);
}

#[test]
fn an_allocation_is_caught_with_the_function_that_made_it() {
    #[inline(never)]
    fn takes_memory() {
        drop(std::hint::black_box(vec![1_u8]));
    }
    let caught = watch(takes_memory);
    assert_eq!(caught.len(), 1);
    let trace = caught[0].to_string();
    assert!(place(&trace).contains("takes_memory"), "{trace}");
}
