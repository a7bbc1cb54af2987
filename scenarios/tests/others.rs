//! Several robots in one scenario: each does what its table says, is asked by checks of its own, and is in log, replay, fork and snapshot.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::{Path, PathBuf};

use robot_io::Time;
use scenarios::progress::Progress;
use scenarios::recording::{Fork, Recording, fork};
use scenarios::run_log::RunLog;
use scenarios::runner::{Finished, Runner};
use scenarios::{Case, Staffing, Stage};
use support::runs::{assert_computed_again, library, run};

/// A centaur stands; a second one drives off beside it and then loses a motor, a third is driven by hand, and an arm that is fixed to the ground works beside
/// them.
const CASE: &str = r#"
title = "each for itself"
world = "flat"
robot = "centaur"
seed = 3
duration = 8.0
spawn = { x = 0.0, y = 0.0, yaw = 0.0 }

[[other]]
name = "porter"
robot = "centaur"
spawn = { x = 0.0, y = 2.0, yaw = 0.0 }

[other.settings]
cruise_speed = 0.4

[other.mission]
name = "off"

[[other.mission.steps]]
goto = { x = 0.8, y = 2.0, yaw = 0.0 }

[[other.fault]]
at = 7.0
kind = "motor_off"
joint = "front_left_wheel_left"

[[other]]
name = "arm"
robot = "arm"
base = "fixed"
spawn = { x = 0.0, y = -2.0, yaw = 0.0 }

[other.mission]
name = "left"

[[other.mission.steps]]
pose = { name = "left" }

[[other]]
name = "driven"
robot = "centaur"
spawn = { x = 0.0, y = 4.0, yaw = 0.0 }

[[other.operator]]
at = 1.0
duration = 2.0
twist = [0.2, 0.0, 0.0]

[[check]]
kind = "metric"
metric = "drift.max"
below = 0.02

[[push]]
at = 1.0
duration = 0.3
link = "driven/base_link"
force = [0.0, 150.0, 0.0]

[[check]]
kind = "metric"
robot = "driven"
metric = "roll.peak"
above = 0.3

[[check]]
kind = "mission"
robot = "porter"
end = "done"
before = 7.0

[[check]]
kind = "reached"
robot = "porter"
x = 0.8
y = 2.0
within = 0.12

[[check]]
kind = "event"
contains = "porter: front_left_wheel_left"

[[check]]
kind = "mission"
robot = "arm"
end = "done"

[[check]]
kind = "metric"
robot = "arm"
metric = "drift.max"
below = 0.0

[[check]]
kind = "metric"
robot = "driven"
metric = "distance.final"
above = 0.3
below = 0.5
"#;

fn stage(text: &str) -> Stage {
    Stage::load(&library(), Case::parse(text, "others.toml").unwrap()).unwrap()
}

fn log_of(folder: &Path) -> PathBuf {
    folder.join("run.mcap")
}

fn recorded(stage: &Stage, folder: &Path, workers: usize) -> Finished {
    let log = RunLog::create(&log_of(folder), stage, false).unwrap();
    let runner = Runner::new(stage, Staffing { workers, ..Staffing::default() }, Some(log)).unwrap();
    runner.run(&mut Progress::silent()).unwrap()
}

