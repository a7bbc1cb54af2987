//! The real-time thread allocates nothing and writes no file: everything from the exchange over reading, answering and
//! writing to the record's way to the reader.
//!
//! The boards are emulated in memory; only the physics behind them is not watched, for on a real bus it is not there. Excepted
//! are the cycles in which a deadline task is released or delivered: a job owns a snapshot of its inputs, whose size only the
//! skill knows, and its result travels as bytes. Of the locks on that thread one is the bus's, which is only ever tried, and
//! the other is the channel of those jobs.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hil::HilError;
use hil::exchange::{Exchange, Exchanged, ProcessImage};
use hil::main_device::EtherCat;
use hil::realtime::RealtimeSetup;
use hil::virtual_bus::InProcess;
use hil::wire::{AlCode, AlState};
use plant::{SimClock, SimRobot};
use robot_io::{FaultInjector, Period, SafetyFilter, SafetyLimits, Time};
use scenarios::case::PlantKind;
use scenarios::session::{Desk, Operator, Parts, PlantClock, PlantRobot, RealTime, RealTimeLoop, Session};
use scenarios::{Case, Library, Stage};

#[path = "support/watched.rs"]
mod watched;
use watched::{place, set_watching, take_caught};

/// Cycles until caches and buffers have their size.
const WARM_UP: u64 = 500;
/// Cycles that are measured.
const MEASURED: u64 = 500;
/// No deadline task takes more cycles than this.
const LONGEST_TASK: u64 = 100;

/// What was seen on the real-time thread.
#[derive(Debug, Default)]
struct Seen {
    /// Allocations, each with its cycle.
    allocations: Vec<(u64, String)>,
    cycles: u64,
    /// System calls that write, in all measured cycles; `None` where the kernel does not count them.
    writes: Option<u64>,
}

/// An in-memory bus that watches the thread that uses it.
#[derive(Debug)]
struct Watching {
    inner: EtherCat<InProcess<SimRobot, SimClock>>,
    period: Period,
    writes_before: Option<u64>,
    seen: Arc<Mutex<Seen>>,
}

impl Exchange for Watching {
    fn configure(&mut self) -> Result<(), HilError> {
        self.inner.configure()
    }

    fn request(&mut self, state: AlState) -> Result<(), HilError> {
        self.inner.request(state)
    }

    fn exchange(&mut self, image: &mut ProcessImage, report: &mut Exchanged) {
        self.inner.exchange(image, report);
    }

    fn pass(&mut self, next: Time) -> Result<(), HilError> {
        set_watching(false);
        let next_cycle = next.nanoseconds() / self.period.nanoseconds();
        let caught = take_caught();
        let mut seen = self.seen.lock().unwrap();
        let ended = next_cycle - 1;
        seen.allocations.extend(caught.into_iter().map(|trace| (ended, trace.to_string())));
        // the reader should see every cycle
        std::thread::sleep(Duration::from_millis(1));
        self.inner.pass(next)?;
        if next_cycle == WARM_UP {
            self.writes_before = writes();
        }
        if next_cycle == WARM_UP + MEASURED {
            seen.writes = writes().zip(self.writes_before).map(|(after, before)| after - before);
        }
        let measured = (WARM_UP..WARM_UP + MEASURED).contains(&next_cycle);
        seen.cycles += u64::from(measured);
        drop(seen);
        set_watching(measured);
        Ok(())
    }

    fn linger(&mut self) -> Result<(), HilError> {
        self.inner.linger()
    }

    fn recover(&mut self, board: usize) -> Result<(), HilError> {
        self.inner.recover(board)
    }

    fn diagnose(&mut self, board: usize) -> Option<(AlState, AlCode)> {
        self.inner.diagnose(board)
    }
}

/// How often this thread has asked the system to write.
fn writes() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("syscw:"))?.trim().parse().ok()
}

fn stage(case: &str) -> Stage {
    let library = Library::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
    let mut case = Case::load(&library, case).unwrap();
    case.plant = PlantKind::EtherCat("none".to_owned());
    Stage::load(&library, case).unwrap()
}

