//! A mission drives a cart: steps, operator, and what goes wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::f64::consts::FRAC_PI_2;

use mission::{Activity, DriveFault, MissionError, MissionSettings, Skills, StopCause};
use robot_io::{OperatorRequest, Pose2, Severity, Subject, Twist};
use support::{Bench, ELBOW, ROLL, SHOULDER, Setup, plan};

const SQUARE: &str = "
[[steps]]
goto = { x = 2, y = 0, yaw = 0 }
wait = { seconds = 1 }
[[steps]]
goto = { x = 2, y = 2, yaw = 1.5708 }
pose = { name = 'ready' }
[[steps]]
stance = { height = 0.7, seconds = 2 }
[[steps]]
goto = { x = 0, y = 0 }
";
const FAR: &str = "[[steps]]\ngoto = { x = 50, y = 0, yaw = 0 }\n";

fn at(x: f64, y: f64, yaw: f64) -> Pose2 {
    Pose2 { x, y, yaw }
}

#[test]
fn the_steps_are_carried_out_in_order() {
    let mut bench = Bench::new(SQUARE);
    assert!(bench.run_until_done(60.0), "{}", bench.status());
    assert!(bench.pose().distance(&at(0.0, 0.0, 0.0)) <= 0.1, "{:?}", bench.pose());
    assert!((bench.commands.joints[SHOULDER].position - 1.0).abs() < 1e-9, "the arm kept its pose");
    assert!((bench.commands.joints[ELBOW].position + 0.5).abs() < 1e-9);
    assert!(
        (bench.telemetry().odometry.unwrap().base_in_odom.translation.z - 0.7).abs() < 1e-9,
        "and the base its height"
    );
    let done: Vec<Subject> = bench.said("step done").iter().map(|event| event.subject).collect();
    assert_eq!(done, [0, 1, 2, 3].map(Subject::Step));
    assert_eq!(bench.status().to_string(), "all 4 steps done");
    bench.run(1.0);
    assert_eq!(bench.speed(), 0.0);
}

#[test]
fn it_stands_until_it_knows_how_it_moves() {
    let mut bench = Bench::new(FAR);
    bench.turn(|knobs| knobs.learns = true);
    bench.run(3.0);
    assert_eq!((bench.speed(), bench.pose()), (0.0, Pose2::default()), "{}", bench.status());
    bench.turn(|knobs| knobs.learns = false);
    bench.run(3.0);
    assert!(bench.speed() > 0.2, "{} m/s", bench.speed());
}

#[test]
fn a_place_in_the_world_is_found_by_a_robot_that_knows_where_it_starts() {
    let setup = Setup { start_in_world: at(2.0, 3.0, FRAC_PI_2), ..Setup::default() };
    let mut bench = Bench::with("[[steps]]\ngoto = { x = 2, y = 5, yaw = 0 }\n", setup).unwrap();
    assert!(bench.run_until_done(30.0));
    assert!(bench.pose().distance(&at(2.0, 0.0, 0.0)) <= 0.1, "two metres ahead: {:?}", bench.pose());
    assert!((bench.pose().yaw + FRAC_PI_2).abs() <= 0.1, "and turned to the right");
}

#[test]
fn a_plan_in_the_start_frame_does_not_care_where_it_starts() {
    let setup = Setup { start_in_world: at(2.0, 3.0, FRAC_PI_2), ..Setup::default() };
    let mut bench = Bench::with("frame = 'start'\n[[steps]]\ngoto = { x = 2, y = 0, yaw = 0 }\n", setup).unwrap();
    assert!(bench.run_until_done(30.0));
    assert!(bench.pose().distance(&at(2.0, 0.0, 0.0)) <= 0.1);
}

#[test]
fn a_pause_stands_still_and_a_resume_goes_on() {
    let mut bench = Bench::new(SQUARE);
    bench.run(2.0);
    bench.press(OperatorRequest::Pause);
    bench.run(2.0);
    let place = bench.pose();
    bench.run(100.0);
    assert_eq!((bench.pose(), bench.status().activity), (place, Activity::Paused));
    assert_eq!(bench.status().to_string(), "paused in step 1 of 4");
    bench.press(OperatorRequest::Resume);
    assert!(bench.run_until_done(60.0) && bench.said("stalled").is_empty());
}

#[test]
fn the_operator_sends_the_robot_elsewhere_and_it_comes_back_to_its_mission() {
    let mut bench = Bench::new(SQUARE);
    bench.run(1.0);
    bench.press(OperatorRequest::GoTo(at(0.0, -1.0, 0.0)));
    assert_eq!(bench.status().steps, 5);
    bench.run(8.0);
    assert!(bench.said("reached").len() == 1 && bench.pose().y < 0.0, "{:?}", bench.pose());
    assert!(bench.run_until_done(60.0));
    assert_eq!(bench.said("step done").len(), 5);
    bench.press(OperatorRequest::GoTo(at(1.0, 0.0, 0.0)));
    assert_eq!(bench.status().activity, Activity::Running, "a mission that was done begins again");
    assert!(bench.run_until_done(20.0) && bench.pose().distance(&at(1.0, 0.0, 0.0)) <= 0.1);
}

