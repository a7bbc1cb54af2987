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

/// Mounds with sides of 45° on a map of half a metre, seen from a place among them by a robot whose laser looks `aside` [rad].
fn among_mounds(truth: &Pose2, told: &Pose2, aside: f64) -> Pose2 {
    let mounds = |x: f64, y: f64| {
        let places = [[3.1, -1.2], [-3.3, 0.4], [0.2, 3.4], [1.1, -5.6], [4.4, 2.9], [-2.2, -4.7], [-5.1, 4.3]];
        let distance = |at: [f64; 2]| (x - at[0]).abs().max((y - at[1]).abs());
        let nearest = places.into_iter().map(distance).fold(f64::INFINITY, f64::min);
        (1.3 - nearest).clamp(0.0, 0.7)
    };
    let at = |k: usize| -12.0 + 0.5 * k as f64;
    let places = (0..49).flat_map(|row| (0..49).map(move |column| (row, column)));
    let heights = places.map(|(row, column)| mounds(at(column), at(row))).collect();
    let prior = HeightMap { cell: 0.5, origin_x: -12.0, origin_y: -12.0, columns: 49, rows: 49, heights };
    let looks = Pose2 { yaw: truth.yaw - aside, ..*truth };
    let relief = seen(&looks, |x, y| if is_in_sight(truth, x, y, mounds) { mounds(x, y) } else { f64::NAN });
    align_to_prior(&prior, &relief, told, &AlignSettings::default()).unwrap().pose
}

/// True if a beam from 1 m above the ground gets there.
fn is_in_sight(from: &Pose2, x: f64, y: f64, height: impl Fn(f64, f64) -> f64) -> bool {
    let there = height(x, y);
    (1..100).map(|step| 0.01 * f64::from(step)).all(|share| {
        let beam = 1.0 + share * (there - 1.0);
        height(from.x + share * (x - from.x), from.y + share * (y - from.y)) <= beam
    })
}

/// Only the near sides are seen: if their cells counted as high all over, everything would look nearer than it is.
#[test]
fn near_sides_alone_lead_to_the_place_itself() {
    let truth = Pose2 { x: 0.6, y: -0.9, yaw: 0.4 };
    let told = Pose2 { x: 1.1, y: -1.3, yaw: 0.46 };
    let found = among_mounds(&truth, &told, 0.0);
    assert!(found.distance(&truth) < 0.05 && (found.yaw - truth.yaw).abs() < 0.01, "{found:?}");
}

/// The laser is calibrated later: what it is wrong by says nothing about the start.
#[test]
fn a_start_told_right_is_not_moved_for_a_laser_that_looks_aside() {
    let told = Pose2 { x: 0.6, y: -0.9, yaw: 0.4 };
    for aside in [-0.01, 0.0, 0.01] {
        assert_eq!(among_mounds(&told, &told, aside), told, "{aside} rad aside");
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
