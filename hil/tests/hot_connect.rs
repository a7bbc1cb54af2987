//! Boards that may be absent: at start, later, and back again.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::sync::Arc;

use hil::bus_file::BusPlan;
use hil::virtual_bus::BusFaultKind;
use robot_io::{Lifecycle, RobotIo, RobotLayout};

use support::{BUS, Bench, between};

fn parse(bus: &str) -> Result<BusPlan, String> {
    BusPlan::parse(bus, "bus.toml", &RobotLayout::example()).map_err(|error| error.to_string())
}

/// The example's bus; its body board, with IMU and battery, may be absent.
fn optional() -> String {
    BUS.replace("serial = 104", "serial = 104\noptional = true")
}

fn bench(from_ms: u64, until_ms: Option<u64>) -> Bench {
    let fault = between(BusFaultKind::BoardOff { board: "body_board".to_owned() }, from_ms, until_ms);
    Bench::over(&Arc::new(parse(&optional()).unwrap()), vec![fault])
}

/// Whether the IMU measures.
fn sees_imu(bench: &mut Bench) -> bool {
    let before = bench.readings.imus[0].stamp;
    (0..5).for_each(|_| bench.cycle());
    bench.readings.imus[0].stamp > before
}

fn has_event(bench: &Bench, text: &str) -> bool {
    bench.events.iter().any(|event| event.what.contains(text))
}

/// A stop and its acknowledgement.
fn acknowledge(bench: &mut Bench) {
    bench.read();
    bench.answer();
    bench.commands.emergency_stop = true;
    bench.robot.write(&bench.commands).unwrap();
    bench.cycle();
    assert_eq!(bench.robot.lifecycle(), Lifecycle::Fault);
    bench.robot.transition(Lifecycle::Inactive).unwrap();
    bench.robot.transition(Lifecycle::Active).unwrap();
}

#[test]
fn a_robot_starts_and_moves_without_a_board_that_is_optional() {
    let mut bench = bench(0, None);
    bench.robot.bring_up().unwrap();
    assert_eq!(bench.until_stop(200), None, "{:?}", bench.robot.cause());
    assert!(bench.readings.joints[0].position > 0.03, "it moves");
    assert!(!sees_imu(&mut bench));
    assert!(has_event(&bench, "an optional board takes no part"));
}

#[test]
fn a_board_that_was_absent_at_start_joins_with_the_next_start() {
    let mut bench = bench(0, Some(100));
    bench.robot.bring_up().unwrap();
    assert_eq!(bench.until_stop(200), None, "{:?}", bench.robot.cause());
    acknowledge(&mut bench);
    assert!(!sees_imu(&mut bench), "the bus was configured without it");
    for to in [Lifecycle::Inactive, Lifecycle::Unconfigured, Lifecycle::Inactive, Lifecycle::Active] {
        bench.robot.transition(to).unwrap();
    }
    assert!(sees_imu(&mut bench));
}

#[test]
fn a_board_that_leaves_stops_nothing_and_joins_with_the_next_acknowledgement() {
    let mut bench = bench(100, Some(200));
    bench.robot.bring_up().unwrap();
    assert!(sees_imu(&mut bench));
    assert_eq!(bench.until_stop(150), None, "{:?}", bench.robot.cause());
    assert!(has_event(&bench, "takes no part") && !sees_imu(&mut bench));
    assert_eq!(bench.until_stop(100), None, "its return stops nothing either: {:?}", bench.robot.cause());
    acknowledge(&mut bench);
    assert!(sees_imu(&mut bench));
    assert!(has_event(&bench, "an optional board takes part again"));
    assert_eq!(bench.until_stop(50), None, "{:?}", bench.robot.cause());
}

#[test]
fn only_a_board_that_is_known_when_it_comes_and_has_no_joint_may_be_absent() {
    let message = parse(&BUS.replace("serial = 101", "serial = 101\noptional = true")).unwrap_err();
    assert!(message.contains("board 'hip_drive': optional: expected a board without a joint"), "{message}");
    let message = parse(&BUS.replace("serial = 104", "optional = true")).unwrap_err();
    assert!(message.contains("expected `alias` or `serial`"), "{message}");
    let other = BUS.replace("serial = 104", "serial = 104\noptional = 1");
    assert!(parse(&other).unwrap_err().contains("expected true or false"));
}
