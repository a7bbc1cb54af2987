//! A robot that is stopped by its bus or its safety filter: the mission says so with all causes, blames nobody else, waits, and
//! goes on.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use mission::{Activity, DriveFault, StopCause};
use robot_io::{Cause, CauseKind, Lifecycle, OperatorRequest, RobotStatus, Severity};
use support::{Bench, ROLL, SHOULDER};

const FAR: &str = "[[steps]]\ngoto = { x = 50, y = 0 }\n";

/// A bench that has driven for five seconds on a robot with two boards.
fn driving() -> Bench {
    let mut bench = Bench::new(FAR);
    bench.readings.status.lifecycle = Lifecycle::Active;
    bench.run(5.0);
    assert!(bench.speed() > 0.3);
    bench
}

fn stop(bench: &mut Bench, kind: CauseKind, board: usize) {
    bench.readings.status.lifecycle = Lifecycle::Fault;
    bench.readings.status.causes.add(Cause { board: Some(board), ..Cause::new(kind, 3.0, 0.0) });
}

fn switched_on(bench: &mut Bench) {
    bench.readings.status = RobotStatus { lifecycle: Lifecycle::Active, ..RobotStatus::default() };
}

#[test]
fn all_causes_are_told_once_each_and_nobody_else_is_blamed() {
    let mut bench = driving();
    stop(&mut bench, CauseKind::CableCut, 7);
    stop(&mut bench, CauseKind::BoardGone, 1);
    // what follows from the stop: wheels stand still, sensors fall silent, the margin is wrong
    let now = bench.readings.time;
    bench.turn(|knobs| {
        knobs.fault = Some(DriveFault { joint: ROLL, residual: 9.0, threshold: 1.0 });
        (knobs.blind_since, knobs.margin) = (Some(now), 0.0);
    });
    bench.run(3.0);
    let told = bench.said("robot stopped");
    assert_eq!(told.len(), 1, "{:?}", bench.lines());
    let expected = "robot stopped: cable cut behind the board at place 8: 3 boards do not answer; the board at place 2 does \
                    not answer; mend that and clear the stop, the mission then goes on";
    assert_eq!((told[0].what.as_ref(), told[0].severity), (expected, Severity::Stop));
    assert_eq!(bench.events.iter().filter(|event| event.severity == Severity::Stop).count(), 1, "{:?}", bench.lines());
    assert_eq!(bench.status().stop_cause().as_deref(), Some("robot stopped"));
    // a second cut, later
    stop(&mut bench, CauseKind::CableCut, 3);
    bench.run(1.0);
    assert_eq!(bench.said("robot stopped").len(), 2);
    assert!(bench.lines().last().unwrap().contains("place 4"), "{:?}", bench.lines());
}

#[test]
fn the_steps_wait_and_go_on_after_recovery() {
    let mut bench = driving();
    stop(&mut bench, CauseKind::DriveFault, 0);
    bench.run(0.1);
    bench.press(OperatorRequest::Resume);
    assert_eq!(bench.said("resume refused").len(), 1);
    // longer than any step may go without progress
    bench.run(60.0);
    assert!(bench.said("stalled").is_empty() && bench.speed() == 0.0, "{:?}", bench.lines());
    switched_on(&mut bench);
    bench.run(3.0);
    assert_eq!(bench.said("the robot follows again").len(), 1);
    assert!(bench.status().activity == Activity::Running && bench.speed() > 0.3, "{}", bench.status());
}

#[test]
fn an_arm_that_has_sunk_meanwhile_is_lifted_and_does_not_jump() {
    let mut bench = Bench::new("[[steps]]\npose = { name = 'ready' }\n[[steps]]\ngoto = { x = 50, y = 0 }\n");
    bench.readings.status.lifecycle = Lifecycle::Active;
    bench.run(5.0);
    assert_eq!(bench.commands.joints[SHOULDER].position, 1.0);
    stop(&mut bench, CauseKind::DriveFault, 0);
    bench.sunk = Some((SHOULDER, 0.2));
    bench.run(2.0);
    switched_on(&mut bench);
    let mut told = Vec::new();
    for _ in 0..1_000 {
        bench.cycle();
        bench.sunk = None;
        told.push(bench.commands.joints[SHOULDER].position);
    }
    assert!((told[0] - 0.2).abs() < 1e-3, "{}", told[0]);
    let fastest = told.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    assert!(fastest < 3.5 * 0.004, "{fastest} rad a cycle");
    assert_eq!(told.last(), Some(&1.0), "and it is where it was ordered");
}

#[test]
fn a_mission_that_was_paused_stays_so() {
    let mut bench = driving();
    bench.press(OperatorRequest::Pause);
    stop(&mut bench, CauseKind::BoardGone, 0);
    bench.run(1.0);
    assert_eq!((bench.status().activity, bench.said("robot stopped").len()), (Activity::Paused, 1));
    switched_on(&mut bench);
    bench.run(1.0);
    assert_eq!(bench.status().activity, Activity::Paused);
}

#[test]
fn a_robot_that_is_switched_off_is_said_to_be() {
    let mut bench = driving();
    bench.readings.status.lifecycle = Lifecycle::Inactive;
    bench.run(1.0);
    assert_eq!(bench.said("robot stopped: it is inactive").len(), 1, "{:?}", bench.lines());
    assert_eq!(bench.status().activity, Activity::Stopped(StopCause::RobotStopped { causes: 0 }));
}

#[test]
fn the_operators_own_stop_is_told_by_the_mission_alone() {
    let mut bench = driving();
    bench.press(OperatorRequest::EmergencyStop);
    bench.readings.status.causes.add(Cause::new(CauseKind::OperatorStop, 0.0, 0.0));
    bench.run(1.0);
    assert!(bench.said("robot stopped").is_empty(), "{:?}", bench.lines());
    assert_eq!(bench.status().activity, Activity::Stopped(StopCause::EmergencyStop));
}
