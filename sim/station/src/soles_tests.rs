use nalgebra::Vector3;
use robot_io::{Odometry, Time};

use super::*;

/// A robot whose base stands 1 m farther along y than it believes; x, y and load of its soles, left and right.
fn walking(time: f64, soles: [(f64, f64, f64); 2]) -> (Frame, Telemetry) {
    let odometry = Odometry {
        stamp: Time::ZERO,
        base_in_odom: Isometry3::translation(0.0, 0.0, 0.9),
        linear_velocity_in_base: Vector3::zeros(),
        angular_velocity_in_base: Vector3::zeros(),
    };
    let mut telemetry = Telemetry { odometry: Some(odometry), ..Telemetry::default() };
    for ([x, y, yaw, carries], (ahead, left, load)) in SOLES.into_iter().zip(soles) {
        for (name, value) in [(x, ahead), (y, left), (yaw, 0.0), (carries, load)] {
            telemetry.scalar(name, value);
        }
    }
    let links_in_world = vec![Isometry3::translation(0.0, 1.0, 0.9)];
    (Frame { time: Time::from_seconds(time), links_in_world, ..Frame::default() }, telemetry)
}

fn sole(side: usize, x: f64, y: f64) -> Sole {
    Sole { side, pose: Pose2 { x, y, yaw: 0.0 } }
}

#[test]
fn a_foot_leaves_a_print_where_it_really_stands_and_none_while_it_swings() {
    let mut prints = Footprints::default();
    let mut note = |time, soles| {
        let (frame, telemetry) = walking(time, soles);
        prints.note(&frame, &telemetry);
    };
    note(0.0, [(0.0, 0.1, 1.0), (0.0, -0.1, 1.0)]);
    note(0.2, [(0.0, 0.1, 1.0), (0.2, -0.1, 0.0)]);
    note(0.4, [(0.01, 0.1, 1.0), (0.4, -0.1, 1.0)]);
    let all: Vec<Sole> = prints.latest_first().copied().collect();
    assert_eq!(all, [sole(1, 0.4, 0.9), sole(1, 0.0, 0.9), sole(0, 0.0, 1.1)]);
}

#[test]
fn a_seek_backwards_takes_later_prints_away() {
    let mut prints = Footprints::default();
    for (time, x) in [(0.0, 0.0), (0.5, 0.2), (1.0, 0.4)] {
        let (frame, telemetry) = walking(time, [(x, 0.1, 1.0), (x, -0.1, 0.0)]);
        prints.note(&frame, &telemetry);
    }
    let (mut frame, mut telemetry) = walking(0.7, [(0.2, 0.1, 1.0), (0.2, -0.1, 0.0)]);
    prints.note(&frame, &telemetry);
    assert_eq!(prints.latest_first().count(), 2);
    telemetry.scalars.clear();
    frame.time = Time::from_seconds(0.1);
    prints.note(&frame, &telemetry);
    assert_eq!(
        prints.latest_first().copied().collect::<Vec<_>>(),
        [sole(0, 0.0, 1.1)],
        "a robot without soles adds none"
    );
}
