//! The limits of a patch's wrench are those of four points at its corners.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod support;

use clarabel::solver::SolverStatus;
use nalgebra::{Isometry3, Vector3, Vector6};
use proptest::prelude::*;
use support::{Dice, witness};
use whole_body::{Contact, Rows, Surface};

const CORNERS: [[f64; 2]; 4] = [[-0.12, -0.06], [0.12, -0.06], [0.12, 0.06], [-0.12, 0.06]];

fn patch() -> Contact {
    Contact::patch("sole", "foot", CORNERS.map(|[x, y]| Vector3::new(x, y, 0.0)), 0.7).unwrap()
}

/// Can forces at the corners, each within the friction pyramid, make this wrench?
fn corners_can(wrench: &Vector6<f64>, friction: f64) -> Option<bool> {
    let mut rows = Rows::new(0, 12);
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for axis in 0..6 {
        let row = rows.push();
        for (number, [x, y]) in CORNERS.into_iter().enumerate() {
            let (force, at) = (&mut row[3 * number..][..3], Vector3::new(x, y, 0.0));
            for (k, entry) in force.iter_mut().enumerate() {
                let unit = Vector3::ith(k, 1.0);
                *entry = if axis < 3 { unit[axis] } else { at.cross(&unit)[axis - 3] };
            }
        }
        lower.push(wrench[axis]);
        upper.push(wrench[axis]);
    }
    for number in 0..4 {
        for (k, sign) in [(0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)] {
            let row = rows.push();
            row[3 * number + k] = sign;
            row[3 * number + 2] = -friction;
            lower.push(f64::NEG_INFINITY);
            upper.push(0.0);
        }
    }
    let mut hessian = Rows::new(12, 12);
    (0..12).for_each(|k| hessian.push()[k] = 1e-3);
    match witness::solve(&hessian, &[0.0; 12], &rows, &lower, &upper).status {
        SolverStatus::Solved | SolverStatus::AlmostSolved => Some(true),
        SolverStatus::PrimalInfeasible | SolverStatus::AlmostPrimalInfeasible => Some(false),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_patch_holds_what_its_corners_hold(seed in 1_u64..) {
        let mut dice = Dice(seed);
        let scale = Vector6::new(6.0, 6.0, 0.0, 0.8, 1.5, 1.5);
        let mut wrench = scale.map(|scale| scale * dice.next());
        wrench[2] = 10.0;
        let excess = patch().excess(&wrench);
        // what is very near to the surface is decided by rounding
        prop_assume!(excess.abs() > 1e-4);
        let friction = 0.7 * core::f64::consts::FRAC_1_SQRT_2;
        if let Some(can) = corners_can(&wrench, friction) {
            prop_assert_eq!(excess < 0.0, can, "{}: {}", wrench, excess);
        }
    }
}

#[test]
fn a_patch_knows_its_frame() {
    let tilted = Isometry3::rotation(Vector3::new(0.3, -0.2, 0.1));
    let corners = CORNERS.map(|[x, y]| tilted * Vector3::new(x, y, 0.0) + Vector3::new(0.05, 0.0, -0.1));
    let contact = Contact::patch("sole", "foot", corners, 0.7).unwrap();
    assert!((contact.frame_in_link.translation.vector - Vector3::new(0.05, 0.0, -0.1)).norm() < 1e-12);
    assert!(contact.frame_in_link.rotation.angle_to(&tilted.rotation) < 1e-7);
    let Surface::Patch { half_lengths: [x, y] } = contact.surface else { panic!("{:?}", contact.surface) };
    assert!((x - 0.12).abs() < 1e-12 && (y - 0.06).abs() < 1e-12);
}

#[test]
fn a_force_at_a_corner_has_its_pressure_there() {
    let (at, force) = (Vector3::new(0.12, -0.06, 0.0), Vector3::new(1.0, 2.0, 30.0));
    let torque = at.cross(&force);
    let wrench = Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z);
    let center = patch().center_of_pressure(&wrench).unwrap();
    assert!((center.coords - at).norm() < 1e-12, "{center}");
    assert!(patch().excess(&wrench) < 1e-12, "{}", patch().excess(&wrench));
    assert_eq!(patch().center_of_pressure(&Vector6::zeros()), None);
}
