//! One component alone does again what it did in a run, from what was noted then.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use proptest::prelude::*;
use robot_io::deadline::{Delivered, Job, TaskBoard};
use robot_io::{Controller, JointCommand, NotTheSame, Period, Readings, State, StateReader, StateWriter};
use runtime::{Builder, Component, Cycle, Declaration, Reads, ReadsBefore, Runtime, Stream, Switch};
use support::{Bench, Counter, Doubler, Flood, Mover, Sum};

const NAMES: [&str; 9] = ["memory", "double", "count", "flood", "sum", "low", "high", "falls", "reflex"];

/// No component here has slow work.
struct Nothing;

impl TaskBoard for Nothing {
    fn release(&mut self, _task: &'static str, _latency_cycles: u64, _job: Job) {}

    fn collect(&mut self, _task: &'static str) -> Option<Delivered> {
        None
    }
}

/// Adds up what a stream has now and had when the cycle began, which nobody else tells it.
#[derive(Default, State)]
struct Memory {
    #[state(fixed)]
    ends: Option<(Reads<Stream<u64>>, ReadsBefore<u64>)>,
    sum: u64,
}

impl Component for Memory {
    fn declare(&mut self, wants: &mut Declaration<'_>) {
        self.ends = Some((wants.reads("a"), wants.reads_before("b")));
        wants.every(Period::from_milliseconds(2));
    }

    fn update(&mut self, cycle: &mut Cycle<'_>) {
        let (now, before) = self.ends.unwrap();
        let fresh = cycle.fresh(now).is_some();
        let [now, before] = [cycle.latest(now), cycle.before(before)].map(|value| value.copied().unwrap_or(7));
        self.sum = 3 * self.sum % 1_000 + 100 * now + before + u64::from(fresh);
    }
}

/// Streams, queues, all rates, arms that are wanted by several, one that panics, a reflex.
fn all(target: f64, factor: u64) -> Builder {
    let slow = Counter { every: Some(Period::from_milliseconds(3)), ..Counter::on("a") };
    Runtime::builder()
        .with("memory", Memory { sum: factor, ..Memory::default() })
        .with("double", Doubler::new("a", "b"))
        .with("count", slow)
        .with("flood", Flood::of(2))
        .with("sum", Sum { every: Some(Period::from_milliseconds(5)), ..Sum::default() })
        .with("low", Mover { busy_until: 40, ..Mover::new("arm", 1, 0.1) })
        .with("high", Mover { from: 10, ..Mover::new("arm_and_hand", 2, target) })
        .with("falls", Mover { panics_at: Some(6), ..Mover::new("hand", 3, 0.2) })
        .with("reflex", Mover { from: 30, is_reflex: true, ..Mover::new("arm", 0, 0.5) })
}

/// A cycle of a run: what the robot said, what it had been told before, and the notes.
struct Recorded {
    readings: Readings,
    told: Vec<JointCommand>,
    notes: Vec<u64>,
}

/// A run in which components are paused, started and stopped, from its beginning or from a snapshot.
fn record(bench: &mut Bench, cycles: u64) -> Vec<Recorded> {
    bench.runtime.parts().unwrap().note(true);
    let switches = [(8, "falls", Switch::Start), (20, "low", Switch::Pause), (25, "sum", Switch::Pause)];
    let more = [(33, "sum", Switch::Resume), (45, "reflex", Switch::Stop), (50, "low", Switch::Resume)];
    let cycle = |_| {
        let now = bench.readings.cycle;
        for (_, component, switch) in switches.iter().chain(&more).filter(|(at, ..)| *at == now) {
            bench.runtime.switch(component, *switch).unwrap();
        }
        let (readings, told) = (bench.readings.clone(), bench.commands.joints.clone());
        bench.cycle();
        Recorded { readings, told, notes: bench.runtime.parts().unwrap().notes().to_vec() }
    };
    (0..cycles).map(cycle).collect()
}

fn redo(bench: &mut Bench, name: &str, run: &[Recorded]) -> Result<usize, (u64, NotTheSame)> {
    let parts = bench.runtime.parts().unwrap();
    parts.note(true);
    let mut calls = 0;
    for Recorded { readings, told, notes } in run {
        let again = parts.redo(name, readings, Some(told), notes, &mut Nothing);
        calls += again.map_err(|differs| (readings.cycle, differs))?;
    }
    Ok(calls)
}

#[test]
fn each_component_alone_does_again_what_it_did() {
    let run = record(&mut Bench::new(all(0.3, 1)), 60);
    let calls = |name: &&str| redo(&mut Bench::new(all(0.3, 1)), name, &run).unwrap();
    let calls: Vec<usize> = NAMES.iter().map(calls).collect();
    // a start each, updates at their rates, and questions whether they may pause, `low` until it is ready
    assert_eq!(
        calls,
        [1 + 30, 1 + 60, 1 + 20, 1 + 60, 1 + 6 + 1 + 1 + 5, 1 + 40 + 20 + 1 + 10, 1 + 60, 2 + 12, 1 + 45]
    );
}

#[test]
fn one_that_goes_on_from_a_snapshot_does_so_alone_too() {
    let mut bench = Bench::new(all(0.3, 1));
    bench.cycles(17);
    let saved = StateWriter::save(&mut bench.runtime);
    let run = record(&mut bench, 20);
    for name in NAMES {
        let mut other = Bench::new(all(0.3, 1));
        StateReader::restore(&mut other.runtime, &saved).unwrap();
        assert!(redo(&mut other, name, &run).is_ok(), "{name}");
    }
}

#[test]
fn one_that_is_changed_is_told_apart_from_the_cycle_on_in_which_it_shows() {
    let run = record(&mut Bench::new(all(0.3, 1)), 60);
    let changed = || Bench::new(all(0.31, 2));
    let differs = |what| NotTheSame::Differs(what);
    // `falls` has the hand until it falls for the second time, in cycle 13
    assert_eq!(redo(&mut changed(), "high", &run), Err((14, differs("a command of its joints"))));
    assert_eq!(redo(&mut changed(), "memory", &run), Err((0, differs("its state"))));
    let early = || Bench::new(Runtime::builder().with("low", Mover::new("arm", 1, 0.1)));
    let run = record_plain(&mut early(), 5);
    let late = Runtime::builder().with("low", Mover { from: 3, ..Mover::new("arm", 1, 0.1) });
    assert_eq!(redo(&mut Bench::new(late), "low", &run), Err((0, differs("a command of its joints"))));
    let known = NAMES.map(str::to_owned).to_vec();
    assert_eq!(redo(&mut changed(), "nobody", &run), Err((0, NotTheSame::Unknown { known })));
}

fn record_plain(bench: &mut Bench, cycles: u64) -> Vec<Recorded> {
    bench.runtime.parts().unwrap().note(true);
    record(bench, cycles)
}

proptest! {
    /// Whatever the notes say, it is done again or refused.
    #[test]
    fn broken_notes_are_refused_and_never_a_panic(place in 0_usize..2_000, word in any::<u64>(), cut in any::<bool>()) {
        let build = || Runtime::builder().with("double", Doubler::new("a", "b")).with("count", Counter::on("a"))
            .with("flood", Flood::of(2)).with("sum", Sum::default()).with("mover", Mover::new("arm", 1, 0.1));
        let mut run = record_plain(&mut Bench::new(build()), 3);
        let notes = &mut run[2].notes;
        let place = place % notes.len();
        if cut { notes.truncate(place) } else { notes[place] = word }
        for name in ["double", "count", "flood", "sum", "mover"] {
            let _ = redo(&mut Bench::new(build()), name, &run);
        }
    }
}
