//! What healthy boards do at a stop, on our side of the wire: chosen in the bus file for the bus or a board, for all causes or one.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::sync::Arc;

use hil::bus_file::BusPlan;
use hil::virtual_bus::BusFaultKind;
use robot_io::{Clock, JointStatus, Lifecycle, RobotIo, RobotLayout};

use support::{BUS, Bench, HIP, WHEEL, between};

fn parse(bus: &str) -> Result<BusPlan, String> {
    BusPlan::parse(bus, "bus.toml", &RobotLayout::example()).map_err(|error| error.to_string())
}

/// The example's bus with rules for the bus, and for the hip's drive.
fn bus(all: &str, hip: &str) -> String {
    BUS.replace("watchdog_ms = 20", &format!("watchdog_ms = 20\n[reactions]\n{all}"))
        .replace("serial = 101", &format!("serial = 101\n{hip}"))
}

/// Which joints have torque after a stop: hip and wheel. By the operator's stop, or by a knee that gets too hot.
fn torque_after(bus: &str, hot: bool) -> [bool; 2] {
    let fault = between(BusFaultKind::HotBoard { board: "knee_board".to_owned(), temperature: 120.0 }, 100, None);
    let mut bench = Bench::over(&Arc::new(parse(bus).unwrap()), if hot { vec![fault] } else { Vec::new() });
    bench.robot.bring_up().unwrap();
    if hot {
        assert!(bench.until_stop(200).is_some());
    } else {
        assert_eq!(bench.until_stop(100), None);
        bench.read();
        bench.answer();
        bench.commands.emergency_stop = true;
        bench.robot.write(&bench.commands).unwrap();
    }
    (0..50).for_each(|_| {
        bench.read();
        bench.clock.advance().unwrap();
    });
    assert_eq!(bench.robot.lifecycle(), Lifecycle::Fault);
    bench.read();
    [HIP, WHEEL].map(|joint| bench.readings.joints[joint].status.contains(JointStatus::ENABLED))
}

#[test]
fn a_stop_reaction_is_chosen_for_one_cause() {
    let rules = bus("stop = \"off\"\nstop_on = { emergency_stop = \"hold\" }", "");
    assert_eq!(torque_after(&rules, false), [true, true], "the operator's stop holds");
    assert_eq!(torque_after(&rules, true), [false, false], "any other switches off");
}

#[test]
fn a_stop_reaction_is_chosen_for_one_board() {
    assert_eq!(torque_after(&bus("", "stop = \"off\""), false), [false, true]);
    let by_cause = bus("stop = \"off\"", "stop_on = { hot = \"damp\", drive_fault = \"damp\" }");
    assert_eq!(torque_after(&by_cause, false), [false, false]);
    assert_eq!(torque_after(&by_cause, true), [true, false]);
}

#[test]
fn of_several_causes_that_with_the_least_torque_counts() {
    let rules = bus("stop_on = { hot = \"off\", emergency_stop = \"hold\" }", "");
    let fault = between(BusFaultKind::HotBoard { board: "knee_board".to_owned(), temperature: 120.0 }, 300, None);
    let mut bench = Bench::over(&Arc::new(parse(&rules).unwrap()), vec![fault]);
    bench.robot.bring_up().unwrap();
    assert_eq!(bench.until_stop(50), None);
    bench.answer();
    bench.commands.emergency_stop = true;
    bench.robot.write(&bench.commands).unwrap();
    let mut enabled = |cycles: usize| {
        (0..cycles).for_each(|_| {
            bench.read();
            bench.clock.advance().unwrap();
        });
        bench.readings.joints[HIP].status.contains(JointStatus::ENABLED)
    };
    assert!(enabled(200));
    assert!(!enabled(200));
}

#[test]
fn a_board_that_held_stays_on_when_the_stop_is_acknowledged_and_one_that_was_off_is_switched_on_again() {
    let mut bench = Bench::over(&Arc::new(parse(&bus("", "stop = \"off\"")).unwrap()), Vec::new());
    bench.robot.bring_up().unwrap();
    assert_eq!(bench.until_stop(100), None);
    bench.answer();
    bench.commands.emergency_stop = true;
    bench.robot.write(&bench.commands).unwrap();
    (0..20).for_each(|_| {
        bench.read();
        bench.clock.advance().unwrap();
    });
    bench.commands.emergency_stop = false;
    bench.robot.transition(Lifecycle::Inactive).unwrap();
    (0..20).for_each(|_| bench.silent_cycle());
    bench.read();
    let on = |bench: &Bench, joint: usize| bench.readings.joints[joint].status.contains(JointStatus::ENABLED);
    assert!(!on(&bench, HIP) && on(&bench, WHEEL));
    bench.robot.transition(Lifecycle::Active).unwrap();
    assert_eq!(bench.until_stop(100), None, "{:?}", bench.robot.cause());
    assert!(on(&bench, HIP) && on(&bench, WHEEL));
}

#[test]
fn rules_that_nobody_knows_are_refused_by_line() {
    for (all, hip, wanted) in [
        ("stop = \"halt\"", "", "reactions.stop: expected one of \"hold\", \"damp\", \"off\", found string `\"halt\"`"),
        ("stop_on = { cable_cutt = \"off\" }", "", "stop_on.cable_cutt: expected one of frames_lost, "),
        ("stop_on = \"off\"", "", "reactions.stop_on: expected a table"),
        (
            "",
            "stop_on = { hot = \"brake\" }",
            "board 'hip_drive'.stop_on.hot: expected one of \"hold\", \"damp\", \"off\"",
        ),
    ] {
        let message = parse(&bus(all, hip)).unwrap_err();
        assert!(message.contains(wanted), "{message}");
        assert!(message.starts_with("bus.toml:"), "{message}");
    }
}
