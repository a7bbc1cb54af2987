//! The centaur, as it ships.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use plant::{PlantError, Setup, Simulation, plug};
use robot_io::{Clock, JointStatus, Readings, RobotIo};
use support::{active, centaur, hold, quiet, run, shipped, world};

#[test]
fn it_stands_for_ten_seconds_without_creeping() {
    let simulation = Simulation::new(&shipped("flat"), &centaur(), &Setup::default()).unwrap();
    let commands = hold(&simulation, None);
    let (mut robot, mut clock, shared) = plug(simulation);
    let mut readings = Readings::new(robot.layout());
    robot.bring_up().unwrap();
    let mut settled = shared.truth();
    while clock.now().seconds() < 10.0 {
        robot.read(&mut readings).unwrap();
        robot.write(&commands).unwrap();
        if clock.advance().unwrap().seconds() == 1.0 {
            settled = shared.truth();
        }
    }
    let truth = shared.truth();
    let drift = (truth.base_in_world.translation.vector - settled.base_in_world.translation.vector).norm();
    // issue 2 asks for 5 mm
    assert!(drift < 5e-4, "{} mm", drift * 1e3);
    let load: f64 = truth.wheel_forces.iter().sum();
    assert!((load / (58.0 * 9.81) - 1.0).abs() < 0.01, "{load} N");
    assert!(readings.contacts.iter().all(|contact| contact.touching), "{:?}", readings.contacts);
    assert!(readings.batteries[0].charge < 1.0 && readings.batteries[0].current > 0.0);
}

#[test]
fn it_stands_on_a_slope_without_creeping() {
    let ramp = support::ramp(8.0);
    let mut simulation = active(&world("concrete", &ramp), &centaur(), &quiet("stand", 0.0, 0.0));
    let commands = hold(&simulation, None);
    simulation.command(&commands).unwrap();
    run(&mut simulation, 3.0);
    let begin = simulation.truth().base_in_world.translation.vector;
    run(&mut simulation, 10.0);
    let crept = (simulation.truth().base_in_world.translation.vector - begin).norm();
    assert!(crept < 1e-3, "{} mm in ten seconds", crept * 1e3);
}

#[test]
fn a_reading_is_measured_and_no_echo() {
    let mut simulation = active(&shipped("flat"), &centaur(), &Setup::default());
    let commands = hold(&simulation, None);
    simulation.command(&commands).unwrap();
    run(&mut simulation, 2.0);
    let (truth, readings) = (simulation.truth(), simulation.readings());
    let knee = simulation.robot().tree.joint("front_left_knee_pitch").unwrap();
    let reading = readings.joints[knee];
    assert_ne!(reading.position, commands.joints[knee].position);
    // within play, counts and noise of the truth
    assert!((reading.position - truth.joint_positions[knee]).abs() < 1.5e-3);
    // the drive's torque holds the leg's load less what friction holds
    assert!(truth.joint_efforts[knee].abs() > 10.0);
    assert!((reading.effort - truth.joint_efforts[knee]).abs() < 0.5 * truth.joint_efforts[knee].abs());
    assert!(reading.status.contains(JointStatus::ENABLED));
    assert!(reading.temperature > 25.0);
}

#[test]
fn gains_that_the_drive_cannot_bear_are_refused_by_name_and_numbers() {
    let mut robot = centaur();
    let joint = robot.tree.joint("left_arm_wrist_yaw").unwrap();
    robot.description.joints[joint].damping = 100.0;
    let Err(error) = Simulation::new(&shipped("flat"), &robot, &Setup::default()) else { panic!("accepted") };
    assert!(matches!(error, PlantError::UnstableGains { .. }));
    let text = error.to_string();
    assert!(text.contains("left_arm_wrist_yaw") && text.contains("damping 100"), "{text}");
}

#[test]
fn a_pose_that_it_does_not_have_and_a_place_off_the_ground_are_refused() {
    let refused = |setup: &Setup| match Simulation::new(&shipped("flat"), &centaur(), setup) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    };
    let text = refused(&Setup { pose: "fly".to_owned(), ..Setup::default() });
    assert!(text.contains("'fly'") && text.contains("stand"), "{text}");
    let text = refused(&quiet("stand", 99.0, 0.0));
    assert!(text.contains("x = 99"), "{text}");
}
