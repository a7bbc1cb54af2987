//! The reference obeys the equations that it stands for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

use nalgebra::Vector3;
use proptest::prelude::*;
use walking::dcm::{Piece, Trajectory, way_point};

const HEIGHT: f64 = 0.95;

fn omega() -> f64 {
    (9.81_f64 / HEIGHT).sqrt()
}

/// Steps with heights: shift, then on one foot and on both in turn, and back to the middle.
fn trajectory(feet: &[Vector3<f64>], single: f64, both: f64) -> Trajectory {
    let mut way = Trajectory::new(omega());
    way.push((feet[0] + feet[1]) * 0.5, feet[0], 0.6);
    for pair in feet.windows(2) {
        way.push(pair[0], pair[0], single);
        way.push(pair[0], pair[1], both);
    }
    let last = feet[feet.len() - 1];
    way.push(last, (last + feet[feet.len() - 2]) * 0.5, 0.6);
    way.join();
    way
}

prop_compose! {
    fn walks()(
        steps in prop::collection::vec((-0.3..0.6f64, 0.2..0.5f64, -0.2..0.2f64), 3..8),
        single in 0.2..1.0f64,
        both in 0.0..0.4f64,
    ) -> Trajectory {
        let mut at = Vector3::new(0.0, 0.0, HEIGHT);
        let feet: Vec<_> = steps.iter().enumerate().map(|(k, (x, y, z))| {
            at += Vector3::new(*x, if k % 2 == 0 { *y } else { -*y }, *z);
            at
        }).collect();
        trajectory(&feet, single, both)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_dcm_and_the_pressure_never_jump(way in walks()) {
        let mut time = 0.0;
        for piece in &way.pieces()[..way.pieces().len() - 1] {
            time += piece.duration;
            let (before, after) = (way.at(time - 1e-9), way.at(time + 1e-9));
            prop_assert!((before.dcm - after.dcm).norm() < 1e-6);
            if piece.duration > 1e-3 {
                prop_assert!((before.vrp - after.vrp).norm() < 1e-4, "{} {}", before.vrp, after.vrp);
            }
        }
    }

    #[test]
    fn the_velocity_is_that_of_a_divergent_component(way in walks(), share in 0.0..1.0f64) {
        let time = share * way.duration();
        let at = way.at(time);
        prop_assert!(((at.dcm - at.vrp) * omega() - at.velocity).norm() < 1e-9);
        let (before, after) = (way.at(time - 1e-6), way.at(time + 1e-6));
        prop_assert!(((after.dcm - before.dcm) / 2e-6 - at.velocity).norm() < 1e-2);
    }

    #[test]
    fn it_ends_standing(way in walks()) {
        let end = way.at(way.duration());
        prop_assert!((end.dcm - end.vrp).norm() < 1e-12 && end.velocity.norm() < 1e-12);
        prop_assert!((way.at(way.duration() - 1e-7).dcm - end.dcm).norm() < 1e-5);
    }

    #[test]
    fn a_pendulum_that_follows_the_pressure_follows_the_dcm(way in walks()) {
        let steps = 20_000;
        let dt = 1.0_f64.min(way.duration()) / f64::from(steps);
        let mut dcm = way.at(0.0).dcm;
        for k in 0..steps {
            let vrp = way.at((f64::from(k) + 0.5) * dt).vrp;
            dcm = vrp + (dcm - vrp) * (omega() * dt).exp();
        }
        let end = way.at(f64::from(steps) * dt).dcm;
        prop_assert!((dcm - end).norm() < 1e-5, "{dcm} {end}");
    }
}

#[test]
fn walking_on_the_spot_has_the_offset_of_the_textbook() {
    let feet: Vec<_> = (0..10).map(|k| Vector3::new(0.0, if k % 2 == 0 { 0.14 } else { -0.14 }, HEIGHT)).collect();
    let way = trajectory(&feet, 0.7, 0.0);
    let offset = 0.14 - way.end(0).y;
    let expected = 0.28 / (1.0 + (omega() * 0.7).exp());
    assert!(
        (offset - expected).abs() < 1e-4,
        "Khadiv et al. 2020, equation of the lateral offset: {offset} {expected}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn from_standing_the_dcm_begins_where_it_is(x in -0.1..0.3f64, y in 0.05..0.2f64, end in -0.1..0.1f64, half in 0.1..0.6f64) {
        let (middle, foot) = (Vector3::new(0.0, 0.0, HEIGHT), Vector3::new(x, y, HEIGHT));
        let end = foot + Vector3::new(end, end, 0.0);
        let between = way_point(&middle, &middle, &foot, &end, half, omega());
        let later = Piece { from: between, to: foot, duration: half };
        let first = Piece { from: middle, to: between, duration: half };
        let start = first.at(0.0, &later.at(0.0, &end, omega()).dcm, omega());
        prop_assert!((start.dcm - middle).norm() < 1e-9);
    }
}
