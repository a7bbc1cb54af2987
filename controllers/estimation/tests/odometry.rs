//! What a user of the odometry notices: it is where the robot is.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, reason = "tests")]

mod puppet;

use estimation::OdometryEstimator;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use puppet::{DT, Puppet, Strings};
use robot_io::{Digest, Pose2, RandomStream, StateReader, StateWriter, Twist};

/// Runs `seconds` of `motion` and returns the estimator and where the base truly is, as seen from where it started.
fn run(puppet: &mut Puppet, seconds: f64, motion: impl Fn(f64) -> Strings) -> (OdometryEstimator, Isometry3<f64>) {
    run_with(puppet, seconds, motion, |_, _| {})
}

fn run_with(
    puppet: &mut Puppet,
    seconds: f64,
    motion: impl Fn(f64) -> Strings,
    mut spoil: impl FnMut(f64, &mut Puppet),
) -> (OdometryEstimator, Isometry3<f64>) {
    let mut estimator = OdometryEstimator::new(&puppet.model, &puppet.layout).unwrap();
    puppet.pull(0, &motion(0.0), &motion(0.0));
    estimator.reset(&puppet.readings);
    let cycles = (seconds / DT).round() as u64;
    for cycle in 1..=cycles {
        let t = cycle as f64 * DT;
        puppet.pull(cycle, &motion(t - 0.5 * DT), &motion(t));
        spoil(t, puppet);
        estimator.update(&puppet.readings);
    }
    let truth = puppet.truth(&motion(seconds));
    let start = puppet.truth(&motion(0.0));
    // odometry starts above its origin with heading zero and keeps the true tilt
    let (_, _, yaw) = start.rotation.euler_angles();
    let heading = UnitQuaternion::from_euler_angles(0.0, 0.0, -yaw);
    let moved = heading * (truth.translation.vector - start.translation.vector);
    (estimator, Isometry3::from_parts(moved.into(), heading * truth.rotation))
}

/// How far the estimate is from the truth [m], and how far it is turned [rad]; the start's height is not counted.
fn error(estimator: &OdometryEstimator, start_height: f64, truth: &Isometry3<f64>) -> (f64, f64) {
    let odometry = estimator.odometry();
    let mut place = odometry.base_in_odom.translation.vector;
    place.z -= start_height;
    ((place - truth.translation.vector).norm(), odometry.base_in_odom.rotation.angle_to(&truth.rotation))
}

fn straight(speed: f64, direction: f64) -> impl Fn(f64) -> Strings {
    let (vx, vy) = (speed * direction.cos(), speed * direction.sin());
    move |t| Strings {
        pose: Pose2 { x: vx * t, y: vy * t, yaw: 0.0 },
        twist: Twist { x: vx, y: vy, yaw: 0.0 },
        ..Strings::default()
    }
}

/// A circle about (0, radius), heading along it plus `crab`.
fn circle(speed: f64, radius: f64, crab: f64) -> impl Fn(f64) -> Strings {
    let rate = speed / radius;
    move |t| Strings {
        pose: Pose2 { x: radius * (rate * t).sin(), y: radius * (1.0 - (rate * t).cos()), yaw: rate * t - crab },
        twist: Twist { x: speed * crab.cos(), y: speed * crab.sin(), yaw: rate },
        ..Strings::default()
    }
}

#[test]
fn ten_metres_straight_in_any_direction_are_ten_metres() {
    for direction in [0.0, 0.5, 1.57, 3.0, -2.0] {
        let (estimator, truth) = run(&mut Puppet::new(), 20.0, straight(0.5, direction));
        let (distance, angle) = error(&estimator, 0.5, &truth);
        assert!(distance < 1e-3, "direction {direction}: {distance} m");
        assert!(angle < 1e-6, "direction {direction}: {angle} rad");
    }
}

#[test]
fn height_and_speed_are_those_of_the_base() {
    let (estimator, _) = run(&mut Puppet::new(), 2.0, straight(0.3, 0.0));
    assert!((estimator.height_above_ground() - 0.5).abs() < 1e-6);
    assert!((estimator.odometry().base_in_odom.translation.z - 0.5).abs() < 1e-5);
    assert!((estimator.odometry().linear_velocity_in_base - Vector3::new(0.3, 0.0, 0.0)).norm() < 1e-4);
    assert!(estimator.largest_slip() < 1e-4);
    let wheel = estimator.wheels_in_base()[0] - estimator.contacts_in_base()[0];
    assert!((wheel - Vector3::new(0.0, 0.0, 0.08)).norm() < 1e-6, "{wheel}");
}

