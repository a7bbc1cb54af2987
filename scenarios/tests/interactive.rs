//! The session of a person at the desk, without a window: what a window asks for comes from the test.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::Path;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, bounded, unbounded};
use robot_io::{Event, OperatorInput, OperatorRequest, ShortName, Time, Twist};
use scenarios::interactive::{Live, LogPlace, Opening, Player, Tape, signals};
use scenarios::progress::Progress;
use scenarios::recording::{Recording, controllers_only, verify};
use scenarios::runner::Finished;
use scenarios::{Case, Library, ScenarioError, Staffing, Stage};
use station::{Request, StationFrame};

/// A scenario of two seconds whose mission is done long before: an arm moves, and that is all.
const CASE: &str = r#"
title = "somebody at the desk"
world = "flat"
robot = "centaur"
seed = 5
duration = 2.0
spawn = { x = 0.0, y = 0.0, yaw = 0.0 }

[mission]
name = "wait"

[[mission.steps]]
wait = { seconds = 0.4 }

[[check]]
kind = "metric"
metric = "tilt.max"
below = 10.0
"#;

/// A person at a desk without a window.
struct Desk {
    requests: Sender<Request>,
    frames: Receiver<StationFrame>,
    player: JoinHandle<Result<Live, ScenarioError>>,
    seen: StationFrame,
    /// All that happened.
    events: Vec<Event>,
    /// Cycles since the run began.
    done: u64,
}

fn stage() -> Stage {
    Stage::load(&library(), Case::parse(CASE, "desk.toml").unwrap()).unwrap()
}

fn library() -> Library {
    Library::at(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")))
}

impl Desk {
    fn sit_down(log: Option<&Path>) -> Desk {
        Desk::at(stage(), log)
    }

    fn at(stage: Stage, log: Option<&Path>) -> Desk {
        let (to_window, frames) = bounded(1);
        let (requests, asked) = unbounded();
        let log = log.map(|path| LogPlace(path.to_owned()));
        let live = Live::begin(stage, &Staffing::default(), log).unwrap();
        // as fast as possible: nothing here depends on the wall's clock
        let opening = Opening { paused: true, speed: f64::INFINITY, link: None };
        let player = thread::spawn(move || Player::new(live, opening, to_window, asked).play());
        let seen = frames.recv().unwrap();
        Desk { requests, frames, player, seen, events: Vec::new(), done: 0 }
    }

    fn ask(&self, request: Request) {
        self.requests.send(request).unwrap();
    }

    fn press(&self, button: OperatorRequest) {
        self.ask(Request::Operator(OperatorInput { twist: None, request: Some(button) }));
    }

    fn steer(&self, twist: Option<Twist>) {
        self.ask(Request::Operator(OperatorInput { twist, request: None }));
    }

    /// So many cycles on, and what can be seen then.
    fn step(&mut self, cycles: u64) -> &StationFrame {
        (0..cycles).for_each(|_| self.ask(Request::Step));
        self.done += cycles;
        while self.seen.readings.cycle + 1 < self.done {
            self.look();
        }
        &self.seen
    }

    fn look(&mut self) {
        self.seen = self.frames.recv().unwrap();
        self.events.extend_from_slice(&self.seen.events);
    }

    /// The first frame after a restart.
    fn restart(&mut self, seed: Option<u64>) {
        let attempt = self.seen.status.attempt;
        self.ask(Request::Restart { seed });
        while self.seen.status.attempt == attempt {
            self.look();
        }
        self.done = 0;
    }

    /// The person closes the window.
    fn close(self) -> Finished {
        drop(self.requests);
        self.player.join().unwrap().unwrap().finish().unwrap()
    }

    fn x(&self) -> f64 {
        self.seen.frame.links_in_world[0].translation.x
    }

    fn was_told(&self, part: &str) -> bool {
        self.events.iter().any(|event| event.what.contains(part))
    }
}

fn forward() -> Option<Twist> {
    Some(Twist { x: 0.3, y: 0.0, yaw: 0.0 })
}

fn assert_verifies(log: &Path) {
    let recording = Recording::open(log).unwrap();
    let verification = verify(&recording, 0, &mut Progress::silent()).unwrap();
    assert!(verification.divergence.is_none(), "{}: {:?}", log.display(), verification.divergence);
    let verification = controllers_only(&recording, &mut Progress::silent()).unwrap();
    assert!(verification.divergence.is_none(), "{}: {:?}", log.display(), verification.divergence);
}

#[test]
fn after_the_scenarios_end_the_robot_drives_on_and_the_checks_keep_their_answer() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.mcap");
    let mut desk = Desk::sit_down(Some(&log));
    desk.step(520);
    let result = desk.seen.status.result.clone().expect("two seconds are over");
    assert!(result.passed, "{}", result.text);
    let before = desk.x();
    desk.steer(forward());
    desk.step(375);
    assert!(desk.x() - before > 0.2, "drove {} m after the end", desk.x() - before);
    desk.steer(None);
    desk.step(25);
    let finished = desk.close();
    assert!(finished.outcome.passed && !finished.outcome.interrupted, "{:?}", finished.outcome.checks);
    assert_eq!(finished.outcome.cycles, 920, "the session is as long as it was");
    assert_verifies(&log);
    let (last, _) = Recording::open(&log).unwrap().end().unwrap();
    assert_eq!(last, 919, "what came after the end is in the log");
}

