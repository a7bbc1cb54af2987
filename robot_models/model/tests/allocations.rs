//! The algorithms allocate nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod support;

use nalgebra::{DMatrix, Vector3};
use robot_model::{
    Chain, Configuration, Data, GRAVITY_IN_WORLD, Motion, Tree, aba, center_of_mass_in_world,
    center_of_mass_jacobian_in_world, centroidal_momentum, centroidal_momentum_matrix, crba, forward_kinematics,
    forward_velocities, link_jacobian_in_base, link_jacobian_in_world, rnea,
};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

#[test]
fn no_algorithm_allocates() {
    let with_mimic = support::leg();
    // the same leg with its fender held fast: this one takes the articulated body algorithm
    let mut links = with_mimic.links.clone();
    links
        .iter_mut()
        .filter(|link| matches!(link.motion, Motion::Mimic(_)))
        .for_each(|link| link.motion = Motion::Fixed);
    let without_mimic = Tree::new(links, with_mimic.joints.clone()).unwrap();
    for tree in [with_mimic, without_mimic] {
        let dof = tree.velocity_dof();
        let (configuration, vector) = (Configuration::zero(&tree), vec![0.3; dof]);
        let mut data = Data::new(&tree);
        let (mut jacobian, mut point) = (DMatrix::zeros(6, dof), DMatrix::zeros(3, dof));
        let mut in_base = DMatrix::zeros(6, tree.dof());
        let chain = Chain::new(&tree, 0, 4).unwrap();

        let before = counting::allocations();
        forward_kinematics(&tree, &configuration, &mut data);
        forward_velocities(&tree, &vector, &mut data);
        link_jacobian_in_world(&tree, &data, 4, &Vector3::x(), &mut jacobian);
        link_jacobian_in_base(&tree, &data, 4, &Vector3::x(), &mut in_base);
        center_of_mass_jacobian_in_world(&tree, &mut data, &mut point);
        centroidal_momentum_matrix(&tree, &mut data, &mut jacobian);
        let momentum = centroidal_momentum(&tree, &data);
        rnea(&tree, &configuration, &vector, &vector, &GRAVITY_IN_WORLD, &mut data);
        crba(&tree, &configuration, &mut data);
        aba(&tree, &configuration, &vector, &vector, &GRAVITY_IN_WORLD, &mut data).unwrap();
        let tip = chain.tip_in_root(&tree, &configuration.joints);
        let com = center_of_mass_in_world(&tree, &data);
        let after = counting::allocations();

        assert_eq!(after - before, 0);
        assert!(momentum.linear.norm() > 0.0 && tip.translation.vector.norm() > 0.0 && com.norm() > 0.0);
    }
}
