#![allow(clippy::unwrap_used, reason = "tests")]

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use plant::{ContactPoint, Frame};
use robot_io::{Commands, JointCommand, Odometry, Readings, RobotLayout, Time};

use super::*;
use crate::history::{History, LENGTH};

fn shown(time: f64) -> StationFrame {
    let layout = RobotLayout::example();
    StationFrame {
        frame: Frame { time: Time::from_seconds(time), ..Frame::default() },
        readings: Readings::new(&layout),
        commands: Commands::new(&layout),
        ..StationFrame::default()
    }
}

fn value(name: &str, shown: &StationFrame) -> Option<f64> {
    catalogue(&RobotLayout::example()).into_iter().find(|signal| signal.name == name).unwrap().value(shown)
}

#[test]
fn every_signal_of_the_catalogue_has_a_unit_and_a_name_of_its_own() {
    let list = catalogue(&RobotLayout::example());
    for (index, signal) in list.iter().enumerate() {
        assert!(signal.name.ends_with(']') && signal.name.contains(" ["), "{}", signal.name);
        assert!(list[index + 1..].iter().all(|other| other.name != signal.name), "{} twice", signal.name);
    }
}

#[test]
fn a_joint_is_measured_commanded_and_their_sum_is_what_the_drive_is_asked_for() {
    let mut shown = shown(0.0);
    shown.readings.joints[1].position = 0.5;
    shown.readings.joints[1].temperature = 41.0;
    shown.commands.joints[1] = JointCommand::hold(0.75, 100.0, 0.0);
    assert_eq!(value("knee.position [rad]", &shown), Some(0.5));
    assert_eq!(value("knee.command.position [rad]", &shown), Some(0.75));
    assert_eq!(value("knee.command.total [N·m]", &shown), Some(25.0));
    assert_eq!(value("knee.tracking_error [rad]", &shown), Some(-0.25));
    assert!(value("hip.tracking_error [rad]", &shown).unwrap().is_nan(), "nothing holds the hip");
    assert_eq!(value("knee.temperature [°C]", &shown), Some(41.0));
    assert_eq!(value("hip.position [rad]", &shown), Some(0.0));
}

#[test]
fn truth_sensors_and_telemetry_are_all_found() {
    let mut shown = shown(0.0);
    let attitude = UnitQuaternion::from_euler_angles(0.1, -0.2, 0.3);
    shown.frame.links_in_world = vec![Isometry3::from_parts(Vector3::new(1.0, 2.0, 3.0).into(), attitude)];
    let contact = |force| ContactPoint {
        position_in_world: Vector3::zeros(),
        force_in_world: Vector3::new(0.0, 0.0, force),
        normal_in_world: Vector3::z(),
        link: None,
    };
    shown.frame.contacts = vec![contact(100.0), contact(150.0)];
    shown.readings.imus[0].linear_acceleration.z = 9.81;
    shown.readings.batteries[0].voltage = 24.5;
    shown.telemetry.scalar("margin [m]", 0.21);
    assert_eq!(value("base.y [m]", &shown), Some(2.0));
    assert!((value("base.pitch [rad]", &shown).unwrap() + 0.2).abs() < 1e-12);
    assert_eq!(value("contacts.force.z [N]", &shown), Some(250.0));
    assert_eq!(value("imu.acceleration.z [m/s²]", &shown), Some(9.81));
    assert_eq!(value("battery.voltage [V]", &shown), Some(24.5));
    assert_eq!(Signal::scalar("margin [m]").value(&shown), Some(0.21));
    assert_eq!(value("odometry.x [m]", &shown), None, "there is no odometry in this frame");
    assert_eq!(value("twist.x [m/s]", &shown), None);
}

#[test]
fn a_plot_opened_late_has_a_past() {
    let mut history = History::new(&RobotLayout::example());
    for step in 0..5 {
        let mut shown = shown(0.1 * f64::from(step));
        shown.readings.joints[0].velocity = f64::from(step);
        history.push(&shown);
    }
    let signal = history.find("hip.velocity [rad/s]").unwrap();
    let values: Vec<f64> = history.series(signal).map(|point| point[1]).collect();
    assert_eq!(values, [0.0, 1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_scalar_that_appears_later_is_plotted_from_then_on() {
    let mut history = History::new(&RobotLayout::example());
    history.push(&shown(0.0));
    let mut later = shown(1.0);
    later.telemetry.scalar("slip [m/s]", 0.5);
    history.push(&later);
    history.push(&shown(2.0));
    let signal = history.find("slip [m/s]").unwrap();
    assert_eq!(history.series(signal).collect::<Vec<_>>(), [[1.0, 0.5]]);
}

#[test]
fn errors_of_balance_appear_with_what_is_wanted() {
    let mut walking = shown(0.0);
    walking.frame.links_in_world = vec![Isometry3::translation(2.0, 1.0, 0.9)];
    walking.telemetry.odometry = Some(Odometry {
        stamp: Time::ZERO,
        base_in_odom: Isometry3::translation(1.5, 1.0, 0.9),
        linear_velocity_in_base: Vector3::zeros(),
        angular_velocity_in_base: Vector3::zeros(),
    });
    walking.frame.contacts = vec![ContactPoint {
        position_in_world: Vector3::new(2.25, 1.0, 0.0),
        force_in_world: Vector3::new(0.0, 0.0, 900.0),
        normal_in_world: Vector3::z(),
        link: Some(0),
    }];
    let names = [CAPTURE, CAPTURE_WANTED, ZMP_WANTED].concat();
    for (name, value) in names.into_iter().zip([1.625, 1.0, 1.5, 1.125, 1.625, 0.75]) {
        walking.telemetry.scalar(name, value);
    }
    let mut history = History::new(&RobotLayout::example());
    assert_eq!(history.find("zmp_error_x [m]"), None, "a robot on wheels has none");
    history.push(&walking);
    let last = |name: &str| history.series(history.find(name).unwrap()).last().unwrap()[1];
    assert_eq!([last("dcm_error_x [m]"), last("dcm_error_y [m]")], [0.125, -0.125]);
    assert_eq!([last("zmp_x [m]"), last("zmp_y [m]")], [1.75, 1.0], "in the odometry frame, as what is wanted");
    assert_eq!([last("zmp_error_x [m]"), last("zmp_error_y [m]")], [0.125, 0.25]);
}

#[test]
fn a_seek_backwards_forgets_the_future_and_old_rows_go() {
    let mut history = History::new(&RobotLayout::example());
    for step in 0..10 {
        history.push(&shown(f64::from(step)));
    }
    history.push(&shown(4.5));
    let signal = history.find("hip.position [rad]").unwrap();
    let times = |history: &History| history.series(signal).map(|point| point[0]).collect::<Vec<_>>();
    assert_eq!(times(&history), [0.0, 1.0, 2.0, 3.0, 4.0, 4.5]);
    history.push(&shown(LENGTH + 3.5));
    assert_eq!(times(&history), [4.0, 4.5, LENGTH + 3.5]);
}
