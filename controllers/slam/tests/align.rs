//! The start that a robot was told, put right on a map of the land.
#![allow(clippy::unwrap_used, reason = "tests")]

use nalgebra::Point3;
use robot_io::math::{cos, sin};
use robot_io::{HeightMap, Pose2, RandomStream};
use slam::relocalization::{AlignSettings, Relief, align_to_prior};

fn land(x: f64, y: f64) -> f64 {
    0.4 * sin(0.7 * x) + 0.3 * cos(0.9 * y + 0.3 * x)
}

fn prior(height: impl Fn(f64, f64) -> f64) -> HeightMap {
    let at = |k: usize| -12.0 + 0.25 * k as f64;
    let places = (0..97).flat_map(|row| (0..97).map(move |column| (row, column)));
    let heights = places.map(|(row, column)| height(at(column), at(row))).collect();
    HeightMap { cell: 0.25, origin_x: -12.0, origin_y: -12.0, columns: 97, rows: 97, heights }
}

/// What a robot with its laser 1 m above the ground sees.
fn seen(from: &Pose2, height: impl Fn(f64, f64) -> f64) -> Relief {
    let axis = || (-100..=100).map(|k| f64::from(k) * 0.08);
    let ground = height(from.x, from.y);
    let points = axis().flat_map(|x| axis().map(move |y| (x, y))).map(|(x, y)| {
        let there = Pose2 { x, y, yaw: 0.0 }.placed_at(from);
        Point3::new(x, y, height(there.x, there.y) - ground - 1.0)
    });
    Relief::of(&points.collect::<Vec<_>>(), 0.25, 3.0)
}

/// As when somebody has taken the wrong corner of a square for the start.
#[test]
fn a_start_told_a_metre_and_seventeen_degrees_wrong_is_put_right() {
    let truth = Pose2 { x: 1.0, y: -2.0, yaw: 0.4 };
    let told = Pose2 { x: 1.9, y: -2.8, yaw: 0.7 };
    let found = align_to_prior(&prior(land), &seen(&truth, land), &told, &AlignSettings::default()).unwrap();
    assert!(found.pose.distance(&truth) < 0.1 && (found.pose.yaw - truth.yaw).abs() < 0.03, "{found:?}");
}

/// A map whose cells are wrong by 12 cm each fits a little better somewhere beside the truth.
#[test]
fn a_start_told_right_is_not_moved_by_chance() {
    let random = RandomStream::new(3, "rough map");
    let start = Pose2 { x: 1.0, y: -2.0, yaw: 0.4 };
    let gentle = |x: f64, y: f64| 0.4 * land(x, y);
    for draw in 0..6 {
        let mut prior = prior(gentle);
        for (cell, height) in prior.heights.iter_mut().enumerate() {
            *height += 0.12 * random.normal(draw, cell as u32);
        }
        let found = align_to_prior(&prior, &seen(&start, gentle), &start, &AlignSettings::default()).unwrap();
        assert_eq!(found.pose, start, "draw {draw}");
    }
}

/// Waves that repeat every 1.2 m fit as well one further: far off, nothing is put right then.
#[test]
fn far_off_no_place_among_places_alike_is_believed() {
    let wave = |x: f64| sin(core::f64::consts::TAU * x / 1.2);
    let waves = |x: f64, y: f64| 0.3 * wave(x) + 0.3 * wave(y);
    let (truth, told) = (Pose2 { x: 1.0, y: -2.0, yaw: 0.0 }, Pose2 { x: 2.5, y: -2.0, yaw: 0.3 });
    let found = align_to_prior(&prior(waves), &seen(&truth, waves), &told, &AlignSettings::default());
    assert!(found.is_err(), "{found:?}");
}

#[test]
fn a_start_told_wrongly_is_put_right_on_hilly_land() {
    let truth = Pose2 { x: 1.0, y: -2.0, yaw: 0.4 };
    let told = Pose2 { x: 1.35, y: -2.3, yaw: 0.33 };
    let found = align_to_prior(&prior(land), &seen(&truth, land), &told, &AlignSettings::default()).unwrap();
    assert!(found.pose.distance(&truth) < 0.08 && (found.pose.yaw - truth.yaw).abs() < 0.02, "{found:?}");
    assert!((found.height - land(1.0, -2.0) - 1.0).abs() < 0.05, "{found:?}");
}

#[test]
fn on_flat_land_the_start_is_where_it_was_told() {
    let told = Pose2 { x: 1.3, y: -2.3, yaw: 0.3 };
    let flat = |_: f64, _: f64| 0.2;
    let found = align_to_prior(&prior(flat), &seen(&told, flat), &told, &AlignSettings::default()).unwrap();
    assert!(found.pose.distance(&told) < 0.01 && (found.pose.yaw - told.yaw).abs() < 0.01, "{found:?}");
}

#[test]
fn other_land_is_no_fit() {
    let told = Pose2 { x: 1.3, y: -2.3, yaw: 0.3 };
    let other = |x: f64, y: f64| 1.5 * sin(2.0 * x) * cos(1.7 * y);
    let share = align_to_prior(&prior(land), &seen(&told, other), &told, &AlignSettings::default()).unwrap_err();
    assert!(share < 0.7, "{share}");
    assert!(align_to_prior(&prior(land), &Relief::default(), &told, &AlignSettings::default()).is_err());
}
