//! Registration of sweeps against local maps, in worlds that are known exactly.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;
use slam::{GridSettings, LocalMap, Registration, RegistrationSettings, SurfelCloud, register};
use support::{Bench, Step, Trajectory, World};

/// A sweep, a map of those before it at their true poses, and the truth.
struct Case {
    source: SurfelCloud,
    map: SurfelCloud,
    truth: Isometry3<f64>,
}

impl Case {
    fn new(bench: &mut Bench, sweeps: usize) -> Case {
        let settings = GridSettings::default();
        let steps: Vec<Step> = bench.take(sweeps).collect();
        let (last, rest) = steps.split_last().unwrap();
        let mut map = LocalMap::new(&settings);
        for step in rest {
            map.recentre(&step.base_in_start.translation.vector.into());
            map.insert(&step.sweep, &step.base_in_start);
        }
        let source = SurfelCloud::of_sweep(&last.sweep, &settings);
        Case { source, map: map.to_cloud(), truth: last.base_in_start }
    }

    /// Registers with a guess that is off by `error`, in the base frame.
    fn register(&self, error: &Isometry3<f64>) -> Registration {
        register(&self.source, &self.map, &(self.truth * error), None, &RegistrationSettings::default())
    }

    /// Distance [m] and angle [°] from the truth.
    fn errors(&self, found: &Registration) -> (f64, f64) {
        let off = self.truth.inv_mul(&found.source_in_target);
        (off.translation.vector.norm(), off.rotation.angle().to_degrees())
    }
}

fn error() -> impl Strategy<Value = Isometry3<f64>> {
    let place = (-0.35_f64..0.35, -0.35_f64..0.35, -0.1_f64..0.1);
    let turn = (-0.04_f64..0.04, -0.04_f64..0.04, -0.17_f64..0.17);
    (place, turn).prop_map(|((x, y, z), (a, b, c))| Isometry3::new(Vector3::new(x, y, z), Vector3::new(a, b, c)))
}

/// Failures are not kept in files: worlds and noise are the same each time, and the guess is printed.
fn config() -> ProptestConfig {
    ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() }
}

fn noisy(world: World, trajectory: Trajectory) -> Bench {
    let mut bench = Bench::new(world, trajectory).dense();
    bench.scanner.noise = 0.015;
    bench
}

#[test]
fn a_sweep_finds_its_place_from_half_a_metre_and_ten_degrees_away() {
    for world in [World::room(), World::arena()] {
        let case = Case::new(&mut noisy(world, Trajectory::arc([0.0, 0.0, 0.3], 0.4, 0.1)), 5);
        proptest!(config(), |(error in error())| {
            let found = case.register(&error);
            let (distance, angle) = case.errors(&found);
            prop_assert!(found.converged && found.weak.is_empty(), "{} m, {}°, {:?}", distance, angle, found);
            prop_assert!(distance < 0.01 && angle < 0.05, "{} m, {}°", distance, angle);
        });
    }
}

#[test]
fn in_a_corridor_the_way_along_it_comes_from_the_guess_and_the_rest_is_put_right() {
    let case = Case::new(&mut noisy(World::corridor(), Trajectory::arc([0.0, 0.0, 0.0], 0.4, 0.0)), 5);
    // the guess is near, as after a second of odometry
    proptest!(config(), |(along in -0.3_f64..0.3, across in -0.15_f64..0.15, yaw in -0.05_f64..0.05)| {
        let found = case.register(&Isometry3::new(Vector3::new(along, across, 0.02), Vector3::z() * yaw));
        let off = found.source_in_target.translation.vector - case.truth.translation.vector;
        let expected = case.truth * nalgebra::Point3::new(along, across, 0.0);
        prop_assert_eq!(found.weak.len(), 1);
        prop_assert!(found.weak[0][0].abs() > 0.99, "along x: {}", found.weak[0]);
        prop_assert!((found.source_in_target.translation.x - expected.x).abs() < 0.03, "{} {}", along, off);
        prop_assert!(off.y.abs() < 0.01 && off.z.abs() < 0.01, "{}", off);
        prop_assert!(case.errors(&found).1 < 0.1, "{}", case.errors(&found).1);
        prop_assert!(found.covariance[(0, 0)] > 0.5 && found.covariance[(1, 1)] < 1e-3);
    });
}

#[test]
fn a_plane_holds_three_directions() {
    let case = Case::new(&mut noisy(World::plain(), Trajectory::arc([0.0, 0.0, 0.0], 0.4, 0.0)), 4);
    let found = case.register(&Isometry3::new(Vector3::new(0.2, -0.1, 0.05), Vector3::new(0.02, -0.01, 0.1)));
    let off = case.truth.inv_mul(&found.source_in_target);
    assert_eq!(found.weak.len(), 3);
    let (roll, pitch, yaw) = off.rotation.euler_angles();
    assert!(off.translation.z.abs() < 0.005 && roll.abs() < 1e-3 && pitch.abs() < 1e-3, "{off}");
    assert!((yaw - 0.1).abs() < 0.01, "the heading is the guess's");
}

#[test]
fn nothing_in_common_is_told() {
    let case = Case::new(&mut noisy(World::room(), Trajectory::still(0.0, 0.0, 0.0)), 2);
    let nowhere = case.register(&Isometry3::translation(300.0, 0.0, 0.0));
    assert!(!nowhere.converged && nowhere.matched_share == 0.0 && nowhere.weak.len() == 6);
    let empty = register(
        &SurfelCloud::default(),
        &SurfelCloud::default(),
        &Isometry3::identity(),
        None,
        &RegistrationSettings::default(),
    );
    assert!(!empty.converged && empty.source_in_target == Isometry3::identity());
}

/// The beams of one scan lie in a plane. Where they cross the edge between floor and wall, a cell knows nothing but that plane;
/// taken for a surface, it held the robot along a corridor in which nothing holds it.
#[test]
fn the_plane_of_a_scan_is_no_surface() {
    let bench = noisy(World::corridor(), Trajectory::arc([0.0, 0.0, 0.0], 0.4, 0.0));
    let settings = GridSettings::default();
    for step in bench.take(3) {
        let source = SurfelCloud::of_sweep(&step.sweep, &settings);
        let along = (0..source.levels()).flat_map(|level| source.surfels(level)).filter(slam::Surfel::is_flat);
        let across: Vec<f64> = along.map(|surfel| surfel.normal.x.abs()).filter(|x| *x > 0.3).collect();
        let flat = (0..source.levels()).flat_map(|level| source.surfels(level)).filter(slam::Surfel::is_flat).count();
        assert!(across.len() * 500 < flat, "{} of {flat} surfels face along the corridor: {across:?}", across.len());
    }
}
