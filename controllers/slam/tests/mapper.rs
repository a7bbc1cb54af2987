//! Mirrors `src/mapper`: loops, bad sweeps, corridors, snapshots.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests; they print how long a sweep takes")]

mod support;

use nalgebra::Isometry3;
use robot_io::{LocalizationState, Pose2};
use slam::{Mapper, MapperSetup, SweepEstimate, SweepOdometer};
use support::{Bench, Drift, Step, Trajectory, World};

/// A mapper that was told where it starts.
fn mapper(bench: &Bench) -> Mapper {
    let start = bench.start_in_world();
    let (_, _, yaw) = start.rotation.euler_angles();
    Mapper::new(MapperSetup {
        start: Pose2 { x: start.translation.x, y: start.translation.y, yaw },
        ..MapperSetup::default()
    })
}

/// Distance [m] and angle [rad] between estimate and truth.
fn error(estimate: &SweepEstimate, truth: &Isometry3<f64>) -> (f64, f64) {
    let off = truth.inv_mul(&estimate.base_in_map);
    (off.translation.vector.norm(), off.rotation.angle())
}

fn show(mapper: &Mapper, step: &Step, estimate: &SweepEstimate, took: f64) {
    let (distance, angle) = error(estimate, &step.base_in_world);
    let place = step.base_in_world.translation.vector;
    println!(
        "{:4} at {:6.2} {:6.2} error {:6.3} m {:6.3}° {:?} {:?} share {:.2} mean {:.3} weak {} deviation {:.3} views {} ties {} {:.0} ms",
        step.sweep.number,
        place.x,
        place.y,
        distance,
        angle.to_degrees(),
        mapper.localization().state,
        estimate.verdict,
        estimate.matched_share,
        estimate.mean_distance,
        estimate.weak_directions,
        estimate.covariance[(0, 0)].max(estimate.covariance[(1, 1)]).sqrt(),
        mapper.graph().nodes.len(),
        mapper.graph().edges.len(),
        1e3 * took,
    );
    mapper.events().for_each(|event| println!("     {event:?}"));
}

fn run(mapper: &mut Mapper, steps: impl Iterator<Item = Step>) -> Vec<(f64, f64)> {
    let mut errors = Vec::new();
    for step in steps {
        let began = std::time::Instant::now();
        let estimate = mapper.process(&step.sweep);
        show(mapper, &step, &estimate, began.elapsed().as_secs_f64());
        errors.push(error(&estimate, &step.base_in_world));
    }
    errors
}

#[test]
fn a_loop_of_seventy_metres_closes() {
    let lap = [[0.0, 0.0], [12.0, 0.0], [12.0, 12.0], [0.0, 12.0], [0.0, 0.0], [10.0, 0.0]];
    let bench = Bench::new(World::ring(), Trajectory::path(&lap, 0.5)).drifting(Drift::loose_ground());
    let mut mapper = mapper(&bench);
    let errors = run(&mut mapper, bench.take(105));
    let last = errors.last().unwrap();
    assert!(last.0 < 0.2, "{last:?}");
    assert_eq!(mapper.localization().state, LocalizationState::Localized);
}