#[test]
fn each_robot_does_its_own_and_the_run_is_computed_again_from_its_log_alone() {
    let folder = tempfile::tempdir().unwrap();
    let stage = stage(CASE);
    let finished = recorded(&stage, folder.path(), 2);
    let failed: Vec<_> = finished.outcome.checks.iter().filter(|check| !check.passed).collect();
    assert!(failed.is_empty(), "{failed:?}");

    // the same on one thread, and another with another seed
    let again = run(&stage, None);
    assert_eq!(again.outcome.digest, finished.outcome.digest);
    let mut other = stage.clone();
    other.set_seed(4);
    assert_ne!(run(&other, None).outcome.digest, finished.outcome.digest);
    assert_ne!(other.others[0].case.seed, stage.others[0].case.seed);
    assert_ne!(stage.others[0].case.seed, stage.others[2].case.seed, "each has noise of its own");

    let recording = Recording::open(&log_of(folder.path())).unwrap();
    let files: Vec<&str> = recording.log.header().attachments.iter().map(|file| file.name.as_str()).collect();
    for expected in ["robot/centaur.urdf", "others/porter/robot/centaur.urdf", "others/arm/robot/arm.toml"] {
        assert!(files.contains(&expected), "{expected} in {files:?}");
    }
    assert_computed_again(&recording, &finished);

    // on from a saved state in the middle, to the same end
    let mut runner = recording.runner_at(Time::from_seconds(2.5)).unwrap();
    while !runner.is_over() {
        runner.cycle().unwrap();
    }
    assert_eq!(runner.session().digest().to_string(), finished.outcome.digest);

    // a fork that changes nothing is the run, and one with another seed is not
    let forked = |change: Fork| {
        let stage = change.stage(&recording).unwrap();
        let runner = fork(&recording, &stage, change.at, || Ok(None)).unwrap();
        runner.run(&mut Progress::silent()).unwrap().outcome.digest
    };
    let at = Time::from_seconds(3.0);
    assert_eq!(forked(Fork { at, ..Fork::default() }), finished.outcome.digest);
    assert_ne!(forked(Fork { at, seed: Some(9), ..Fork::default() }), finished.outcome.digest);
}

#[test]
fn what_a_snapshot_saves_of_the_others_is_restored_to_the_byte() {
    let stage = stage(CASE);
    let begin = || Runner::new(&stage, Staffing::default(), None).unwrap();
    let mut whole = begin();
    (0..300).for_each(|_| whole.cycle().unwrap());
    let saved = whole.session().snapshot();
    let mut restored = begin();
    restored.session().restore(&saved).unwrap();
    assert_eq!(restored.session().snapshot().to_bytes().unwrap(), saved.to_bytes().unwrap());
    for _ in 0..100 {
        whole.cycle().unwrap();
        restored.cycle().unwrap();
        assert_eq!(whole.session().digests(), restored.session().digests());
    }
}

#[test]
fn a_check_on_another_robot_can_fail() {
    let fails = |from: &str, to: &str| {
        assert!(CASE.contains(from), "{from}");
        let finished = run(&stage(&CASE.replacen(from, to, 1)), None);
        let failed = finished.outcome.checks.iter().filter(|check| !check.passed);
        failed.map(|check| check.name.clone()).collect::<Vec<_>>()
    };
    let failed = fails("above = 0.3\nbelow = 0.5", "above = 0.5");
    assert_eq!(failed, ["driven: distance.final ≥ 0.5 m"]);
    let failed = fails("goto = { x = 0.8, y = 2.0, yaw = 0.0 }", "goto = { x = 0.6, y = 2.0, yaw = 0.0 }");
    assert_eq!(failed, ["porter: (0.8, 2) m reached within 0.12 m"]);
}

#[test]
fn contacts_between_robots_are_told_by_their_names() {
    // the driven one's way ends at a bench that stands before it
    let case = CASE.replace(
        "name = \"driven\"\nrobot = \"centaur\"\nspawn = { x = 0.0, y = 4.0, yaw = 0.0 }",
        "name = \"driven\"\nrobot = \"centaur\"\nspawn = { x = -1.3, y = 0.0, yaw = 0.0 }",
    );
    let finished = run(&stage(&case.replace("twist = [0.2,", "twist = [0.5,")), None);
    let touches = finished.series.events.iter().filter(|event| event.source == "truth");
    let said: Vec<String> = touches.map(|event| event.what.to_string()).collect();
    assert!(said.iter().any(|what| what.starts_with("driven/") && !what.contains("touches driven/")), "{said:?}");
    assert!(said.iter().any(|what| !what.starts_with("driven/") && what.contains("touches driven/")), "{said:?}");
}

