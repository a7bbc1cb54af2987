//! Registration of sweeps against local maps, in worlds that are known exactly.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Vector3};
use slam::{GridSettings, LocalMap, Registration, RegistrationSettings, SurfelCloud, register};
use support::{Bench, Step, Trajectory, World};

/// Takes sweeps in the frame in which the robot started, makes a map of all but the last, and registers the last with a guess
/// that is off by `error` (in the base frame). Returns the registration and the truth.
fn last_against_map(bench: &mut Bench, sweeps: usize, error: &Isometry3<f64>) -> (Registration, Isometry3<f64>) {
    let settings = GridSettings::default();
    let steps: Vec<Step> = bench.take(sweeps).collect();
    let (last, rest) = steps.split_last().unwrap();
    let mut map = LocalMap::new(&settings);
    for step in rest {
        map.recentre(&step.base_in_start.translation.vector.into());
        map.insert(&step.sweep, &step.base_in_start);
    }
    let guess = last.base_in_start * error;
    let source = SurfelCloud::of_sweep(&last.sweep, &settings);
    let found = register(&source, &map.to_cloud(), &guess, None, &RegistrationSettings::default());
    (found, last.base_in_start)
}

fn errors(found: &Isometry3<f64>, truth: &Isometry3<f64>) -> (f64, f64) {
    let off = truth.inv_mul(found);
    (off.translation.vector.norm(), off.rotation.angle().to_degrees())
}

#[test]
fn a_sweep_in_a_room_finds_its_place_from_half_a_metre_and_ten_degrees_away() {
    let mut bench = Bench::new(World::room(), Trajectory::arc([0.0, 0.0, 0.3], 0.4, 0.1)).dense();
    let error = Isometry3::new(Vector3::new(0.35, -0.3, 0.1), Vector3::new(0.02, -0.03, 10.0_f64.to_radians()));
    let (found, truth) = last_against_map(&mut bench, 4, &error);
    let (distance, angle) = errors(&found.source_in_target, &truth);
    println!("{distance:.4} m {angle:.4}° {found:?}");
    assert!(found.converged && found.weak.is_empty());
    assert!(distance < 0.01 && angle < 0.05, "{distance} m, {angle}°");
}
