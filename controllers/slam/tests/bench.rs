//! The bench itself: if it lied, so would every test on it.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::Point3;
use support::{Bench, Drift, Step, Trajectory, World};

/// Root mean square distance of a sweep's points from the nearest surface [m].
fn roughness(world: &World, step: &Step, place: impl Fn(&slam::SweepPoint) -> [f32; 3]) -> f64 {
    let squares = step.sweep.points.iter().map(|point| {
        let in_world = step.base_in_world * Point3::from(place(point)).cast::<f64>();
        world.distance(&in_world).powi(2)
    });
    (squares.sum::<f64>() / step.sweep.points.len() as f64).sqrt()
}

#[test]
fn points_lie_on_the_surfaces_of_the_world() {
    for world in [World::room(), World::arena(), World::ring(), World::corridor()] {
        let step = Bench::new(world.clone(), Trajectory::still(0.5, 0.2, 0.3)).step();
        assert!(step.sweep.points.len() > 6_000, "{} points", step.sweep.points.len());
        assert!(roughness(&world, &step, |point| point.position) < 0.011, "noise is 1 cm");
    }
}

#[test]
fn motion_is_undone_in_the_positions_and_not_in_the_measurements() {
    let trajectory = Trajectory::arc([0.0, 0.0, 0.0], 0.4, 0.5).rocking(0.03, 1.5);
    let step = Bench::new(World::room(), trajectory).step();
    assert!(roughness(&World::room(), &step, |point| point.position) < 0.011);
    assert!(roughness(&World::room(), &step, |point| point.as_measured) > 0.1);
    assert!((step.sweep.motion.distance - 0.5).abs() < 0.05 && (step.sweep.motion.turn - 0.625).abs() < 0.05);
}

#[test]
fn odometry_without_drift_is_the_truth_and_with_it_is_not() {
    let path = Trajectory::path(&[[0.0, 0.0], [12.0, 0.0], [12.0, 12.0]], 1.0);
    let mut exact = Bench::new(World::ring(), path.clone());
    let mut loose = Bench::new(World::ring(), path).drifting(Drift::loose_ground());
    (exact.scanner, loose.scanner) = (exact.scanner.thinned(8), loose.scanner.thinned(8));
    let (exact, loose) = (exact.nth(15).unwrap(), loose.nth(15).unwrap());
    let error =
        |step: &Step| (step.sweep.base_in_odom.translation.vector - step.base_in_start.translation.vector).norm();
    assert!(error(&exact) < 1e-9, "{}", error(&exact));
    assert!((0.3..4.0).contains(&error(&loose)), "{}", error(&loose));
}

#[test]
fn the_same_bench_twice_is_the_same_to_the_bit() {
    let sweep = || Bench::new(World::room(), Trajectory::still(0.0, 0.0, 0.0)).step().sweep;
    assert_eq!(sweep(), sweep());
}
