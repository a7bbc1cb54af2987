//! J̇ v is what finite differences of J v say.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use nalgebra::{DMatrix, DVector, Vector3};
use proptest::prelude::*;
use robot_model::{
    Data, center_of_mass_bias_in_world, center_of_mass_jacobian_in_world, centroidal_momentum_bias,
    centroidal_momentum_matrix, forward_bias, forward_kinematics, forward_velocities, link_bias_in_world,
    link_jacobian_in_world,
};
use support::{Case, any_case, assert_close, moved};

const STEP: f64 = 1e-5;
const POINT_IN_LINK: Vector3<f64> = Vector3::new(0.3, -0.2, 0.1);

/// How what `jacobian` says changes while the velocity coordinates do not.
fn change(case: &Case, rows: usize, jacobian: impl Fn(&mut Data, &mut DMatrix<f64>)) -> Vec<f64> {
    let velocity = DVector::from_column_slice(&case.velocity);
    let at = |time: f64| {
        let mut data = Data::new(&case.tree);
        let mut matrix = DMatrix::zeros(rows, case.tree.velocity_dof());
        forward_kinematics(&case.tree, &moved(&case.configuration, &case.velocity, time), &mut data);
        jacobian(&mut data, &mut matrix);
        matrix * &velocity
    };
    ((at(STEP) - at(-STEP)) / (2.0 * STEP)).as_slice().to_vec()
}

fn biased(case: &Case) -> Data {
    let mut data = Data::new(&case.tree);
    forward_kinematics(&case.tree, &case.configuration, &mut data);
    forward_velocities(&case.tree, &case.velocity, &mut data);
    forward_bias(&case.tree, &case.velocity, &mut data);
    data
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_every_link(case in any_case()) {
        let data = biased(&case);
        for link in 0..case.tree.links.len() {
            let bias = link_bias_in_world(&case.tree, &data, link, &POINT_IN_LINK).to_vector();
            let found = change(&case, 6, |data, jacobian| {
                link_jacobian_in_world(&case.tree, data, link, &POINT_IN_LINK, jacobian);
            });
            assert_close(bias.as_slice(), &found, 1e-6, "link");
        }
    }

    #[test]
    fn of_centre_of_mass_and_momentum(case in any_case()) {
        let mut data = biased(&case);
        let momentum = centroidal_momentum_bias(&case.tree, &mut data).to_vector();
        let found = change(&case, 6, |data, matrix| centroidal_momentum_matrix(&case.tree, data, matrix));
        assert_close(momentum.as_slice(), &found, 1e-6, "momentum");
        let com = center_of_mass_bias_in_world(&case.tree, &mut data);
        let found = change(&case, 3, |data, matrix| center_of_mass_jacobian_in_world(&case.tree, data, matrix));
        assert_close(com.as_slice(), &found, 1e-6, "centre of mass");
    }
}
