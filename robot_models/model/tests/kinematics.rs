//! Jacobians and velocities agree with finite differences of poses.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use nalgebra::{DMatrix, DVector, Isometry3, Vector3, vector};
use proptest::prelude::*;
use robot_model::{
    Chain, Configuration, Data, Motion, center_of_mass_in_world, center_of_mass_jacobian_in_world, centroidal_momentum,
    centroidal_momentum_matrix, forward_kinematics, forward_velocities, link_jacobian_in_base, link_jacobian_in_world,
    link_velocity_in_world, relative_pose,
};
use support::{Case, any_case, assert_close, leg, moved};

const STEP: f64 = 1e-6;

/// Central differences of poses of order 1 m lose ten of sixteen digits.
const TOLERANCE: f64 = 1e-8;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn a_links_velocity_is_the_change_of_its_pose(case in any_case()) {
        let data = in_motion(&case);
        for link in 0..case.tree.links.len() {
            let velocity = link_velocity_in_world(&case.tree, &data, link);
            let change = change(&case, |data| data.link_in_world[link], &Vector3::zeros());
            assert_close(velocity.to_vector().as_slice(), &change, TOLERANCE, "velocity");
        }
    }

    #[test]
    fn the_jacobian_moves_a_point_of_a_link(case in any_case()) {
        let data = in_motion(&case);
        let point = vector![0.1, -0.2, 0.3];
        let mut jacobian = DMatrix::zeros(6, case.tree.velocity_dof());
        for link in 0..case.tree.links.len() {
            link_jacobian_in_world(&case.tree, &data, link, &point, &mut jacobian);
            let velocity = &jacobian * DVector::from_column_slice(&case.velocity);
            let change = change(&case, |data| data.link_in_world[link], &point);
            assert_close(velocity.as_slice(), &change, TOLERANCE, "velocity");
        }
    }

    #[test]
    fn the_jacobian_in_the_base_moves_a_point_relative_to_the_base(case in any_case()) {
        let data = in_motion(&case);
        let point = vector![0.3, 0.1, -0.2];
        let mut jacobian = DMatrix::zeros(6, case.tree.dof());
        for link in 0..case.tree.links.len() {
            link_jacobian_in_base(&case.tree, &data, link, &point, &mut jacobian);
            let velocity = &jacobian * DVector::from_column_slice(&case.velocity[6..]);
            let change = change(&case, |data| data.link_in_base[link], &point);
            assert_close(velocity.as_slice(), &change, TOLERANCE, "velocity");
        }
    }

    #[test]
    fn the_center_of_mass_moves_by_its_jacobian_and_by_the_momentum(case in any_case()) {
        let mut data = in_motion(&case);
        let mut jacobian = DMatrix::zeros(3, case.tree.velocity_dof());
        center_of_mass_jacobian_in_world(&case.tree, &mut data, &mut jacobian);
        let velocity = &jacobian * DVector::from_column_slice(&case.velocity);
        let com = |data: &Data| Isometry3::from(center_of_mass_in_world(&case.tree, data));
        let change = change(&case, com, &Vector3::zeros());
        assert_close(velocity.as_slice(), &change[..3], TOLERANCE, "velocity");
        let momentum = centroidal_momentum(&case.tree, &data).linear / case.tree.mass();
        assert_close(velocity.as_slice(), momentum.as_slice(), 1e-12, "momentum");
    }

    #[test]
    fn the_momentum_is_the_momentum_matrix_times_the_velocity(case in any_case()) {
        let mut data = in_motion(&case);
        let momentum = centroidal_momentum(&case.tree, &data).to_vector();
        let mut matrix = DMatrix::zeros(6, case.tree.velocity_dof());
        centroidal_momentum_matrix(&case.tree, &mut data, &mut matrix);
        let product = matrix * DVector::from_column_slice(&case.velocity);
        assert_close(product.as_slice(), momentum.as_slice(), 1e-12, "momentum");
    }

    #[test]
    fn a_chain_leads_where_the_tree_does(case in any_case()) {
        let data = in_motion(&case);
        for tip in 0..case.tree.links.len() {
            let chain = Chain::new(&case.tree, 0, tip).unwrap();
            let by_chain = chain.tip_in_root(&case.tree, &case.configuration.joints);
            let difference = by_chain.inv_mul(&relative_pose(&data, tip, 0));
            prop_assert!(difference.translation.vector.norm() < 1e-13 && difference.rotation.angle() < 1e-7);
        }
    }
}

#[test]
fn a_chain_knows_its_joints_and_refuses_other_limbs() {
    let tree = leg();
    let (base, wheel, fender) = (0, tree.link("wheel").unwrap(), tree.link("fender").unwrap());
    let chain = Chain::new(&tree, base, wheel).unwrap();
    assert_eq!(chain.joints, [0, 1, 2]);
    assert_eq!(chain.links.len(), 4);
    let error = Chain::new(&tree, wheel, fender).unwrap_err().to_string();
    assert_eq!(error, "chain to link \"fender\": expected link \"wheel\" above it, found no way up to it");
}

#[test]
fn a_mimic_joint_turns_with_its_master() {
    let tree = leg();
    let fender = tree.link("fender").unwrap();
    let joints = [0.8, 0.0, 0.0];
    assert!(matches!(tree.links[fender].motion, Motion::Mimic(_)));
    let mut data = Data::new(&tree);
    forward_kinematics(&tree, &Configuration { joints: joints.to_vec(), ..Configuration::zero(&tree) }, &mut data);
    let turned = relative_pose(&data, fender, tree.link("shank").unwrap()).rotation;
    let (_, pitch, _) = turned.euler_angles();
    assert!((pitch - (-0.5 * 0.8 + 0.1)).abs() < 1e-15, "{pitch} rad");
}

fn in_motion(case: &Case) -> Data {
    let mut data = Data::new(&case.tree);
    forward_kinematics(&case.tree, &case.configuration, &mut data);
    forward_velocities(&case.tree, &case.velocity, &mut data);
    data
}

/// Velocity of a point of a frame, and the frame's angular velocity, by central differences.
fn change(case: &Case, frame: impl Fn(&Data) -> Isometry3<f64>, point: &Vector3<f64>) -> Vec<f64> {
    let mut data = Data::new(&case.tree);
    let mut at = |t| {
        forward_kinematics(&case.tree, &moved(&case.configuration, &case.velocity, t), &mut data);
        frame(&data)
    };
    let (before, after) = (at(-STEP), at(STEP));
    let place = |pose: &Isometry3<f64>| pose.rotation * point + pose.translation.vector;
    let linear = (place(&after) - place(&before)) / (2.0 * STEP);
    let turn = after.rotation * before.rotation.inverse();
    // the vector part, since the angle itself is lost where the scalar part rounds to 1
    let angular = turn.vector() * (turn.scalar().signum() / STEP);
    vec![linear.x, linear.y, linear.z, angular.x, angular.y, angular.z]
}