#[test]
fn an_emergency_stop_holds_is_shown_is_cleared_and_the_robot_drives_on() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.mcap");
    let mut desk = Desk::sit_down(Some(&log));
    desk.steer(forward());
    desk.step(200);
    assert_eq!(desk.seen.status.stop, None);
    desk.press(OperatorRequest::EmergencyStop);
    desk.step(100);
    assert!(desk.seen.status.stop.as_deref().is_some_and(|cause| cause.contains("operator")), "{:?}", desk.seen.status);
    let stopped_at = desk.x();
    // the stick is still held, and a minute's worth of a stop is no end of the session
    desk.step(250);
    assert!((desk.x() - stopped_at).abs() < 0.02, "moved {} m while stopped", desk.x() - stopped_at);
    assert!(desk.seen.status.stop.is_some(), "it is latched");
    desk.steer(None);
    desk.press(OperatorRequest::ClearEmergencyStop);
    desk.step(50);
    assert_eq!(desk.seen.status.stop, None);
    desk.steer(forward());
    desk.step(375);
    assert!(desk.x() - stopped_at > 0.2, "drove {} m after the stop", desk.x() - stopped_at);
    desk.close();
    assert_verifies(&log);
}

#[test]
fn a_reset_begins_the_same_run_and_another_seed_another_one() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.mcap");
    let mut desk = Desk::sit_down(Some(&log));
    let first = desk.step(300).readings.clone();
    desk.restart(None);
    assert_eq!((desk.seen.status.seed, desk.seen.readings.time), (5, Time::ZERO));
    assert_eq!(desk.step(300).readings, first, "the same seed, the same readings");
    desk.restart(Some(6));
    assert_eq!(desk.seen.status.seed, 6);
    assert_ne!(desk.step(300).readings.imus, first.imus, "another seed, another noise");
    let finished = desk.close();
    assert_eq!((finished.outcome.seed, finished.outcome.interrupted), (6, true), "closed before its time was over");
    let logs = [("attempt_1.mcap", 5), ("attempt_2.mcap", 5), ("run.mcap", 6)];
    for (name, seed) in logs {
        let path = folder.path().join(name);
        assert_eq!(Recording::open(&path).unwrap().log.header().seed, seed, "{name}");
        assert_verifies(&path);
    }
}

#[test]
fn joints_move_by_hand_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.mcap");
    let mut desk = Desk::sit_down(Some(&log));
    desk.step(10);
    let movable = scenarios::interactive::movable(&stage());
    let layout = stage().layout();
    let wide = |joint: &usize| layout.joints[*joint].limits.upper - layout.joints[*joint].limits.lower > 1.0;
    let joint = (0..movable.len()).filter(|joint| movable[*joint]).find(wide).unwrap();
    let (name, limits) = (&layout.joints[joint].name, layout.joints[joint].limits);
    let position = |desk: &Desk| desk.seen.readings.joints[joint].position;
    let before = position(&desk);
    let target = if before + 0.4 < limits.upper { before + 0.4 } else { before - 0.4 };
    desk.press(OperatorRequest::MoveJoint { joint, position: target });
    desk.step(750);
    assert!((position(&desk) - target).abs() < 0.05, "{name}: wanted {target}, is at {}", position(&desk));
    desk.press(OperatorRequest::ReleaseJoint { joint });
    desk.step(750);
    assert!((position(&desk) - before).abs() < 0.05, "{name}: was at {before}, is at {}", position(&desk));

    let wheel = movable.iter().position(|movable| !*movable).unwrap();
    desk.press(OperatorRequest::MoveJoint { joint: wheel, position: 0.0 });
    desk.step(20);
    assert!(desk.was_told("it carries the robot"), "{:?}", desk.events);
    desk.close();
    assert_verifies(&log);
}

