//! A bump is felt, told from which side it came, and nothing else is taken for one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, reason = "tests")]
#![allow(dead_code, reason = "each test file uses its own part of the puppet")]

mod puppet;

use estimation::{Bump, OdometryEstimator};
use nalgebra::{UnitQuaternion, Vector3};
use puppet::{DT, Puppet, Strings};
use robot_io::{Pose2, StateReader, StateWriter, Twist};

/// The bumps of some seconds, and how far the robot is said to have slid [m]. `motion` is what the wheels show, `felt` the
/// acceleration of the base [m/s²].
fn bumps(
    seconds: f64,
    motion: impl Fn(f64) -> Strings,
    felt: impl Fn(f64) -> Vector3<f64>,
    restored_at: f64,
) -> (Vec<Bump>, f64) {
    spun_bumps(seconds, motion, felt, |_| 0.0, restored_at)
}

/// The same with a turn rate by the gyroscope that nobody asked for [rad/s].
fn spun_bumps(
    seconds: f64,
    motion: impl Fn(f64) -> Strings,
    felt: impl Fn(f64) -> Vector3<f64>,
    spun: impl Fn(f64) -> f64,
    restored_at: f64,
) -> (Vec<Bump>, f64) {
    let mut puppet = Puppet::new();
    let mut estimator = OdometryEstimator::new(&puppet.model, &puppet.layout).unwrap();
    let (mut bumps, mut slid) = (Vec::new(), 0.0);
    for cycle in 0..=(seconds / DT).round() as u64 {
        let t = cycle as f64 * DT;
        puppet.pull(cycle, &motion(t - 0.5 * DT), &motion(t));
        let (imu, yaw) = (&mut puppet.readings.imus[0], UnitQuaternion::from_euler_angles(0.0, 0.0, 1.234));
        imu.linear_acceleration = imu.orientation.inverse() * (yaw * (felt(t) + Vector3::new(0.0, 0.0, 9.81)));
        imu.angular_velocity.z += spun(t);
        if cycle == 0 {
            estimator.reset(&puppet.readings);
        }
        if (t - restored_at).abs() < 0.5 * DT {
            let saved = StateWriter::save(&mut estimator);
            estimator = OdometryEstimator::new(&puppet.model, &puppet.layout).unwrap();
            StateReader::restore(&mut estimator, &saved).unwrap();
        }
        estimator.update(&puppet.readings);
        bumps.extend(estimator.bump());
        slid += estimator.slid();
    }
    (bumps, slid)
}

/// Sets out at two seconds with an acceleration [m/s²] up to a speed [m/s], straight ahead.
fn sets_out(acceleration: f64, speed: f64) -> impl Fn(f64) -> Strings {
    move |t| {
        let rolling = (t - 2.0).clamp(0.0, speed / acceleration);
        let x = 0.5 * acceleration * rolling * rolling + speed * (t - 2.0 - rolling).max(0.0);
        let twist = Twist { x: acceleration * rolling, ..Twist::default() };
        Strings { pose: Pose2 { x, ..Pose2::default() }, twist, ..Strings::default() }
    }
}

/// The acceleration of that.
fn setting_out(t: f64, acceleration: f64, speed: f64) -> Vector3<f64> {
    let rolls = (2.0..2.0 + speed / acceleration).contains(&t);
    Vector3::new(if rolls { acceleration } else { 0.0 }, 0.0, 0.0)
}

/// 5 m/s² for 0.12 s at four seconds, in a direction; then the wheels slide to rest as quickly.
fn shove(t: f64, x: f64, y: f64) -> Vector3<f64> {
    match t {
        4.0..4.12 => Vector3::new(5.0 * x, 5.0 * y, 0.0),
        4.12..4.24 => Vector3::new(-5.0 * x, -5.0 * y, 0.0),
        _ => Vector3::zeros(),
    }
}

#[test]
fn a_shove_is_felt_once_with_its_side_its_strength_and_how_far_one_slid() {
    for ([x, y], side) in [
        ([0.0, -1.0], "the left"),
        ([0.0, 1.0], "the right"),
        ([-1.0, 0.0], "the front"),
        ([1.0, 0.0], "behind"),
        ([-0.7, 0.7], "the front right"),
    ] {
        let felt = |t| setting_out(t, 0.4, 0.4) + shove(t, x, y);
        let (bumps, slid) = bumps(8.0, sets_out(0.4, 0.4), felt, 4.06);
        assert_eq!(bumps.len(), 1, "{bumps:?}");
        let bump = bumps[0];
        assert_eq!(bump.side().to_string(), side);
        assert!((bump.acceleration() - 5.0).abs() < 1.0 && (bump.lasted - 0.12).abs() < 0.03, "{bump:?}");
        // 5 m/s² for 0.12 s and back is 7 cm
        assert!((0.04..0.15).contains(&slid), "{slid} m");
    }
}

#[test]
fn a_standing_robot_feels_a_push_that_its_wheels_withstand() {
    let push = |t: f64| Vector3::new(0.0, if (4.0..4.1).contains(&t) { 2.0 } else { 0.0 }, 0.0);
    let (bumps, _) = bumps(6.0, |_| Strings::default(), push, 4.04);
    assert_eq!(bumps.len(), 1, "{bumps:?}");
    assert_eq!(bumps[0].side().to_string(), "the right");
}

#[test]
fn whoever_sets_out_over_stones_is_not_bumped() {
    // up and down by a whole g, to and fro by what stones make, 10 times a second; the more the faster
    let shaken = |t: f64| {
        let (s, c) = (62.8 * t).sin_cos();
        let speed = (0.5 * (t - 2.0)).clamp(0.0, 0.85);
        setting_out(t, 0.5, 0.85) + Vector3::new(3.0 * s, 2.0 * c, 9.81 * s) * (speed / 0.85)
    };
    let (bumps, slid) = bumps(8.0, sets_out(0.5, 0.85), shaken, 3.0);
    assert!(bumps.is_empty() && slid == 0.0, "{bumps:?} {slid} m");
}

/// Beside its middle, and the wheels hold: it spins by 1.5 rad/s in 0.12 s and comes to rest again.
#[test]
fn a_push_that_spins_the_robot_is_felt_though_the_wheels_hold() {
    let spun = |t: f64| match t {
        4.0..4.12 => 1.5 * (t - 4.0) / 0.12,
        4.12..4.3 => 1.5 * (4.3 - t) / 0.18,
        _ => 0.0,
    };
    let felt = |t| setting_out(t, 0.4, 0.4) + Vector3::new(0.0, if (4.0..4.06).contains(&t) { 3.0 } else { 0.0 }, 0.0);
    let (bumps, _) = spun_bumps(8.0, sets_out(0.4, 0.4), felt, spun, 4.06);
    assert_eq!(bumps.len(), 1, "{bumps:?}");
    assert!((bumps[0].began.seconds() - 4.0).abs() < 0.1 && bumps[0].lasted < 0.3, "{bumps:?}");
}