fn session(stage: &Stage, seen: &Arc<Mutex<Seen>>) -> Session {
    let layout = stage.layout();
    let plan = stage.bus.clone().unwrap();
    let inner = EtherCat::new(InProcess::new(stage.virtual_bus().unwrap()), Arc::clone(&plan), layout.period).unwrap();
    let exchange = Watching { inner, period: layout.period, writes_before: None, seen: Arc::clone(seen) };
    let (robot, clock) = hil::robot::plug(Box::new(exchange), plan, &layout);
    let robot = FaultInjector::new(PlantRobot::Bus(Box::new(robot)), Vec::new(), 1).unwrap();
    // neither memory nor the processor is taken from the tests beside this one
    let setup = RealtimeSetup { lock_memory: false, priority: None, ..RealtimeSetup::default() };
    Session::start(Parts {
        others: Vec::new(),
        figures: Default::default(),
        robot: SafetyFilter::new(Desk::new(robot, Operator::default()), SafetyLimits::default()),
        clock: RealTime::new(PlantClock::Bus(clock), None),
        simulation: None,
        half: None,
        shadow: None,
        pilot: stage.pilot(&layout, 1).unwrap(),
        pushes: Vec::new(),
        log: None,
        realtime: Some(RealTimeLoop { setup, forward: None }),
        mirror: None,
        baselines: None,
        notes: Vec::new(),
    })
    .unwrap()
}

/// Runs a scenario; tells what was seen, and the cycles with deadline tasks.
fn run(case: &str) -> (Seen, Vec<u64>) {
    let stage = stage(case);
    let seen = Arc::default();
    let mut session = session(&stage, &seen);
    let mut with_tasks = Vec::new();
    while session.readings().cycle < WARM_UP + MEASURED + LONGEST_TASK {
        session.cycle().unwrap();
        let both = |delivery: scenarios::session::Delivery| {
            [delivery.cycle.min(delivery.due) - delivery.latency_cycles, delivery.cycle]
        };
        with_tasks.extend(session.take_deliveries().flat_map(both));
    }
    assert_eq!(session.realtime().unwrap().1, 0, "every cycle was seen");
    drop(session.shut_down());
    drop(session);
    (Arc::into_inner(seen).unwrap().into_inner().unwrap(), with_tasks)
}

fn assert_nothing(case: &str, seen: &Seen, with_tasks: &[u64]) {
    assert_eq!(seen.cycles, MEASURED);
    let ours = seen.allocations.iter().filter(|(cycle, _)| !with_tasks.contains(cycle));
    let mut places = BTreeMap::<&str, u64>::new();
    ours.for_each(|(_, trace)| *places.entry(place(trace)).or_default() += 1);
    assert!(places.is_empty(), "{case}: who allocated, and how often: {places:#?}");
    match seen.writes {
        Some(writes) => assert_eq!(writes, 0, "{case}: system calls that write"),
        // not eprintln, which a passing test swallows
        None => drop(writeln!(
            std::io::stderr(),
            "SKIPPED: this kernel does not count a thread's writes (/proc/thread-self/io)"
        )),
    }
}

#[test]
fn two_drives_cost_the_real_time_thread_memory_only_for_its_deadline_tasks() {
    let (seen, with_tasks) = run("bench_two_drives");
    assert_nothing("bench_two_drives", &seen, &with_tasks);
}

#[test]
fn a_centaur_costs_the_real_time_thread_memory_only_for_its_deadline_tasks() {
    let (seen, with_tasks) = run("centaur_drives_flat");
    let measured = |cycle: &&u64| (WARM_UP..WARM_UP + MEASURED).contains(*cycle);
    assert!(with_tasks.iter().filter(measured).count() > 0, "a deadline task runs every 2 s, so it is in the window");
    assert!(!seen.allocations.is_empty(), "their memory is seen, so nothing is hidden from this test");
    assert_nothing("centaur_drives_flat", &seen, &with_tasks);
}
