//! The voxelised GICP on the bench.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::Isometry3;
use robot_io::{State, StateReader, StateWriter};
use slam::{SweepOdometer, Verdict, Vgicp, VgicpSettings};
use support::{Bench, Drift, Trajectory, World};

fn vgicp() -> Vgicp {
    Vgicp::new(VgicpSettings::default()).unwrap()
}

#[test]
fn it_puts_slipping_odometry_right() {
    let trajectory = Trajectory::arc([-1.0, -1.0, 0.3], 0.25, 0.1).rocking(0.03, 1.3);
    let bench = Bench::new(World::room(), trajectory).drifting(Drift::loose_ground());
    let (mut odometer, mut first, mut last) = (vgicp(), None, None);
    for step in bench.take(12) {
        let estimate = odometer.process(&step.sweep);
        let (base, odom): &mut (Isometry3<f64>, Isometry3<f64>) =
            first.get_or_insert((step.base_in_world, step.sweep.base_in_odom));
        let truth = base.inv_mul(&step.base_in_world);
        let of_odometry = truth.inv_mul(&odom.inv_mul(&step.sweep.base_in_odom));
        last = Some((truth.inv_mul(&estimate.base_in_map), of_odometry, estimate));
    }
    let (error, of_odometry, estimate) = last.unwrap();
    let [place, without] = [error, of_odometry].map(|error| error.translation.vector.norm());
    println!("{place:.4} m, {:.4} rad, odometry alone {without:.4} m", error.rotation.angle());
    assert_eq!(estimate.verdict, Verdict::Accepted);
    assert!(estimate.matched_share > 0.8 && estimate.mean_distance < 0.1, "{estimate:?}");
    assert!(place < 0.05 && error.rotation.angle() < 0.01 && place < 0.5 * without, "{place} m");
}

#[test]
fn what_it_remembers_is_its_state() {
    let mut bench = Bench::new(World::arena(), Trajectory::arc([0.0, 0.0, 0.0], 0.3, 0.1));
    let (mut one, mut other) = (vgicp(), vgicp());
    for _ in 0..3 {
        one.process(&bench.step().sweep);
    }
    StateReader::restore(&mut other, &StateWriter::save(&mut one)).unwrap();
    let sweep = bench.step().sweep;
    assert_eq!(one.process(&sweep), other.process(&sweep));
    other.visit_state(&mut StateWriter::default());
    assert_eq!(StateWriter::save(&mut one), StateWriter::save(&mut other));
    assert!(one.map_voxels() > 500);
}

#[test]
fn an_empty_sweep_is_left_out_and_odometry_tells_the_place() {
    let mut bench = Bench::new(World::room(), Trajectory::arc([0.0, 0.0, 0.0], 0.3, 0.1));
    let mut odometer = vgicp();
    let first = bench.step().sweep;
    odometer.process(&first);
    let mut empty = bench.step().sweep;
    empty.points.clear();
    let estimate = odometer.process(&empty);
    assert!(matches!(estimate.verdict, Verdict::LeftOut(_)));
    let expected = first.base_in_odom.inv_mul(&empty.base_in_odom);
    assert!((estimate.base_in_map.translation.vector - expected.translation.vector).norm() < 1e-12);
}

#[test]
fn a_setting_that_makes_no_sense_is_refused_by_name() {
    let error = Vgicp::new(VgicpSettings { voxel: 0.0, ..VgicpSettings::default() }).unwrap_err();
    assert_eq!(error.to_string(), "slam: voxel [m]: expected a positive number, found 0");
}
