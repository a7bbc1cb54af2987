//! Every single fault that a scenario can inject, and what the robot does about it.
#![allow(clippy::unwrap_used, reason = "tests")]

use scenarios::progress::Progress;
use scenarios::runner::{Finished, Runner};
use scenarios::{Case, Library, Staffing, Stage};
use support::root;

/// Drives straight ahead for nine seconds with one fault at 3 s.
fn drive_with(fault: &str) -> Finished {
    let text = format!(
        r#"
        title = "a fault while driving"
        world = "flat"
        robot = "centaur"
        seed = 11
        duration = 9.0
        spawn = {{ x = 0.0, y = 0.0, yaw = 0.0 }}
        metrics = ["tilt.max", "speed.final", "distance.final", "interventions.final"]

        [mission]
        name = "straight"

        [[mission.steps]]
        goto = {{ x = 8.0, y = 0.0, yaw = 0.0 }}

        {fault}
        "#
    );
    let library = Library::at(root());
    let stage = Stage::load(&library, Case::parse(&text, "fault.toml").unwrap()).unwrap();
    Runner::new(&stage, Staffing::default(), None).unwrap().run(&mut Progress::silent()).unwrap()
}

fn metric(finished: &Finished, name: &str) -> f64 {
    finished.outcome.metrics[name].unwrap()
}

fn has_event(finished: &Finished, source: &str, text: &str) -> bool {
    finished.series.events.iter().any(|event| event.source == source && event.what.contains(text))
}

/// Whatever breaks, the robot stays upright.
fn assert_upright(finished: &Finished) {
    let tilt = metric(finished, "tilt.max");
    assert!(tilt < 10.0, "tilted by {tilt}°");
}

fn assert_stopped(finished: &Finished) {
    let speed = metric(finished, "speed.final");
    assert!(speed < 0.02, "still moves at {speed} m/s; mission: {}", finished.outcome.mission);
    assert!(metric(finished, "distance.final") < 6.0);
}

#[test]
fn without_a_fault_the_robot_drives_on() {
    let finished = drive_with("");
    assert_upright(&finished);
    assert!(metric(&finished, "distance.final") > 2.0);
    assert_eq!(metric(&finished, "interventions.final"), 0.0);
}

#[test]
fn a_dead_wheel_motor_is_noticed_and_the_robot_stops() {
    let finished = drive_with("[[fault]]\nat = 3.0\nkind = \"motor_off\"\njoint = \"rear_right_wheel_left\"");
    assert_upright(&finished);
    assert_stopped(&finished);
    assert!(has_event(&finished, "fault_injector", "motor off"));
    assert!(finished.outcome.mission.contains("rear_right_wheel_left"), "{}", finished.outcome.mission);
}

#[test]
fn a_stuck_wheel_encoder_is_noticed_and_the_robot_stops() {
    let finished = drive_with("[[fault]]\nat = 3.0\nkind = \"stuck_encoder\"\njoint = \"front_right_wheel_right\"");
    assert_upright(&finished);
    assert_stopped(&finished);
}

#[test]
fn a_joint_whose_readings_stop_is_held_and_then_stops_the_robot() {
    let fault = "[[fault]]\nat = 3.0\nkind = \"dropped_reading\"\njoint = \"front_left_knee_pitch\"\nprobability = 1.0";
    let finished = drive_with(fault);
    assert_upright(&finished);
    assert_stopped(&finished);
    assert!(has_event(&finished, "safety_filter", "no fresh reading"));
    assert!(has_event(&finished, "safety_filter", "emergency stop, readings have stopped"));
}

#[test]
fn some_lost_readings_are_ridden_through() {
    let fault = "[[fault]]\nat = 3.0\nuntil = 5.0\nkind = \"dropped_reading\"\njoint = \"rear_left_knee_pitch\"\nprobability = 0.3";
    let finished = drive_with(fault);
    assert_upright(&finished);
    assert!(metric(&finished, "distance.final") > 2.0);
}

#[test]
fn a_noise_burst_on_an_encoder_does_not_upset_the_robot() {
    let fault = "[[fault]]\nat = 3.0\nuntil = 4.0\nkind = \"noise_burst\"\njoint = \"front_left_hip_pitch\"\nstandard_deviation = 0.01";
    assert_upright(&drive_with(fault));
}

#[test]
fn commands_that_come_late_do_not_upset_the_robot() {
    let finished = drive_with("[[fault]]\nat = 3.0\nuntil = 5.0\nkind = \"delayed_command\"\ncycles = 5");
    assert_upright(&finished);
    assert!(metric(&finished, "distance.final") > 2.0);
}

#[test]
fn the_emergency_stop_stops_and_stays_until_it_is_cleared() {
    let finished = drive_with("[[operator]]\nat = 3.0\npress = \"emergency_stop\"");
    assert_upright(&finished);
    assert_stopped(&finished);
    assert!(has_event(&finished, "safety_filter", "emergency stop by the operator"));
}
