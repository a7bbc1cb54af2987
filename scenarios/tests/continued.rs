//! A controller that was lost is brought back from its log, on a robot that is still there, and goes on where it was.
#![allow(clippy::unwrap_used, reason = "tests")]

use desk::Desk;
use lab::Lab;
use scenarios::outcome::Outcome;
use scenarios::{Pace, Registry};

#[path = "support/desk.rs"]
mod desk;
#[path = "support/lab.rs"]
mod lab;

const FILE: &str = "errands.toml";
/// Three places one after the other, found on a map that the robot draws.
const CASE: &str = r#"
title = "Three places"
world = "spacebot"
robot = "centaur"
sensors = ["laser"]
plant = "lab"
seed = 5
duration = 90.0
linger = 0.5
spawn = { place = "landing" }

[mission]
name = "three places"
mapping = true
navigate = true

[[mission.steps]]
goto = { x = -6.6, y = -8.0, tolerance = 0.3, heading_tolerance = 7.0 }

[[mission.steps]]
stance = { height = 0.62 }

[[mission.steps]]
goto = { x = -4.6, y = -7.6, tolerance = 0.3, heading_tolerance = 7.0 }

[[check]]
kind = "mission"
end = "done"
"#;

/// The controller breaks on the way to the third place.
const BREAKS: &str = "\n[[fault]]\nat = 12.0\nkind = \"controller_panic\"\n";

fn desk(case: &str, pace: Pace) -> (Desk, Lab) {
    let lab = Lab::default();
    (Desk::with(FILE, case, lab.in_registry(Registry::standard(), pace)), lab)
}

/// What a log tells, in words.
fn told(desk: &Desk, log: &str) -> Vec<String> {
    let log = replay::LogReader::open(&desk.at(log)).unwrap();
    log.events().unwrap().into_iter().map(|event| event.message).collect()
}

fn goes_on(desk: &Desk, lab: &Lab) {
    let broken_off = lab.truth().base_in_world.translation.vector;
    let log = desk.at("first/run.mcap");
    let (outcome, metrics) = desk.run(FILE, &["--continue", log.to_str().unwrap()], "second").unwrap();
    assert_eq!((outcome, &metrics["mission"]), (Outcome::Passed, &"all 3 steps done".into()), "{metrics}");
    let there = lab.truth().base_in_world.translation.vector;
    assert!((there - broken_off).norm() > 0.5, "it drove on: from {broken_off} to {there}");
    assert!((there.xy() - nalgebra::Vector2::new(-4.6, -7.6)).norm() < 0.35, "by the map that it had drawn: {there}");
    let told = told(desk, "second/run.mcap");
    let count = |what: &str| told.iter().filter(|line| line.contains(what)).count();
    assert_eq!(count("the robot follows again"), 1, "{told:#?}");
    assert_eq!(count("step done"), 1, "the first two are done already: {told:#?}");
    let again = desk.at("second/run.mcap");
    let again = again.to_str().unwrap();
    assert_eq!(desk.chiron(&["replay", again, "--controllers-only", "--quiet"]).unwrap(), Outcome::Passed);
}

#[test]
fn a_mission_that_was_cut_off_goes_on_at_its_step_with_its_map() {
    let (desk, lab) = desk(CASE, Pace::LockStep);
    assert_eq!(desk.run(FILE, &["--duration", "12"], "first").unwrap().0, Outcome::Failed);
    goes_on(&desk, &lab);
}

#[test]
fn so_does_one_whose_controller_panicked_and_the_panic_does_not_come_again() {
    let (desk, lab) = desk(&format!("{CASE}{BREAKS}"), Pace::LockStep);
    assert_eq!(desk.run(FILE, &[], "first").unwrap().0, Outcome::Failed);
    goes_on(&desk, &lab);
}

#[test]
fn what_goes_on_can_be_cut_off_and_go_on_once_more() {
    let (desk, lab) = desk(CASE, Pace::LockStep);
    desk.run(FILE, &["--duration", "6"], "zeroth").unwrap();
    let zeroth = desk.at("zeroth/run.mcap");
    desk.run(FILE, &["--duration", "12", "--continue", zeroth.to_str().unwrap()], "first").unwrap();
    goes_on(&desk, &lab);
}

#[test]
fn what_cannot_go_on_is_refused_with_what_can_be_done() {
    let (desk, _) = desk(CASE, Pace::LockStep);
    desk.run(FILE, &["--duration", "1"], "first").unwrap();
    let log = desk.at("first/run.mcap");
    let log = log.to_str().unwrap();
    let refused = desk.refused(FILE, &["--continue", log, "--plant", "sim"]);
    assert!(
        refused.contains("expected a robot that is still there, found 'sim'") && refused.contains("--fork-at"),
        "{refused}"
    );
    let over = desk.refused(FILE, &["--continue", log, "--duration", "1"]);
    assert!(over.contains("expected a run that ended before its 1.000 s, found 0.996 s"), "{over}");
    let twin = desk.refused(FILE, &["--continue", log, "--twin", "shadow"]);
    assert!(twin.contains("expected a run without a twin"), "{twin}");
    let other = desk.refused("centaur_drives_flat", &["--continue", log, "--plant", "lab"]);
    assert!(other.contains("expected the run's own scenario 'centaur_drives_flat', found 'errands'"), "{other}");
    desk.change(FILE, "height = 0.62", "height = 0.64");
    let changed = desk.refused(FILE, &["--continue", log]);
    assert!(changed.contains("expected the scenario's mission as it is now, found another"), "{changed}");
    assert!(!desk.at("refused").exists(), "nothing is left of it");
}