#[test]
fn three_turns_on_a_circle_close_it() {
    for crab in [0.0, 0.7] {
        let seconds = 3.0 * core::f64::consts::TAU * 2.0 / 0.4;
        let (estimator, truth) = run(&mut Puppet::new(), seconds, circle(0.4, 2.0, crab));
        let (distance, angle) = error(&estimator, 0.5, &truth);
        assert!(distance < 5e-3, "crab {crab}: {distance} m after 38 m");
        assert!(angle < 1e-3, "crab {crab}: {angle} rad");
    }
}

#[test]
fn turning_on_the_spot_stays_on_the_spot() {
    let turn = |t: f64| Strings {
        pose: Pose2 { x: 0.0, y: 0.0, yaw: 0.5 * t },
        twist: Twist { x: 0.0, y: 0.0, yaw: 0.5 },
        ..Strings::default()
    };
    let (estimator, truth) = run(&mut Puppet::new(), 20.0, turn);
    let (distance, angle) = error(&estimator, 0.5, &truth);
    assert!(distance < 1e-3, "{distance} m");
    assert!(angle < 1e-3, "{angle} rad");
}

#[test]
fn legs_that_move_and_a_spine_that_turns_do_not_count_as_driving() {
    let motion = |t: f64| Strings {
        height: 0.5 + 0.08 * (0.9 * t).sin(),
        front_shift: (0.06 * (0.7 * t).sin(), 0.06 * 0.7 * (0.7 * t).cos()),
        spine: 0.8 * (0.5 * t).sin(),
        ..straight(0.2, 0.4)(t)
    };
    let (estimator, truth) = run(&mut Puppet::new(), 20.0, motion);
    let (distance, angle) = error(&estimator, 0.5, &truth);
    assert!(distance < 2e-3, "{distance} m");
    assert!(angle < 1e-3, "{angle} rad");
}

#[test]
fn on_a_slope_it_climbs() {
    let mut puppet = Puppet::new();
    puppet.slope = UnitQuaternion::from_euler_angles(0.1, -0.26, 0.0);
    let (estimator, truth) = run(&mut puppet, 10.0, circle(0.4, 3.0, 0.3));
    let start_height = estimator.odometry().base_in_odom.translation.z - truth.translation.z;
    let (distance, angle) = error(&estimator, start_height, &truth);
    assert!(truth.translation.z > 0.4, "it did climb: {}", truth.translation.z);
    assert!(distance < 5e-3, "{distance} m");
    assert!(angle < 1e-3, "{angle} rad");
    assert!((estimator.height_above_ground() - 0.5 / (0.1f64.cos() * 0.26f64.cos())).abs() < 2e-3);
    let normal = estimator.ground_normal_in_base();
    assert!((normal - Vector3::z()).norm() < 1e-3, "the base is parallel to the ground: {normal}");
}

#[test]
fn a_wheel_that_spins_and_one_in_the_air_are_not_believed() {
    let mut puppet = Puppet::new();
    let (spinning, lifted) = (puppet.model.description.wheels[2].drive_joint, 5);
    let lifted_joint = puppet.model.description.wheels[lifted].drive_joint;
    let spoil = |t: f64, puppet: &mut Puppet| {
        puppet.readings.joints[spinning].position += 5.0 * (t - 2.0).max(0.0);
        puppet.readings.joints[lifted_joint].position -= 2.0 * t;
        puppet.readings.contacts[lifted].touching = false;
    };
    let (estimator, truth) = run_with(&mut puppet, 20.0, straight(0.3, 0.0), spoil);
    let (distance, _) = error(&estimator, 0.5, &truth);
    assert!(distance < 0.02, "{distance} m; 7.2 m of slip of one wheel would be 0.9 m of eight");
    assert!((estimator.slip()[2][0].abs() - 0.4).abs() < 0.01, "it slips by 5 rad/s: {:?}", estimator.slip());
    assert!(estimator.weights()[2] < 1e-3 && estimator.weights()[0] > 0.9, "{:?}", estimator.weights());
    assert_eq!(estimator.weights()[lifted], 0.0);
}

