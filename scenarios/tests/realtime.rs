//! A session on a real-time thread of its own, over an exchange that keeps real time: nothing is lost, the log's controllers
//! answer the same, and the robot is off at the end.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hil::HilError;
use hil::exchange::{Exchange, Exchanged, ProcessImage};
use hil::host::Modelled;
use hil::realtime::RealtimeSetup;
use hil::wire::{AlCode, AlState};
use plant::{SimClock, SimRobot};
use robot_io::{FaultInjector, OperatorInput, OperatorRequest, Period, SafetyFilter, SafetyLimits, Time};
use scenarios::case::{PlantKind, TwinPlan};
use scenarios::progress::Progress;
use scenarios::recording::{Recording, controllers_only, verify};
use scenarios::run_log::RunLog;
use scenarios::runner::{Finished, Runner};
use scenarios::session::{
    Desk, Forward, LiveInput, Operator, Parts, PlantClock, PlantRobot, RealTime, RealTimeLoop, Session,
};
use scenarios::twin::Mirror;
use scenarios::{Case, Library, Staffing, Stage};

/// A modelled bus that lets real time pass, as a network does.
#[derive(Debug)]
struct Paced {
    inner: Modelled<SimRobot, SimClock>,
    period: Period,
    due: Instant,
    late: u64,
}

impl Exchange for Paced {
    fn configure(&mut self) -> Result<(), HilError> {
        self.inner.configure()
    }

    fn request(&mut self, state: AlState) -> Result<(), HilError> {
        self.inner.request(state)
    }

    fn exchange(&mut self, image: &mut ProcessImage, report: &mut Exchanged) {
        self.inner.exchange(image, report);
        report.late = self.late;
        report.round_trip = 1_000;
    }

    fn pass(&mut self, next: Time) -> Result<(), HilError> {
        self.due += Duration::from_nanos(self.period.nanoseconds());
        std::thread::sleep(self.due.saturating_duration_since(Instant::now()));
        self.late = self.due.elapsed().as_nanos() as u64;
        self.inner.pass(next)
    }

    fn recover(&mut self, board: usize) -> Result<(), HilError> {
        self.inner.recover(board)
    }

    fn diagnose(&mut self, board: usize) -> Option<(AlState, AlCode)> {
        self.inner.diagnose(board)
    }
}

/// The bench of two drives, as on a card that is not there.
fn stage(twin: bool) -> Stage {
    let library = Library::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
    let mut case = Case::load(&library, "bench_two_drives").unwrap();
    case.plant = PlantKind::EtherCat("none".to_owned());
    case.duration = Time::from_seconds(3.0);
    case.twin = twin.then(TwinPlan::default);
    Stage::load(&library, case).unwrap()
}

fn parts(stage: &Stage, forward: Option<(LiveInput, Forward)>) -> Parts {
    let layout = stage.layout();
    let (robot, clock, _) = plant::plug(stage.simulation().unwrap());
    let plan = stage.bus.clone().unwrap();
    let inner = Modelled::new(Arc::clone(&plan), robot, clock).unwrap();
    let exchange = Paced { inner, period: layout.period, due: Instant::now(), late: 0 };
    let (robot, clock) = hil::robot::plug(Box::new(exchange), plan, &layout);
    let (live, forward) = forward.map_or((None, None), |(live, forward)| (Some(live), Some(forward)));
    let robot = FaultInjector::new(PlantRobot::Bus(Box::new(robot)), Vec::new(), 1).unwrap();
    let robot = Desk::new(robot, Operator { live, ..Operator::default() });
    // memory stays unlocked: the tests beside this one want some too
    let setup = RealtimeSetup { lock_memory: false, ..RealtimeSetup::default() };
    Parts {
        others: Vec::new(),
        figures: Default::default(),
        robot: SafetyFilter::new(robot, SafetyLimits::default()),
        clock: RealTime::new(PlantClock::Bus(clock), None),
        simulation: None,
        half: None,
        shadow: stage.case.twin.as_ref().map(|plan| stage.shadow(plan).unwrap()),
        pilot: stage.pilot(&layout, 1).unwrap(),
        pushes: Vec::new(),
        log: None,
        realtime: Some(RealTimeLoop { setup, forward }),
        mirror: Some(Mirror::new(stage).unwrap()),
        baselines: None,
        notes: Vec::new(),
    }
}

fn run(stage: &Stage, path: &Path, forward: Option<(LiveInput, Forward)>) -> Finished {
    let log = RunLog::create(path, stage, false).unwrap();
    let parts = Parts { log: Some(log.writer()), ..parts(stage, forward) };
    let session = Session::start(parts).unwrap();
    Runner::resume(stage, session, Some(log)).unwrap().run(&mut Progress::silent()).unwrap()
}