#[test]
fn steps_are_spliced_in_and_another_mission_taken_up() {
    let mut bench = Bench::new(SQUARE);
    bench.run(0.5);
    bench.mission.splice(&plan("[[steps]]\ngoto = { x = 3, y = 0 }", &Skills::default()).unwrap().steps).unwrap();
    assert_eq!(bench.status().steps, 5);
    bench.mission.switch_to(&plan("[[steps]]\ngoto = { x = 1, y = 1 }", &Skills::default()).unwrap().steps).unwrap();
    assert_eq!(bench.status().steps, 2);
    assert!(bench.run_until_done(60.0) && bench.pose().distance(&at(1.0, 1.0, 0.0)) <= 0.1);
    let error = bench
        .mission
        .splice(&plan("[[steps]]\npose = { name = 'dance' }", &Skills::default()).unwrap().steps)
        .unwrap_err();
    let too_fine = plan("[[steps]]\ngoto = { x = 1, y = 1, tolerance = 0.01 }", &Skills::default()).unwrap().steps;
    let refused = bench.mission.splice(&too_fine).unwrap_err().to_string();
    assert_eq!(refused, "goto.tolerance [m]: expected not less than the follower's tolerance, found 0.01");
    assert_eq!(error.to_string(), "step 1: expected one of the poses rest, ready of robot 'cart', found 'dance'");
}

#[test]
fn the_stick_overrides_the_mission_while_it_is_touched() {
    let mut bench = Bench::new(FAR);
    bench.run(3.0);
    bench.operator.twist = Some(Twist { x: 0.0, y: 0.3, yaw: 0.0 });
    bench.run(20.0);
    assert!(bench.status().teleoperated && (bench.pose().y - 5.9).abs() < 0.2, "{:?}", bench.pose());
    bench.operator.twist = None;
    bench.run(1.5);
    assert!(!bench.status().teleoperated && bench.pose().x < 2.0);
    assert!(bench.run_until_done(300.0), "{}", bench.status());
    assert!(bench.said("stalled").is_empty(), "nobody calls it a stall when the operator drives");
    assert_eq!(bench.said("the operator").len(), 2);
}

#[test]
fn a_robot_that_slips_all_the_time_but_gets_nearer_is_never_given_up() {
    let mut bench = Bench::new("[[steps]]\ngoto = { x = 3, y = 0, yaw = 0, timeout = 10 }\n");
    bench.turn(|knobs| knobs.grip = 0.04);
    assert!(bench.run_until_done(400.0), "{}", bench.status());
    assert_eq!((bench.said("overdue").len(), bench.said("stalled").len()), (1, 0));
}

#[test]
fn a_robot_that_gets_no_nearer_is_stopped_with_its_metric() {
    let mut bench = Bench::new(FAR);
    bench.run(10.0);
    bench.turn(|knobs| knobs.grip = 0.0);
    bench.run(30.0);
    assert_eq!(bench.status().activity, Activity::Stopped(StopCause::Stalled { step: 0 }));
    let stall = bench.said("stalled, distance left [m]");
    assert!((stall[0].value - 46.5).abs() < 1.0 && stall[0].subject == Subject::Step(0), "{:?}", bench.lines());
    assert_eq!(bench.said("stopped: no progress for [s]")[0].severity, Severity::Stop);
    assert_eq!(bench.speed(), 0.0);
    bench.turn(|knobs| knobs.grip = 1.0);
    bench.press(OperatorRequest::Resume);
    assert!(bench.run_until_done(200.0), "a person may send it on");
}

#[test]
fn a_dead_motor_stops_the_robot_safely_and_is_named() {
    let mut bench = Bench::new(FAR);
    bench.run(10.0);
    bench.turn(|knobs| knobs.fault = Some(DriveFault { joint: ROLL, residual: 4.5, threshold: 1.5 }));
    let mut speed = bench.speed();
    assert!(speed > 0.3, "{speed}");
    for _ in 0..250 {
        bench.cycle();
        assert!(bench.speed() >= speed - 0.8 * 0.004 - 1e-9, "brakes, no harder than it may");
        speed = bench.speed();
    }
    assert_eq!(speed, 0.0);
    assert_eq!(bench.commands.joints[ROLL].velocity, 0.0, "and holds");
    let expected = "mission roll: stopped: motor does not do what it is told, residual 4.5000, limit 1.5000";
    assert!(bench.lines().iter().any(|line| line == expected), "{:?}", bench.lines());
    assert_eq!(bench.status().stop_cause().as_deref(), Some("motor fault of roll"));

    let place = bench.pose();
    bench.press(OperatorRequest::Resume);
    bench.operator.twist = Some(Twist { x: 0.3, y: 0.0, yaw: 0.0 });
    bench.run(5.0);
    assert_eq!(bench.pose(), place, "neither resume nor stick moves it");
    assert_eq!((bench.said("resume refused").len(), bench.said("stick refused").len()), (1, 1));
}