#[test]
fn wheels_that_are_turned_on_the_spot_are_believed_less_than_those_that_stand() {
    let mut puppet = Puppet::new();
    let front: Vec<_> = puppet.model.description.wheels[..4].to_vec();
    let spoil = |t: f64, puppet: &mut Puppet| {
        let time = (t - 2.0).clamp(0.0, 1.5);
        for (index, wheel) in front.iter().enumerate() {
            if index % 2 == 0 {
                puppet.readings.joints[wheel.steer_joint].position -= 2.0 * time;
            }
            // they roll around their leg, and a little too far: the leg is pushed aside
            let around = if index % 2 == 0 { 1.6 } else { -1.6 };
            puppet.readings.joints[wheel.drive_joint].position += (around + 0.3) * time;
        }
    };
    let (estimator, truth) = run_with(&mut puppet, 5.0, straight(0.0, 0.0), spoil);
    let (distance, _) = error(&estimator, 0.5, &truth);
    assert!(distance < 0.004, "{distance} m of the 36 mm that the front wheels roll too far");
}

#[test]
fn a_robot_that_is_lifted_and_races_its_wheels_does_not_drive_away() {
    let mut puppet = Puppet::new();
    let wheels: Vec<usize> = puppet.model.description.wheels.iter().map(|wheel| wheel.drive_joint).collect();
    let spoil = |t: f64, puppet: &mut Puppet| {
        puppet.readings.contacts.iter_mut().for_each(|contact| contact.touching = t < 5.0);
        for &wheel in &wheels {
            puppet.readings.joints[wheel].position += 8.0 * (t - 5.0).max(0.0);
        }
    };
    let (estimator, _) = run_with(&mut puppet, 30.0, straight(0.2, 0.0), spoil);
    let place = estimator.odometry().pose();
    assert!((place.x - 1.1).abs() < 0.05, "a metre on the ground, and what it takes to forget 0.2 m/s: {place:?}");
}

#[test]
fn a_stuck_encoder_costs_centimetres() {
    let mut puppet = Puppet::new();
    let stuck = puppet.model.description.wheels[1].drive_joint;
    let mut kept = None;
    let spoil = |t: f64, puppet: &mut Puppet| {
        let state = &mut puppet.readings.joints[stuck];
        if t > 3.0 {
            state.position = *kept.get_or_insert(state.position);
        }
    };
    let (estimator, truth) = run_with(&mut puppet, 20.0, straight(0.4, 0.0), spoil);
    let (distance, _) = error(&estimator, 0.5, &truth);
    assert!(distance < 0.02, "{distance} m of 6.8 m");
}

#[test]
fn the_gyroscopes_bias_is_learnt_while_standing() {
    let mut puppet = Puppet::new();
    puppet.gyro_bias = Vector3::new(0.01, -0.008, 0.02);
    let motion = |t: f64| if t < 4.0 { Strings::default() } else { straight(0.4, 0.0)(t - 4.0) };
    let (estimator, truth) = run(&mut puppet, 29.0, motion);
    assert!(!estimator.is_learning());
    let (distance, angle) = error(&estimator, 0.5, &truth);
    assert!((estimator.gyro_bias_in_imu() - puppet.gyro_bias).norm() < 1e-4);
    assert!(
        angle < 8e-3,
        "{angle} rad: the third of a second before it knows that it stands; unlearnt it would be 0.5 rad"
    );
    assert!(distance < 0.08, "{distance} m of 10 m");
}

