//! The baseline on the bench.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::Isometry3;
use robot_io::{Period, State, StateReader, StateWriter};
use slam::{KissIcp, KissSettings, Prediction, SweepEstimate, SweepOdometer, Verdict};
use support::{Bench, Drift, Step, Trajectory, World};

fn kiss() -> KissIcp {
    KissIcp::new(KissSettings::default()).unwrap()
}

/// As in the paper.
fn without_odometry() -> KissIcp {
    KissIcp::new(KissSettings { prediction: Prediction::ConstantVelocity, ..KissSettings::default() }).unwrap()
}

/// By how much the last of `sweeps` estimates is off, in the frame of the first [m], [rad].
fn error_after(mut kiss: KissIcp, mut bench: Bench, sweeps: usize) -> (f64, f64, SweepEstimate) {
    let mut first = None;
    let mut last = None;
    for step in bench.by_ref().take(sweeps) {
        let estimate = kiss.process(&step.sweep);
        let Step { base_in_world, .. } = step;
        let first: &mut Isometry3<f64> = first.get_or_insert(base_in_world);
        last = Some((first.inv_mul(&base_in_world).inv_mul(&estimate.base_in_map), estimate));
    }
    let (error, estimate) = last.unwrap();
    (error.translation.vector.norm(), error.rotation.angle(), estimate)
}

/// Stands for two sweeps, so that the first of the map is not smeared, then drives evenly.
fn drive() -> Trajectory {
    let arc = Trajectory::arc([-1.0, -1.0, 0.3], 0.25, 0.1);
    Trajectory::new(move |time| arc.at((time - 2.6).max(0.0)))
}

/// A scanner whose scans lie closely, 1.4° apart instead of 7.2°, with as many points.
fn close(trajectory: Trajectory) -> Bench {
    let mut bench = Bench::new(World::room(), trajectory);
    bench.scanner = bench.scanner.thinned(4);
    bench.scanner.geometry.period = Period::from_milliseconds(5);
    bench
}

#[test]
fn it_follows_a_slow_and_even_drive() {
    let (place, turn, estimate) = error_after(without_odometry(), close(drive()), 12);
    println!("{place:.3} m, {turn:.4} rad after 3 m");
    assert!(place < 0.12 && turn < 0.03, "{place} m, {turn} rad");
    assert!(estimate.matched_share > 0.9 && estimate.mean_distance < 0.15, "{estimate:?}");
    assert_eq!(estimate.verdict, Verdict::Accepted);
}

#[test]
fn with_odometry_that_slips_sweeps_do_not_turn_with_the_lines_of_scans_that_stand_apart() {
    let slipping = || Bench::new(World::room(), drive().rocking(0.03, 1.3)).drifting(Drift::loose_ground());
    let (place, turn, estimate) = error_after(kiss(), slipping(), 12);
    let (blind, blind_turn, _) = error_after(without_odometry(), slipping(), 12);
    println!("{place:.3} m, {turn:.4} rad with odometry, {blind:.3} m, {blind_turn:.4} rad without");
    assert_eq!(estimate.verdict, Verdict::Accepted);
    assert!(place < 0.1 && turn < 0.02 && 4.0 * turn < blind_turn);
}

#[test]
fn rocking_is_more_than_a_constant_velocity_can_undo() {
    let (even, even_turn, _) = error_after(without_odometry(), close(drive()), 8);
    let (rocked, turn, _) = error_after(without_odometry(), close(drive().rocking(0.05, 1.3)), 8);
    println!("{even:.3} m and {even_turn:.4} rad even, {rocked:.3} m and {turn:.4} rad rocking");
    assert!(turn > 2.0 * even_turn, "this is why the robot has another method");
}

#[test]
fn what_it_remembers_is_its_state() {
    let mut bench = Bench::new(World::arena(), Trajectory::arc([0.0, 0.0, 0.0], 0.3, 0.1));
    let (mut one, mut other) = (kiss(), kiss());
    for _ in 0..3 {
        one.process(&bench.step().sweep);
    }
    StateReader::restore(&mut other, &StateWriter::save(&mut one)).unwrap();
    let sweep = bench.step().sweep;
    assert_eq!(one.process(&sweep), other.process(&sweep));
    other.visit_state(&mut StateWriter::default());
    assert_eq!(StateWriter::save(&mut one), StateWriter::save(&mut other));
    assert!(one.map_points() > 1000);
}

#[test]
fn a_setting_that_makes_no_sense_is_refused_by_name() {
    let error = KissIcp::new(KissSettings { voxel: 0.0, ..KissSettings::default() }).unwrap_err();
    assert_eq!(error.to_string(), "slam: voxel [m]: expected a positive number, found 0");
}
