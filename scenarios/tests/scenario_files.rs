//! Scenario files: what ships can be read, what is wrong is named, and nothing makes the reader panic.
#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;
use scenarios::{Case, Library};

const GOOD: &str = r#"
title = "t"
world = "flat"
robot = "centaur"
seed = 1
duration = 10.0
spawn = { x = 1.0, y = 2.0, yaw = 0.5 }
metrics = ["tilt.max"]

[mission]
name = "m"

[[mission.steps]]
goto = { x = 1.0, y = 0.0 }

[[fault]]
at = 1.0
until = 2.0
kind = "motor_off"
joint = "j"

[[push]]
at = 3.0
duration = 0.5
link = "base_link"
force = [1.0, 2.0, 3.0]

[[operator]]
at = 4.0
press = "pause"

[[operator]]
at = 5.0
duration = 1.0
twist = [0.1, 0.0, 0.0]

[[check]]
kind = "metric"
metric = "drift.max"
below = 0.1

[[check]]
kind = "reached"
x = 1.0
y = 0.0
within = 0.1
"#;

fn refused(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    Case::parse(&GOOD.replacen(from, to, 1), "case.toml").unwrap_err().to_string()
}

#[test]
fn a_whole_file_is_read() {
    let case = Case::parse(GOOD, "folder/case.toml").unwrap();
    assert_eq!(case.name, "case");
    assert_eq!((case.faults.len(), case.pushes.len(), case.operator.len(), case.checks.len()), (1, 1, 2, 2));
    assert_eq!(case.mission.steps.len(), 1);
    assert_eq!(case.pose, "stand");
}

#[test]
fn a_known_failure_says_why() {
    let with = |why: &str| GOOD.replacen("seed = 1", &format!("seed = 1\nknown_failure = \"{why}\""), 1);
    let case = Case::parse(&with("its wheels  slip"), "case.toml").unwrap();
    assert_eq!(case.known_failure.as_deref(), Some("its wheels slip"));
    let error = Case::parse(&with(" "), "case.toml").unwrap_err().to_string();
    assert!(error.starts_with("case.toml:6: known_failure: expected a text that is not empty"), "{error}");
}

#[test]
fn every_scenario_that_ships_can_be_read() {
    let library = Library::find().unwrap();
    for name in library.case_names().unwrap() {
        let case = Case::load(&library, &name).unwrap();
        assert!(!case.checks.is_empty(), "{name} checks nothing");
    }
}

#[test]
fn mistakes_are_named_by_line() {
    let cases = [
        (
            "duration = 10.0",
            "duration = -1.0",
            "case.toml:6: duration: expected a number from 0 to 86400 [s], found float `-1.0`",
        ),
        (
            "yaw = 0.5",
            "yaw = nan",
            "case.toml:7: spawn.yaw: expected a number from -100 to 100 [rad], found float `nan`",
        ),
        ("yaw = 0.5", "place = \"a\"", "case.toml:7: spawn: expected either `place` or `x`, `y` and `yaw`"),
        ("\"tilt.max\"", "\"tilt\"", "case.toml:8: metrics[0]: expected signal.reducer"),
        (
            "until = 2.0",
            "until = 0.5",
            "case.toml:18: fault[0].until: expected a time later than 1 [s], when it begins, found float `0.5`",
        ),
        (
            "\"motor_off\"",
            "\"motor_gone\"",
            "case.toml:19: fault[0].kind: expected one of stuck_encoder, dropped_reading",
        ),
        ("press = \"pause\"", "", "case.toml:28: operator[0]: expected one of `press`"),
        ("below = 0.1", "", "case.toml:37: check[0]: expected `below` or `above`, found neither"),
        ("goto = { x = 1.0", "goto = { z = 1.0", "case.toml:14"),
        ("seed = 1", "seed = -1", "case.toml:5"),
        ("title", "titel", "case.toml:2"),
        ("seed = 1", "seed = 1\nplant = \"Bus\"", "case.toml:6: plant: expected sim, virtual-bus, modelled-bus or"),
        ("seed = 1", "seed = 1\ncycle_ms = 0.0001", "case.toml:6: cycle_ms: expected a number from 0.05 to 1000 [ms]"),
        ("seed = 1", "seed = 1\ncycle_ms = 1.0\ncycle_us = 1000.0", "case.toml:7: cycle_us: expected either"),
        (
            "kind = \"motor_off\"\njoint = \"j\"",
            "kind = \"slow_controller\"",
            "case.toml:16: fault[0].cycles: expected a whole number from 1 to 100000, found nothing",
        ),
        (
            "kind = \"motor_off\"",
            "kind = \"controller_panic\"",
            "case.toml:20: fault[0].joint: expected one of at, until, kind, component, found an unknown field",
        ),
        ("[[fault]]", "[[bus_fault]]", "case.toml:19: [[bus_fault]] kind: expected one of `frame_loss`, `frame_delay`"),
    ];
    for (from, to, expected) in cases {
        let message = refused(from, to);
        assert!(message.contains(expected), "{from} -> {to}: expected '{expected}' in '{message}'");
    }
}