#[test]
fn a_setting_acts_at_once_and_is_in_the_log() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.mcap");
    let mut desk = Desk::sit_down(Some(&log));
    desk.step(150);
    let setting = ShortName::new("locomotion.drive.speed").unwrap();
    desk.press(OperatorRequest::Set { setting, value: 0.1 });
    desk.steer(forward());
    desk.step(250);
    let before = desk.x();
    desk.step(250);
    let speed = desk.x() - before;
    assert!((speed - 0.1).abs() < 0.02, "0.3 m/s are asked for and 0.1 m/s allowed, found {speed} m/s");
    desk.press(OperatorRequest::Set { setting, value: 1e6 });
    desk.step(20);
    assert!(desk.was_told("out of its range"), "{:?}", desk.events);
    desk.close();
    assert_verifies(&log);
}

#[test]
fn a_closed_window_ends_the_session_at_once_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.mcap");
    let mut desk = Desk::sit_down(Some(&log));
    desk.step(100);
    let finished = desk.close();
    assert_eq!(finished.outcome.cycles, 100, "nothing is computed for nobody");
    assert!(finished.outcome.interrupted && !finished.outcome.passed);
    assert!(Recording::open(&log).unwrap().log.cut().is_none(), "the log is closed");
}

#[test]
fn a_log_shows_its_signals_from_end_to_end_and_any_moment_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.mcap");
    let mut desk = Desk::sit_down(Some(&log));
    desk.steer(forward());
    desk.step(600);
    let end = desk.x();
    desk.close();

    let recording = Recording::open(&log).unwrap();
    let past = signals(&recording).unwrap();
    let points = past.points("base.x [m]", 0.0, 1e9, 10_000).unwrap();
    let last = points.last().unwrap();
    assert!((last[0] - 2.396).abs() < 0.03 && (last[1] - end).abs() < 0.05, "{last:?}, {end}");
    for name in ["odometry.velocity.x [m/s]", "twist.x [m/s]", "tip_over_margin [m]"] {
        assert!(past.points(name, 0.0, 1e9, 100).is_some_and(|points| points.len() > 50), "{name}");
    }
    let joints = past.names().filter(|name| name.ends_with(".temperature [°C]")).count();
    assert_eq!(joints, recording.log.layout().joints.len());

    let (to_window, frames) = bounded(1);
    let (requests, asked) = unbounded();
    let tape = Tape::new(recording).unwrap();
    let opening = Opening { paused: true, speed: f64::INFINITY, link: None };
    let player = thread::spawn(move || Player::new(tape, opening, to_window, asked).play().map(drop));
    // of many moments that a dragged time line asks for, the last one counts
    for time in [0.3, 2.2, 1.5] {
        requests.send(Request::Seek(Time::from_seconds(time))).unwrap();
    }
    let there = |shown: &StationFrame| (shown.frame.time.seconds() - 1.5).abs() < 0.005;
    assert!(frames.iter().any(|shown| there(&shown)));
    requests.send(Request::Quit).unwrap();
    player.join().unwrap().unwrap();
}

#[test]
fn a_window_that_is_slow_misses_no_step() {
    let case = Case::load(&library(), "humanoid_walks_flat").unwrap();
    let mut desk = Desk::at(Stage::load(&library(), case).unwrap(), None);
    (0..5_000).for_each(|_| desk.ask(Request::Step));
    while desk.seen.readings.cycle + 1 < 5_000 {
        thread::sleep(Duration::from_millis(700));
        desk.look();
    }
    let shown = desk.seen.clone();
    desk.close();
    let prints: Vec<_> = shown.footprints.latest_first().copied().collect();
    assert!(prints.len() > 6, "it has walked for three seconds and left {} prints", prints.len());
    let steps = &prints[..prints.len() - 2];
    assert!(steps.windows(2).all(|pair| pair[0].side != pair[1].side), "feet take turns: {steps:?}");
    assert!(steps.windows(2).all(|pair| pair[0].pose.x > pair[1].pose.x), "each is ahead of the one before: {steps:?}");
    let feet = shown.frame.contacts.iter().map(|contact| contact.position_in_world);
    let near = |foot: nalgebra::Vector3<f64>| prints[..2].iter().any(|sole| (sole.pose.x - foot.x).abs() < 0.2);
    assert!(feet.into_iter().all(near), "prints are where feet truly stand");
}
