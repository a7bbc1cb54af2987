//! A walking robot finds its base.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod walker;

use counting::{Counting, allocations};
use estimation::LeggedEstimator;
use nalgebra::Vector3;
use walker::{BEGIN, Walk, Walker};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const EXACT: Walk = Walk {
    speed: 0.4,
    turn: 0.1,
    gyro_bias: Vector3::new(0.0, 0.0, 0.0),
    accel_bias: Vector3::new(0.0, 0.0, 0.0),
    zeros: 0.0,
    noise: false,
    slide: 0.0,
};

/// Errors of a lab's robot.
fn real(seed: u64) -> Walk {
    let sign = if seed.is_multiple_of(2) { 1.0 } else { -1.0 };
    Walk {
        gyro_bias: Vector3::new(1.7e-3, -1.7e-3 * sign, 1.2e-3 * sign),
        accel_bias: Vector3::new(0.01 * sign, 0.01, -0.01),
        zeros: 5e-4,
        noise: true,
        ..EXACT
    }
}

/// Largest errors from a second after the start on: of the place per metre gone, of where up is [rad], the heading [rad] and the velocity [m/s].
#[derive(Debug, Default)]
struct Worst {
    place: f64,
    height: f64,
    up: f64,
    heading: f64,
    velocity: f64,
}

fn walked(seed: u64, walk: Walk, seconds: f64) -> (Worst, LeggedEstimator) {
    let mut walker = Walker::new(seed, walk);
    let mut estimator = LeggedEstimator::new(&walker.model, &walker.layout).unwrap();
    estimator.reset(&walker.readings);
    let mut worst = Worst::default();
    while walker.time() < seconds {
        walker.step();
        let found = *estimator.update(&walker.readings);
        if walker.time() < BEGIN {
            continue;
        }
        let truth = walker.truth();
        let off = found.base_in_odom.translation.vector - truth.translation.vector;
        let turn = found.base_in_odom.rotation * truth.rotation.inverse();
        let gone = truth.translation.vector.xy().norm().max(1.0);
        worst.place = worst.place.max(off.xy().norm() / gone);
        worst.height = worst.height.max(off.z.abs());
        worst.up = worst.up.max((turn * Vector3::z()).xy().norm());
        worst.heading = worst.heading.max(turn.euler_angles().2.abs());
        worst.velocity = worst.velocity.max((found.linear_velocity_in_base - walker.velocity()).norm());
    }
    println!("{worst:?}");
    (worst, estimator)
}

#[test]
fn with_perfect_sensors_it_is_where_it_is() {
    let (worst, estimator) = walked(1, EXACT, 12.0);
    assert!(worst.place < 1e-4 && worst.height < 1e-4, "{worst:?}");
    assert!(worst.up < 1e-4 && worst.heading < 1e-4 && worst.velocity < 2e-3, "{worst:?}");
    assert_eq!((estimator.slips(0), estimator.slips(1)), (0, 0));
}

#[test]
fn with_a_labs_sensors_it_errs_by_a_hundredth_of_its_way() {
    for seed in 1..=4 {
        let (worst, _) = walked(seed, real(seed), 25.0);
        assert!(worst.place < 0.01 && worst.height < 0.03, "seed {seed}: {worst:?}");
        assert!(worst.up < 0.005 && worst.heading < 0.02 && worst.velocity < 0.05, "seed {seed}: {worst:?}");
    }
}

#[test]
fn a_foot_that_slides_is_noticed_and_costs_little() {
    let (worst, estimator) = walked(3, Walk { slide: 0.03, ..real(3) }, 20.0);
    assert!(estimator.slips(0) + estimator.slips(1) >= 2, "{} {}", estimator.slips(0), estimator.slips(1));
    assert!(worst.place < 0.015 && worst.velocity < 0.15, "{worst:?}");
}

#[test]
fn feet_tell_who_stands_and_where_the_load_is() {
    let mut walker = Walker::new(1, EXACT);
    let mut estimator = LeggedEstimator::new(&walker.model, &walker.layout).unwrap();
    estimator.reset(&walker.readings);
    assert!(estimator.footings().iter().all(|foot| foot.stands));
    let half = 0.5 * 9.81 * walker.model.tree.mass();
    assert!((estimator.footings()[0].force.z / half - 1.0).abs() < 1e-2, "{}", estimator.footings()[0].force);
    while walker.time() < BEGIN + 0.35 {
        walker.step();
        estimator.update(&walker.readings);
    }
    let [left, right] = estimator.footings() else { panic!("two feet") };
    assert!(!left.stands && right.stands && left.lasting > 0.1, "{left:?} {right:?}");
    assert!(left.pressure.is_none() && right.pressure.is_some_and(|at| at.norm() < 0.2));
}

#[test]
fn no_cycle_allocates() {
    let mut walker = Walker::new(2, real(2));
    let mut estimator = LeggedEstimator::new(&walker.model, &walker.layout).unwrap();
    estimator.reset(&walker.readings);
    while walker.time() < 4.0 {
        walker.step();
        let before = allocations();
        estimator.update(&walker.readings);
        assert_eq!(allocations(), before, "{} s", walker.time());
    }
}

#[test]
fn it_goes_on_from_a_snapshot() {
    use robot_io::{StateReader, StateWriter};
    let mut walker = Walker::new(5, real(5));
    let mut estimator = LeggedEstimator::new(&walker.model, &walker.layout).unwrap();
    estimator.reset(&walker.readings);
    for _ in 0..2500 {
        walker.step();
        estimator.update(&walker.readings);
    }
    let mut other = LeggedEstimator::new(&walker.model, &walker.layout).unwrap();
    StateReader::restore(&mut other, &StateWriter::save(&mut estimator)).unwrap();
    for _ in 0..1500 {
        walker.step();
        assert_eq!(estimator.update(&walker.readings), other.update(&walker.readings));
    }
}

#[test]
fn a_robot_without_feet_is_refused() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../robot_models/centaur/centaur.toml");
    let centaur = robot_model::RobotModel::load(&path).unwrap();
    let error = LeggedEstimator::new(&centaur, &centaur.layout()).unwrap_err().to_string();
    let expected = "robot \"centaur\": expected feet, each with a force_torque cell or a contact switch, found 0";
    assert_eq!(error, expected);
}