#[test]
fn every_kind_of_fault_that_a_message_names_is_known() {
    for kind in robot_io::FaultKind::KINDS {
        let text = GOOD.replacen("motor_off", kind, 1);
        let told = Case::parse(&text, "case.toml").err().map(|error| error.to_string()).unwrap_or_default();
        assert!(!told.contains(" kind: "), "{kind}: {told}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_the_reader_panic(text in "\\PC{0,300}") {
        drop(Case::parse(&text, "case.toml"));
    }

    #[test]
    fn no_change_of_a_good_file_makes_the_reader_panic(
        at in 0..GOOD.len(),
        length in 0..20_usize,
        inserted in "[-0-9a-z=\\[\\]{}\", .e\n]{0,12}",
    ) {
        let end = (at + length).min(GOOD.len());
        let text = format!("{}{inserted}{}", &GOOD[..at], &GOOD[end..]);
        if let Err(error) = Case::parse(&text, "case.toml") {
            prop_assert!(error.to_string().starts_with("case.toml:"), "{error}");
        }
    }

    #[test]
    fn any_number_anywhere_is_read_or_refused(value in any::<f64>(), which in 0..20_usize) {
        let places: Vec<usize> = GOOD.match_indices(".0").map(|(index, _)| index - 1).collect();
        let at = places[which % places.len()];
        let number = if value.is_nan() { "nan".to_owned() } else if value.is_infinite() { "inf".to_owned() } else { format!("{value:e}") };
        let text = format!("{}{number}{}", &GOOD[..at], &GOOD[at + 3..]);
        drop(Case::parse(&text, "case.toml"));
    }
}

#[test]
fn paths_of_world_and_robot_begin_at_the_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let library = Library::find().unwrap();
    let (robot, world) = (library.root().join("robot_models/bench"), library.root().join("worlds/flat.toml"));
    let mine = folder.path().join("mine");
    std::fs::create_dir_all(&mine).unwrap();
    for file in ["bench.toml", "bench.urdf"] {
        std::fs::copy(robot.join(file), mine.join(file)).unwrap();
    }
    std::fs::copy(world, mine.join("ground.toml")).unwrap();
    let case = folder.path().join("case.toml");
    let write = |robot: &str| {
        let text = format!(
            "title = \"t\"\nworld = \"mine/ground.toml\"\nrobot = \"{robot}\"\nseed = 1\nduration = 1.0\nspawn = {{ x = 0.0, y = 0.0, yaw = 0.0 }}\n"
        );
        std::fs::write(&case, text).unwrap();
        let case = Case::load(&library, case.to_str().unwrap()).unwrap();
        scenarios::Stage::load(&library, case)
    };
    assert_eq!(write("mine/bench.toml").unwrap().robot.name, "bench");
    let message = write("mine/bank.toml").unwrap_err().to_string();
    let looked = folder.path().join("mine/bank.toml").display().to_string();
    assert!(message.contains("mine/bank.toml: no such robot") && message.contains(&looked), "{message}");
}