#[test]
fn a_live_run_keeps_time_and_its_log_answers_the_same() {
    let stage = stage(true);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let begin = Instant::now();
    let finished = run(&stage, &path, None);
    assert!(begin.elapsed() >= Duration::from_millis(2_900), "real time passed");
    assert_eq!(finished.outcome.simulated_s, 3.0);
    assert!(finished.outcome.checks.iter().all(|check| check.remark != "not measured"));
    assert!(finished.outcome.twin.is_some());
    // readings and commands stay with the loop: a controller and a desk find in them what was there the cycle before
    let calm = finished.outcome.checks.iter().find(|check| check.name.starts_with("interventions")).unwrap();
    assert!(calm.passed, "{calm:?}");
    let bus = finished.outcome.bus.unwrap();
    let times = bus.times.unwrap();
    assert_eq!((bus.boards, bus.lost_cycles, bus.unseen_cycles), (2, 0, 0));
    assert!(times.rows.iter().any(|row| row.name == "whole cycle" && row.max_us > 1.0), "{times}");

    let recording = Recording::open(&path).unwrap();
    let cycles = recording.end().unwrap().0 + 1;
    let controllers = controllers_only(&recording, &mut Progress::silent()).unwrap();
    assert_eq!(controllers.divergence, None);
    assert_eq!(controllers.cycles, cycles, "no cycle is missing");
    let refused = verify(&recording, 0, &mut Progress::silent()).unwrap_err().to_string();
    assert!(refused.contains("ethercat:none") && refused.contains("--controllers-only"), "{refused}");
}

#[test]
fn without_a_twin_what_only_the_truth_knows_is_not_measured_and_not_passed() {
    let mut stage = stage(false);
    stage.case.duration = Time::from_seconds(0.5);
    stage.case.checks = Case::parse(CHECKS, "case.toml").unwrap().checks;
    let folder = tempfile::tempdir().unwrap();
    let finished = run(&stage, &folder.path().join("run.mcap"), None);
    let by_name = |name: &str| finished.outcome.checks.iter().find(|check| check.name.starts_with(name)).unwrap();
    assert_eq!((by_name("tilt").remark, by_name("tilt").passed), ("not measured", false));
    assert_eq!((by_name("effort").remark, by_name("effort").passed), ("", true));
}

const CHECKS: &str = r#"
title = "t"
world = "flat"
robot = "bench"
seed = 1
duration = 1.0
[[check]]
kind = "metric"
metric = "tilt.max"
below = 90.0
[[check]]
kind = "metric"
metric = "effort_ratio.max"
below = 1.0
"#;

#[test]
fn the_operator_is_heard_on_the_real_time_thread() {
    let stage = stage(false);
    let (to, ring) = rtrb::RingBuffer::new(4);
    let (person, from) = crossbeam::channel::unbounded();
    let stop = OperatorInput { twist: None, request: Some(OperatorRequest::EmergencyStop) };
    person.send(stop).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let live = (LiveInput::Ring(ring), Forward { from, to });
    let finished = run(&stage, &folder.path().join("run.mcap"), Some(live));
    let heard = |event: &robot_io::Event| event.what.contains("emergency stop by the operator");
    assert!(finished.series.events.iter().any(heard), "{:?}", finished.series.events);
}

/// Joints and the base stand in the mirror where a simulation has them.
#[test]
fn the_mirror_shows_the_robot_where_its_sensors_say() {
    let library = Library::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")));
    let mut case = Case::load(&library, "centaur_drives_flat").unwrap();
    case.duration = Time::from_seconds(6.0);
    let stage = Stage::load(&library, case).unwrap();
    let mut session = Session::start(stage.assemble(Staffing::default()).unwrap()).unwrap();
    while session.readings().time < Time::from_seconds(6.0) {
        session.cycle().unwrap();
    }
    let (mut simulated, mut mirrored) = (plant::Frame::default(), plant::Frame::default());
    session.frame_into(&mut simulated);
    Mirror::new(&stage).unwrap().frame_into(session.readings(), session.telemetry(), &mut mirrored);
    assert_eq!(simulated.links_in_world.len(), mirrored.links_in_world.len());
    let moved = simulated.links_in_world[0].translation.vector
        - stage.simulation().unwrap().truth().base_in_world.translation.vector;
    assert!(moved.norm() > 0.3, "it drives: {moved:?}");
    for (name, (a, b)) in
        stage.robot.tree.links.iter().zip(simulated.links_in_world.iter().zip(&mirrored.links_in_world))
    {
        let away = (a.translation.vector - b.translation.vector).norm();
        assert!(away < 0.05, "{}: {away} m", name.name);
    }
}
