//! The centaur steps over edges, in physics.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, dead_code, reason = "tests")]

mod stepping;

use locomotion::{CrossingFailure, CrossingPhase, Locomotion, Settings};
use nalgebra::Vector3;
use plant::Push;
use robot_io::{Commands, Period, Pose2, StateReader, StateWriter, Twist, first_difference};
use stepping::{Bench, Ground, Shown};

const LONG: f64 = 90.0;

/// All feet across, steadily, and odometry still knows where the robot is.
fn check(shown: &Shown, bench: &Bench) {
    let status = shown.status;
    assert!(status.is_done() && status.feet_across == 4, "{shown:?}\n{}", bench.story());
    assert!(status.least_margin > 0.03, "{shown:?}");
    assert!(shown.tilt < 0.03 && shown.effort < 1.0 && shown.seconds < 75.0, "{shown:?}");
    let [x, y, z, yaw] = shown.drift;
    assert!(x.abs() < 0.02 && y.abs() < 0.02 && z.abs() < 0.01 && yaw.abs() < 0.02, "{:?}", shown.drift);
}

#[test]
fn it_climbs_a_step_of_15_cm_and_drives_on_as_before() {
    let mut bench = Bench::new(Ground::Step(0.15), 1);
    let (_, before) = bench.truth();
    bench.begin(0.0, 0.0).unwrap();
    assert_eq!(bench.begin(0.0, 0.0), Err(CrossingFailure::Busy));
    let shown = bench.cross(LONG);
    check(&shown, &bench);
    let story = bench.story();
    for part in ["front_left_hip_pitch: lifting a foot", "rear_right_hip_pitch: loading a leg", "locomotion across"] {
        assert!(story.contains(part), "{part} in\n{story}");
    }
    bench.locomotion.end_crossing();
    assert_eq!(bench.locomotion.crossing(), None);
    bench.run(1.0);
    let (from, up) = bench.truth();
    assert!((up - before - 0.15).abs() < 0.01, "risen by {}", up - before);
    bench.drive(Twist { x: 0.3, y: 0.0, yaw: 0.3 }, 3.0);
    let moved = bench.truth().0.seen_from(&from);
    let radius = 0.3 / 0.3;
    // on an arc, less what getting under way costs
    assert!((moved.y - radius * (1.0 - moved.yaw.cos())).abs() < 0.03 && moved.yaw > 0.6, "{moved:?}");
}

#[test]
fn it_steps_down_15_cm() {
    let mut bench = Bench::new(Ground::Step(-0.15), 2);
    let (_, before) = bench.truth();
    bench.begin(0.0, 0.0).unwrap();
    let shown = bench.cross(LONG);
    check(&shown, &bench);
    bench.locomotion.end_crossing();
    bench.run(1.0);
    let sunk = bench.truth().1 - before;
    assert!((sunk + 0.15).abs() < 0.01, "{sunk}");
}

#[test]
fn it_crosses_a_gap_of_25_cm() {
    let mut bench = Bench::new(Ground::Gap(0.25), 3);
    bench.begin(0.0, 0.0).unwrap();
    let shown = bench.cross(LONG);
    check(&shown, &bench);
}

#[test]
fn an_edge_that_is_a_little_elsewhere_and_askew_is_crossed_too() {
    let spawn = Pose2 { x: 0.7, y: -0.2, yaw: 0.06 };
    let mut bench = Bench::with(Ground::Step(0.2), 4, spawn, Settings::default());
    bench.begin(0.02, -0.01).unwrap();
    let shown = bench.cross(LONG);
    check(&shown, &bench);
}

#[test]
fn what_cannot_be_crossed_is_refused_with_numbers() {
    let refused = |ground: Ground, spawn: Pose2, error: f64| {
        let mut bench = Bench::with(ground, 1, spawn, Settings::default());
        let failure = bench.begin(error, 0.0).unwrap_err();
        assert!(!bench.locomotion.is_crossing());
        failure.to_string()
    };
    let here = Pose2 { x: 0.6, ..Pose2::default() };
    assert_eq!(refused(Ground::Step(0.3), here, 0.0), "crossing refused: step too high [m] 0.300, limit 0.220");
    assert_eq!(refused(Ground::Gap(0.4), here, 0.0), "crossing refused: gap too wide [m] 0.400, limit 0.270");
    let askew = refused(Ground::Step(0.15), Pose2 { yaw: 0.3, ..here }, 0.0);
    assert!(askew.starts_with("crossing refused: not facing the edge [rad] 0.3"), "{askew}");
    let far = refused(Ground::Step(0.15), here, 2.0);
    assert!(far.starts_with("crossing refused: edge too far from the front wheels [m] 2.4"), "{far}");
}

#[test]
fn no_foot_leaves_the_ground_without_enough_margin() {
    let mut settings = Settings::default();
    settings.stepping.least_margin = 0.07;
    let mut bench = Bench::with(Ground::Step(0.15), 1, Pose2 { x: 0.9, ..Pose2::default() }, settings);
    bench.begin(0.0, 0.0).unwrap();
    let shown = bench.cross(LONG);
    let Some(CrossingFailure::NoStance(found, needed)) = shown.status.failed() else { panic!("{shown:?}") };
    assert!(found > 0.03 && found < needed && needed == 0.07, "{shown:?}");
    assert!(shown.status.feet_across == 0 && bench.shared.truth().wheel_forces.iter().all(|force| *force > 30.0));
}

