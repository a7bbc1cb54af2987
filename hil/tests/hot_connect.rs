//! Boards that may be absent: at start, later, and back again.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::sync::Arc;

use hil::bus_file::BusPlan;
use hil::robot::Cause;
use hil::virtual_bus::BusFaultKind;
use robot_io::{JointStatus, Lifecycle, RobotIo, RobotLayout};

use support::{BUS, Bench, HIP, KNEE, between};

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
    assert!(has_event(&bench, "optional board 'body_board' takes no part"));
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
    assert!(has_event(&bench, "optional board 'body_board' takes part again"));
    assert_eq!(bench.until_stop(50), None, "{:?}", bench.robot.cause());
}

#[test]
fn only_a_board_that_is_known_when_it_comes_may_be_absent() {
    let message = parse(&BUS.replace("serial = 104", "optional = true")).unwrap_err();
    assert!(message.contains("expected `alias` or `serial`"), "{message}");
    let other = BUS.replace("serial = 104", "serial = 104\noptional = 1");
    assert!(parse(&other).unwrap_err().contains("expected true or false"));
}

/// The knee's board may be absent, and is from one time to another [ms].
fn bench_with_an_optional_knee(from_ms: u64, until_ms: Option<u64>) -> Bench {
    let plan = parse(&BUS.replace("serial = 102", "serial = 102\noptional = true")).unwrap();
    let fault = between(BusFaultKind::BoardOff { board: "knee_board".to_owned() }, from_ms, until_ms);
    Bench::over(&Arc::new(plan), vec![fault])
}

fn count(bench: &Bench, text: &str) -> usize {
    bench.events.iter().filter(|event| event.what.contains(text)).count()
}

#[test]
fn a_robot_runs_without_the_joint_of_an_optional_board_and_says_so_once() {
    let mut bench = bench_with_an_optional_knee(0, None);
    bench.robot.bring_up().unwrap();
    assert_eq!(bench.until_stop(300), None, "{:?}", bench.robot.cause());
    assert_eq!(count(&bench, "optional board 'knee_board' takes no part: the robot runs without joint 'knee'"), 1);
    let [hip, knee] = [HIP, KNEE].map(|joint| bench.readings.joints[joint]);
    assert!(hip.position > 0.05, "the others move: {}", hip.position);
    assert!(knee.status.contains(JointStatus::ABSENT) && !hip.status.contains(JointStatus::ABSENT));
}

#[test]
fn a_joint_that_is_lost_while_it_moves_is_a_stop_and_the_robot_goes_on_without_it_when_somebody_says_so() {
    let mut bench = bench_with_an_optional_knee(100, None);
    bench.robot.bring_up().unwrap();
    assert!(bench.until_stop(200).is_some(), "a joint in motion has gone");
    assert_eq!(bench.robot.cause(), Some(Cause::BoardGone(1)));
    bench.robot.transition(Lifecycle::Inactive).unwrap();
    bench.robot.transition(Lifecycle::Active).unwrap();
    assert_eq!(bench.until_stop(200), None, "{:?}", bench.robot.cause());
    assert!(bench.readings.joints[KNEE].status.contains(JointStatus::ABSENT));
}