/// Each of these changes is refused with these words.
fn expect_refused(changes: &[(&str, &str, &str)]) {
    let mut wrong = Vec::new();
    for (from, to, expected) in changes {
        assert!(CASE.contains(from), "{from}");
        let case = Case::parse(&CASE.replacen(from, to, 1), "others.toml");
        let stage = case.and_then(|case| Stage::load(&library(), case));
        let begun = stage.and_then(|stage| Runner::new(&stage, Staffing::default(), None).map(drop));
        let message = begun.unwrap_err().to_string();
        if !message.contains(expected) {
            wrong.push(format!("expected {expected}\nfound    {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_wrong_with_another_robot_is_named_with_its_line() {
    expect_refused(&[
        ("cruise_speed = 0.4", "cruise_sped = 0.4", "others.toml:15: settings: "),
        (
            "cruise_speed = 0.4",
            "cruise_speed = -4.0",
            "others.toml:15: settings: cruise_speed [m/s]: expected a positive number, found -4",
        ),
        (
            "name = \"arm\"",
            "name = \"porter\"",
            "others.toml:29: other[1].name: expected a name that is used once, found a second `porter`",
        ),
        (
            "name = \"arm\"",
            "name = \"a/b\"",
            "others.toml:29: other[1].name: expected letters, digits, _ and -, found 'a/b'",
        ),
        ("base = \"fixed\"", "base = \"loose\"", "others.toml:31: other[1].base: expected one of \"free\", \"fixed\""),
        ("base = \"fixed\"", "bass = \"fixed\"", "others.toml:31: other[1].bass: expected one of name, mission"),
        (
            "pose = { name = \"left\" }",
            "pose = { name = \"lift\" }",
            "others.toml:38: mission: step 1: expected one of the poses stand, left, right, out",
        ),
        (
            "goto = { x = 0.8, y = 2.0, yaw = 0.0 }",
            "goto = { x = 0.8 }",
            "others.toml:21: other[0].mission.steps[1].goto.y: ",
        ),
        ("robot = \"arm\"", "robot = \"leg\"", "leg"),
        ("driven/base_link", "driven/wing", "push: centaur has no link named 'driven/wing'"),
        (
            "robot = \"porter\"",
            "robot = \"carrier\"",
            "check: robot: expected one of the other robots: porter, arm, driven; found 'carrier'",
        ),
        (
            "kind = \"motor_off\"\njoint = \"front_left_wheel_left\"",
            "kind = \"motor_off\"\njoint = \"wing\"",
            "others.toml:26: fault: centaur has no joint named 'wing'",
        ),
        ("kind = \"event\"\n", "kind = \"event\"\nrobot = \"porter\"\n", "unknown field"),
    ]);
}

#[test]
fn where_another_robot_cannot_begin_and_what_cannot_answer_it_is_named_with_its_line() {
    let porter = "name = \"porter\"\nrobot = \"centaur\"\nspawn = { x = 0.0, y = 2.0, yaw = 0.0 }";
    let at = |changed: &str| porter.replacen("x = 0.0, y = 2.0", changed, 1);
    expect_refused(&[
        (
            porter,
            &at("x = 0.3, y = 0.1"),
            "others.toml:12: spawn: expected robots that begin apart from each other, found ",
        ),
        (porter, &at("x = 99.0, y = 0.0"), "others.toml:12: spawn: expected a place on the terrain"),
        (porter, &format!("{porter}\npose = \"lie\""), "others.toml:13: pose: centaur has no pose 'lie'"),
        (
            porter,
            &format!("{porter}\nsensors = [\"nose\"]"),
            "others.toml:13: sensors: expected lasers, cameras and skin of centaur",
        ),
        (
            porter,
            &format!("{porter}\ncontroller = {{ program = [\"a\"] }}"),
            "others.toml:13: other: controller: expected `name`",
        ),
        (
            porter,
            &format!("{porter}\ncontroller = {{ name = \"wave\" }}"),
            "others.toml:13: controller: expected one of mission, program, found 'wave'",
        ),
    ]);
}
