//! A controller that panics or is slow, and bus faults that cannot be: named, caught, and the run ends in order.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use robot_io::Severity;
use scenarios::progress::Progress;
use scenarios::recording::{Recording, controllers_only, verify};
use scenarios::runner::Finished;
use scenarios::{Case, Stage};
use support::runs::{assert_computed_again, library, run};

fn stage(duration: f64, more: &str) -> Stage {
    let text = format!(
        r#"
title = "trouble while driving"
world = "flat"
robot = "centaur"
seed = 11
duration = {duration:.1}
spawn = {{ x = 0.0, y = 0.0, yaw = 0.0 }}
metrics = ["tilt.max", "speed.final", "distance.final"]

[mission]
name = "straight"

[[mission.steps]]
goto = {{ x = 8.0, y = 0.0, yaw = 0.0 }}

{more}
"#
    );
    Stage::load(&library(), Case::parse(&text, "trouble.toml").unwrap()).unwrap()
}

fn metric(finished: &Finished, name: &str) -> f64 {
    finished.outcome.metrics[name].unwrap()
}

fn has_event(finished: &Finished, source: &str, text: &str) -> bool {
    finished.series.events.iter().any(|event| event.source == source && event.what.contains(text))
}

#[test]
fn a_panic_of_the_controller_stops_the_robot_and_ends_the_run_with_a_whole_log() {
    let stage = stage(9.0, "[[fault]]\nat = 3.0\nkind = \"controller_panic\"");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let finished = run(&stage, Some(&path));
    let panic = finished.series.events.iter().find(|event| event.source == "controller").unwrap();
    assert_eq!((panic.severity, panic.time.seconds()), (Severity::Stop, 3.0));
    assert!(panic.what.contains("because the scenario asks for it"), "{}", panic.what);
    assert!(has_event(&finished, "safety_filter", "emergency stop by the controller"));
    assert!(metric(&finished, "tilt.max") < 10.0 && metric(&finished, "speed.final") < 0.02);
    assert!((4.0..4.1).contains(&finished.outcome.simulated_s), "{} s", finished.outcome.simulated_s);
    assert!(finished.outcome.mission.contains("panicked"), "{}", finished.outcome.mission);

    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.log.cut(), None);
    assert_computed_again(&recording, &finished);
}

#[test]
fn a_controller_that_misses_a_few_cycles_is_ridden_through_and_replays() {
    let stage = stage(6.0, "[[fault]]\nat = 3.0\nuntil = 5.0\nkind = \"slow_controller\"\ncycles = 2");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let finished = run(&stage, Some(&path));
    assert!(has_event(&finished, "fault_injector", "controller slow"));
    assert!(!has_event(&finished, "safety_filter", "emergency stop"));
    assert!(metric(&finished, "distance.final") > 0.5);

    let recording = Recording::open(&path).unwrap();
    let whole = verify(&recording, 0, &mut Progress::silent()).unwrap();
    assert_eq!((whole.cycles, whole.divergence), (1500, None));
    let controllers = controllers_only(&recording, &mut Progress::silent()).unwrap();
    let unanswered = 500 * 2 / 3 + 1;
    assert_eq!(controllers.divergence, None);
    assert!(controllers.cycles.abs_diff(1500 - unanswered) <= 1, "{} cycles compared", controllers.cycles);
}

#[test]
fn a_controller_that_falls_silent_is_stopped_by_the_watchdog_and_the_robot_comes_to_rest() {
    let finished = run(&stage(6.0, "[[fault]]\nat = 3.0\nkind = \"slow_controller\"\ncycles = 100000"), None);
    assert!(has_event(&finished, "safety_filter", "emergency stop by the watchdog"));
    assert!(metric(&finished, "speed.final") < 0.02, "{} m/s", metric(&finished, "speed.final"));
    assert!(metric(&finished, "tilt.max") < 10.0);
}

#[test]
fn bus_faults_without_a_bus_are_refused_with_their_line() {
    let text = std::fs::read_to_string(library().case("centaur_stands").unwrap()).unwrap();
    let fault = "\n[[bus_fault]]\nat = 1.0\nkind = \"cable_cut\"\nafter = \"nobody\"\n";
    let line = text.lines().count() + 2;
    let case = Case::parse(&format!("{text}{fault}"), "case.toml").unwrap();
    let message = Stage::load(&library(), case).unwrap_err().to_string();
    assert!(message.starts_with(&format!("case.toml:{line}: bus_fault: expected a plant with a bus")), "{message}");
}

#[test]
fn an_unknown_sensor_is_refused_with_its_line_and_those_there_are() {
    let text = std::fs::read_to_string(library().case("centaur_stands").unwrap()).unwrap();
    let stage = |sensors: &str| {
        let case = Case::parse(&format!("sensors = [\n  {sensors}\n]\n{text}"), "case.toml").unwrap();
        Stage::load(&library(), case)
    };
    let layout = stage("\"laser\", \"rgbd_depth\"").unwrap().layout();
    assert_eq!((layout.lasers.len(), layout.cameras.len(), layout.depth_cameras.len()), (1, 0, 1));
    let message = stage("\"laser\", \"radar\"").unwrap_err().to_string();
    assert!(
        message.starts_with("case.toml:2: sensors: expected lasers, cameras and skin of centaur: laser, "),
        "{message}"
    );
    assert!(message.ends_with("found 'radar'"), "{message}");
}
