//! A fork goes on with everything that the recorded run was, what its checks had seen included.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::{Path, PathBuf};

use robot_io::Time;
use scenarios::progress::Progress;
use scenarios::recording::{Fork, Recording, fork};
use scenarios::run_log::RunLog;
use scenarios::runner::Finished;
use scenarios::{Case, Stage};
use support::runs::{library, run};

/// A drive whose first waypoint is reached at about 6 s, and whose checks look at all of it.
const CASE: &str = r#"
title = "there and on"
world = "flat"
robot = "centaur"
seed = 3
duration = 12.0
spawn = { x = 0.0, y = 0.0, yaw = 0.0 }
metrics = ["tilt.max", "distance.final", "speed.max"]

[mission]
name = "there and on"

[[mission.steps]]
goto = { x = 0.6, y = 0.0, yaw = 0.0 }

[[mission.steps]]
goto = { x = 0.6, y = 0.6, yaw = 0.0 }

[[push]]
at = 1.0
duration = 0.2
link = "base_link"
force = [0.0, 200.0, 0.0]

[[check]]
kind = "reached"
x = 0.6
y = 0.0
within = 0.1
before = 8.0

[[check]]
kind = "metric"
metric = "roll.peak"
above = 0.1

[[check]]
kind = "metric"
metric = "tilt.max"
before = 3.0
below = 10.0

[[check]]
kind = "event"
contains = "mission"
before = 4.0
"#;

fn record(folder: &Path) -> (Finished, PathBuf) {
    let stage = Stage::load(&library(), Case::parse(CASE, "there.toml").unwrap()).unwrap();
    let path = folder.join("run.mcap");
    (run(&stage, Some(&path)), path)
}

/// Forks a log and leaves the fork's own.
fn go_on(log: &Path, change: &Fork, to: &Path) -> Finished {
    let recording = Recording::open(log).unwrap();
    let stage = change.stage(&recording).unwrap();
    let create = || RunLog::create(to, &stage, false).map(Some);
    fork(&recording, &stage, change.at, create).unwrap().run(&mut Progress::silent()).unwrap()
}

#[test]
fn the_checks_of_a_fork_count_what_was_before_it() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, log) = record(folder.path());
    assert!(whole.outcome.checks[0].passed, "{:#?}", whole.outcome.checks);
    // neither at a saved state nor at a multiple of anything
    let at = Time::from_seconds(8.37);
    let unchanged = go_on(&log, &Fork { at, ..Fork::default() }, &folder.path().join("unchanged.mcap"));
    assert_eq!(unchanged.outcome.checks, whole.outcome.checks);
    assert_eq!(unchanged.outcome.metrics, whole.outcome.metrics);
    assert_eq!(unchanged.outcome.digest, whole.outcome.digest);

    let change = Fork { at, seed: Some(9), settings: vec!["cruise_speed=0.3".to_owned()] };
    let changed = go_on(&log, &change, &folder.path().join("changed.mcap"));
    assert_ne!(changed.outcome.digest, whole.outcome.digest);
    assert_eq!(changed.outcome.checks[0], whole.outcome.checks[0], "a waypoint that was reached stays reached");

    let later = Fork { at: Time::from_seconds(9.5), ..Fork::default() };
    let again = go_on(&folder.path().join("unchanged.mcap"), &later, &folder.path().join("again.mcap"));
    assert_eq!(again.outcome.checks, whole.outcome.checks, "a fork of a fork");
}

#[test]
fn a_fork_that_changes_nothing_differs_nowhere() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, log) = record(folder.path());
    let (same, other) = (folder.path().join("same.mcap"), folder.path().join("other.mcap"));
    let at = Time::from_seconds(2.4);
    go_on(&log, &Fork { at, ..Fork::default() }, &same);
    for (a, b) in [(&log, &same), (&same, &log)] {
        let found = replay::compare(a, b).unwrap();
        assert_eq!((found.from, found.cycles, found.first), ((600, at), whole.outcome.cycles - 600, None));
    }
    go_on(&log, &Fork { at, seed: Some(9), ..Fork::default() }, &other);
    let found = replay::compare(&log, &other).unwrap().first.unwrap();
    // other noise, and a controller that is told of its robot with other errors
    assert!((600..604).contains(&found.cycle), "{found}");
}