#[test]
fn a_small_margin_slows_the_robot_and_a_critical_one_stops_it() {
    let mut bench = Bench::new(FAR);
    bench.run(5.0);
    bench.turn(|knobs| knobs.margin = 0.1);
    bench.run(2.0);
    let slow = bench.speed();
    assert!(slow > 0.15 && slow < 0.35, "{slow}");
    bench.turn(|knobs| knobs.margin = 0.03);
    bench.run(2.0);
    assert_eq!((bench.speed(), bench.status().activity), (0.0, Activity::Stopped(StopCause::TipOver)));
    bench.operator.twist = Some(Twist { x: -0.3, y: 0.0, yaw: 0.0 });
    bench.run(2.0);
    assert!(bench.speed() > 0.05 && bench.speed() < 0.1, "the operator may creep out of it: {}", bench.speed());
}

#[test]
fn blindness_and_an_empty_battery_stop_the_robot() {
    let mut bench = Bench::new(FAR);
    bench.run(5.0);
    bench.turn(|knobs| knobs.blind_since = Some(robot_io::Time::from_seconds(5.0)));
    bench.run(2.0);
    assert_eq!((bench.speed(), bench.status().activity), (0.0, Activity::Stopped(StopCause::StaleOdometry)));
    bench.turn(|knobs| knobs.blind_since = None);
    bench.run(0.1);
    bench.press(OperatorRequest::Resume);
    bench.turn(|knobs| knobs.charge = 0.04);
    bench.run(2.0);
    assert_eq!((bench.speed(), bench.status().activity), (0.0, Activity::Stopped(StopCause::BatteryEmpty)));
    assert_eq!(bench.said("battery low").len(), 1);
}

#[test]
fn the_emergency_stop_is_passed_on_and_leads_back_to_a_pause() {
    let mut bench = Bench::new(FAR);
    bench.run(5.0);
    bench.press(OperatorRequest::EmergencyStop);
    assert!(bench.commands.emergency_stop);
    bench.press(OperatorRequest::Resume);
    assert_eq!(bench.status().activity, Activity::Stopped(StopCause::EmergencyStop), "not that way");
    bench.press(OperatorRequest::ClearEmergencyStop);
    assert_eq!((bench.status().activity, bench.commands.emergency_stop), (Activity::Paused, false));
    bench.press(OperatorRequest::Resume);
    bench.run(2.0);
    assert!(bench.speed() > 0.3);
}

#[test]
fn a_place_that_is_passed_is_passed_without_stopping() {
    let slowest = |pass: bool| {
        let steps =
            format!("[[steps]]\ngoto = {{ x = 2, y = 0, pass = {pass} }}\n[[steps]]\ngoto = {{ x = 4, y = 0 }}\n");
        let mut bench = Bench::new(&steps);
        let mut slowest = f64::INFINITY;
        while bench.pose().x < 3.0 && bench.cycle < 10_000 {
            bench.cycle();
            slowest = if bench.pose().x > 1.0 { slowest.min(bench.speed()) } else { slowest };
        }
        slowest
    };
    let (passing, stopping) = (slowest(true), slowest(false));
    assert!(passing > 0.35 && stopping < 0.25, "{passing} m/s, {stopping} m/s");
}

#[test]
fn a_mission_that_waits_for_the_operator_waits() {
    let settings = MissionSettings { wait_for_operator: true, ..MissionSettings::default() };
    let mut bench = Bench::with(FAR, Setup { settings, ..Setup::default() }).unwrap();
    bench.run(5.0);
    assert_eq!((bench.status().activity, bench.pose().x), (Activity::Idle, 0.0));
    bench.press(OperatorRequest::Resume);
    bench.run(5.0);
    assert!(bench.pose().x > 1.0);
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    let settings = MissionSettings { cruise_speed: -0.5, ..MissionSettings::default() };
    let error = Bench::with(FAR, Setup { settings, ..Setup::default() }).err().unwrap();
    assert_eq!(error.to_string(), "cruise_speed [m/s]: expected a positive number, found -0.5");
    let settings = MissionSettings { follower_interval: 0.002, ..MissionSettings::default() };
    let error = Bench::with(FAR, Setup { settings, ..Setup::default() }).err().unwrap();
    assert!(matches!(error, MissionError::Rate { skill: "follower", .. }), "{error}");
}