#[test]
fn whoever_speeds_up_and_brakes_stays_level_whatever_the_units_own_filter_believes() {
    let (swing, rate) = (0.5, 1.2);
    let motion = |t: f64| Strings {
        pose: Pose2 { x: swing / rate * (1.0 - (rate * t).cos()), ..Pose2::default() },
        twist: Twist { x: swing * (rate * t).sin(), ..Twist::default() },
        ..Strings::default()
    };
    let mut worst: f64 = 0.0;
    let mut puppet = Puppet::new();
    let mut estimator = OdometryEstimator::new(&puppet.model, &puppet.layout).unwrap();
    for cycle in 0..5_000 {
        let t = cycle as f64 * DT;
        puppet.pull(cycle, &motion(t - 0.5 * DT), &motion(t));
        if cycle == 0 {
            estimator.reset(&puppet.readings);
        }
        let fooled = UnitQuaternion::from_euler_angles(0.0, -0.05 * (rate * t).cos(), 0.0);
        let imu = &mut puppet.readings.imus[0];
        imu.orientation = fooled * imu.orientation;
        estimator.update(&puppet.readings);
        let (roll, pitch) = estimator.attitude();
        worst = worst.max(roll.abs()).max(pitch.abs());
    }
    // 0.6 m/s² taken for gravity would be 0.061 rad
    assert!(worst < 1e-3, "{worst} rad");
}

#[test]
fn noise_of_real_sensors_costs_less_than_one_percent_and_nothing_while_standing() {
    let noise = RandomStream::new(7, "noise");
    let mut puppet = Puppet::new();
    let spoil = |t: f64, puppet: &mut Puppet| {
        let cycle = (t / DT).round() as u64;
        for (index, joint) in puppet.readings.joints.iter_mut().enumerate() {
            joint.position += 5e-5 * noise.normal(cycle, index as u32);
        }
        let tilt = Vector3::from_fn(|axis, _| 0.003 * noise.normal(cycle, 1000 + axis as u32));
        let imu = &mut puppet.readings.imus[0];
        imu.orientation = UnitQuaternion::from_scaled_axis(tilt) * imu.orientation;
        // 3.9e-3 m/s²/√Hz at 250 Hz
        imu.linear_acceleration += Vector3::from_fn(|axis, _| 0.062 * noise.normal(cycle, 3000 + axis as u32));
        // 8.7e-5 rad/s/√Hz at 250 Hz
        imu.angular_velocity += Vector3::from_fn(|axis, _| 1.4e-3 * noise.normal(cycle, 2000 + axis as u32));
    };
    let (estimator, truth) = run_with(&mut puppet, 25.0, circle(0.4, 2.0, 0.0), spoil);
    let (distance, angle) = error(&estimator, 0.5, &truth);
    assert!(distance < 0.1 && angle < 0.02, "{distance} m of 10 m, {angle} rad");
    let (estimator, _) = run_with(&mut Puppet::new(), 20.0, |_| Strings::default(), spoil);
    let place = estimator.odometry().pose();
    assert!(estimator.stands());
    assert!(place.distance(&Pose2::default()) < 2e-4 && place.yaw.abs() < 1e-3, "{place:?}");
}

#[test]
fn the_same_readings_give_the_same_bits_also_after_a_snapshot() {
    let mut puppet = Puppet::new();
    let motion = circle(0.4, 2.0, 0.3);
    let (mut estimator, _) = run(&mut puppet, 2.0, &motion);
    let (mut again, _) = run(&mut Puppet::new(), 2.0, &motion);
    assert_eq!(Digest::of(&mut estimator), Digest::of(&mut again));
    let saved = StateWriter::save(&mut estimator);
    let mut restored = OdometryEstimator::new(&puppet.model, &puppet.layout).unwrap();
    StateReader::restore(&mut restored, &saved).unwrap();
    for cycle in 501..700 {
        let t = cycle as f64 * DT;
        puppet.pull(cycle, &motion(t - 0.5 * DT), &motion(t));
        let expected = *estimator.update(&puppet.readings);
        assert_eq!(*restored.update(&puppet.readings), expected, "cycle {cycle}");
    }
    assert_eq!(Digest::of(&mut estimator), Digest::of(&mut restored));
}

#[test]
fn another_robots_layout_is_refused_by_name() {
    let puppet = Puppet::new();
    let mut layout = puppet.layout.clone();
    layout.joints[3].name = "elbow".to_owned();
    let error = OdometryEstimator::new(&puppet.model, &layout).unwrap_err();
    assert!(error.to_string().starts_with("joint 3: expected \""), "{error}");
    let mut model = puppet.model.clone();
    model.description.imus.clear();
    layout = model.layout();
    let error = OdometryEstimator::new(&model, &layout).unwrap_err();
    assert_eq!(error.to_string(), "robot \"centaur\": expected an IMU, found 0");
}