#[test]
fn aborted_with_a_foot_in_the_air_it_puts_the_foot_down() {
    let mut bench = Bench::with(Ground::Step(0.15), 1, Pose2 { x: 0.9, ..Pose2::default() }, Settings::default());
    bench.begin(0.0, 0.0).unwrap();
    assert!(bench.until(CrossingPhase::Reach, LONG), "{}", bench.story());
    bench.run(0.8);
    bench.locomotion.abort_crossing();
    let shown = bench.cross(10.0);
    assert_eq!(shown.status.failed(), Some(CrossingFailure::Aborted), "{}", bench.story());
    let forces = bench.shared.truth().wheel_forces;
    assert!(forces[0] + forces[1] > 20.0 && shown.tilt < 0.05, "{forces:?} {shown:?}");
    bench.locomotion.end_crossing();
    bench.run(2.0);
    assert!(bench.shared.truth().base_in_world.rotation.angle() < 0.05);
}

#[test]
fn after_an_abort_it_goes_on_with_the_feet_that_are_not_across() {
    let mut bench = Bench::with(Ground::Step(0.12), 1, Pose2 { x: 0.9, ..Pose2::default() }, Settings::default());
    bench.begin(0.0, 0.0).unwrap();
    while bench.locomotion.crossing().unwrap().feet_across < 1 {
        bench.step();
    }
    bench.run(1.5);
    bench.locomotion.abort_crossing();
    bench.run(1.0);
    assert!(bench.locomotion.crossing().unwrap().failed().is_some());
    assert!(bench.shared.truth().base_in_world.rotation.angle() < 0.02, "level on two levels");
    bench.begin(0.0, 0.0).unwrap();
    assert_eq!(bench.locomotion.crossing().unwrap().feet_across, 1);
    assert!(bench.until(CrossingPhase::Restore, LONG), "{}", bench.story());
    assert_eq!(bench.locomotion.crossing().unwrap().feet_across, 2);
}

#[test]
fn pushed_with_a_foot_in_the_air_it_puts_the_foot_down() {
    for force in [110.0, 120.0, 140.0] {
        let mut bench = Bench::with(Ground::Step(0.15), 7, Pose2 { x: 0.85, ..Pose2::default() }, Settings::default());
        bench.begin(0.0, 0.0).unwrap();
        assert!(bench.until(CrossingPhase::Reach, LONG), "{}", bench.story());
        bench.run(0.3);
        let until = bench.readings.time + Period::from_seconds(0.3);
        // over the edge between the front right and the rear left foot
        let force_in_world = force * Vector3::new(0.64, 0.77, 0.0);
        bench.shared.push(Push { link: 0, point_in_link: Vector3::zeros(), force_in_world, until });
        let shown = bench.cross(10.0);
        let failed = shown.status.failed();
        assert!(
            matches!(failed, Some(CrossingFailure::Margin(..) | CrossingFailure::Tilt(..))),
            "{force} N: {shown:?}"
        );
        bench.run(2.0);
        let truth = bench.shared.truth();
        let loads: Vec<f64> = truth.wheel_forces.chunks(2).map(|pair| pair[0] + pair[1]).collect();
        assert!(loads.iter().all(|load| *load > 50.0), "{force} N: {loads:?}");
        assert!(shown.tilt < 0.2 && truth.base_in_world.rotation.angle() < 0.05, "{force} N: {shown:?}");
    }
}

#[test]
fn where_there_is_no_ground_the_foot_comes_back() {
    let mut bench = Bench::with(Ground::Step(-0.2), 1, Pose2 { x: 0.9, ..Pose2::default() }, Settings::default());
    bench.begin(0.0, 0.1).unwrap();
    let shown = bench.cross(LONG);
    let Some(CrossingFailure::NoGround(depth, _)) = shown.status.failed() else {
        panic!("{shown:?}\n{}", bench.story())
    };
    assert!((depth - 0.15).abs() < 0.01 && shown.tilt < 0.03, "{shown:?}");
    assert!(bench.shared.truth().wheel_forces.iter().all(|force| *force > 10.0), "{}", bench.story());
}

#[test]
fn a_step_higher_than_expected_is_felt_and_tried_again() {
    let mut bench = Bench::with(Ground::Step(0.19), 1, Pose2 { x: 0.9, ..Pose2::default() }, Settings::default());
    bench.begin(0.0, -0.05).unwrap();
    assert!(bench.until(CrossingPhase::Retreat, LONG), "{}", bench.story());
    assert!(bench.until(CrossingPhase::Load, 20.0), "{}", bench.story());
    bench.run(1.0);
    let status = bench.locomotion.crossing().unwrap();
    assert!(status.feet_across == 1 && status.failure.is_none(), "{}", bench.story());
}

#[test]
fn the_same_readings_give_the_same_bits_also_after_a_snapshot_with_a_foot_in_the_air() {
    let mut bench = Bench::with(Ground::Step(0.15), 1, Pose2 { x: 0.9, ..Pose2::default() }, Settings::default());
    bench.begin(0.0, 0.0).unwrap();
    assert!(bench.until(CrossingPhase::Reach, LONG), "{}", bench.story());
    let layout = bench.layout().clone();
    let mut other = Locomotion::new(&bench.model, &layout, Settings::default()).unwrap();
    other.reset(&bench.readings);
    let saved = StateWriter::save(&mut bench.locomotion);
    StateReader::restore(&mut other, &saved).unwrap();
    let (mut mine, mut its) = (Commands::new(&layout), Commands::new(&layout));
    for _ in 0..500 {
        bench.step();
        its.answer(&bench.readings);
        other.set_target(bench.target);
        other.update(&bench.readings, bench.estimator.odometry(), &mut its);
        mine.copy_from(bench.commands());
        assert_eq!(mine.joints, its.joints);
    }
    assert_eq!(first_difference(&mut bench.locomotion, &StateWriter::save(&mut other)), None);
}
