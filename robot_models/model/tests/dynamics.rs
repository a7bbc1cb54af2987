//! Inverse dynamics, mass matrix, forward dynamics, energy and momentum agree with each other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use nalgebra::{DVector, Vector3};
use proptest::prelude::*;
use robot_model::{
    Configuration, Data, GRAVITY_IN_WORLD, ModelError, Tree, Urdf, aba, centroidal_momentum, crba, forward_kinematics,
    forward_velocities, kinetic_energy, potential_energy, rnea,
};
use support::{Case, any_case, assert_close, case_without_mimics, moved};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn forward_dynamics_inverts_inverse_dynamics(case in any_case()) {
        round_trip(&case);
    }

    #[test]
    fn the_articulated_body_algorithm_inverts_inverse_dynamics(case in case_without_mimics()) {
        round_trip(&case);
    }

    #[test]
    fn the_mass_matrix_is_symmetric_and_positive_definite(case in any_case()) {
        let mut data = Data::new(&case.tree);
        crba(&case.tree, &case.configuration, &mut data);
        prop_assert_eq!(&data.mass_matrix, &data.mass_matrix.transpose());
        prop_assert!(data.mass_matrix.clone().cholesky().is_some(), "{}", data.mass_matrix);
    }

    #[test]
    fn mass_matrix_and_bias_are_inverse_dynamics(case in any_case()) {
        let Case { tree, configuration, velocity, acceleration } = &case;
        let mut data = Data::new(tree);
        crba(tree, configuration, &mut data);
        rnea(tree, configuration, velocity, &vec![0.0; velocity.len()], &GRAVITY_IN_WORLD, &mut data);
        let sum = &data.mass_matrix * DVector::from_column_slice(acceleration) + &data.efforts;
        rnea(tree, configuration, velocity, acceleration, &GRAVITY_IN_WORLD, &mut data);
        assert_close(sum.as_slice(), data.efforts.as_slice(), 1e-12, "efforts");
    }

    #[test]
    fn kinetic_energy_is_half_the_mass_matrix_at_the_velocity(case in any_case()) {
        let Case { tree, configuration, velocity, .. } = &case;
        let mut data = Data::new(tree);
        crba(tree, configuration, &mut data);
        forward_velocities(tree, velocity, &mut data);
        let velocity = DVector::from_column_slice(velocity);
        let half = 0.5 * velocity.dot(&(&data.mass_matrix * &velocity));
        assert_close(&[half], &[kinetic_energy(tree, &data)], 1e-12, "energy");
    }

    #[test]
    fn efforts_change_the_energy_by_their_power(case in any_case()) {
        let Case { tree, configuration, velocity, acceleration } = &case;
        let mut data = Data::new(tree);
        rnea(tree, configuration, velocity, acceleration, &GRAVITY_IN_WORLD, &mut data);
        let power = data.efforts.dot(&DVector::from_column_slice(velocity));
        let energy = |data: &Data| kinetic_energy(tree, data) + potential_energy(tree, data, &GRAVITY_IN_WORLD);
        let rate = rate(&case, |data| vec![energy(data)]);
        assert_close(&[power], &rate, 1e-6, "power");
    }

    #[test]
    fn in_free_fall_momentum_changes_by_the_weight_alone(mut case in any_case()) {
        let Case { tree, configuration, velocity, acceleration } = &mut case;
        let mut data = Data::new(tree);
        // nothing holds the base; the joints push as they like
        let mut efforts = vec![1.0; velocity.len()];
        efforts[..6].fill(0.0);
        aba(tree, configuration, velocity, &efforts, &GRAVITY_IN_WORLD, &mut data).unwrap();
        acceleration.copy_from_slice(data.accelerations.as_slice());
        let weight = tree.mass() * GRAVITY_IN_WORLD;
        let case = case.clone();
        let rate = rate(&case, |data| centroidal_momentum(&case.tree, data).to_vector().as_slice().to_vec());
        assert_close(&rate, &[weight.x, weight.y, weight.z, 0.0, 0.0, 0.0], 2e-6, "momentum");
    }
}

fn round_trip(case: &Case) {
    let Case { tree, configuration, velocity, acceleration } = case;
    let mut data = Data::new(tree);
    rnea(tree, configuration, velocity, acceleration, &GRAVITY_IN_WORLD, &mut data);
    let efforts = data.efforts.as_slice().to_vec();
    aba(tree, configuration, velocity, &efforts, &GRAVITY_IN_WORLD, &mut data).unwrap();
    assert_close(data.accelerations.as_slice(), acceleration, 1e-8, "acceleration");
}

/// How fast a quantity changes, by central differences along the case's motion.
fn rate(case: &Case, quantity: impl Fn(&Data) -> Vec<f64>) -> Vec<f64> {
    const STEP: f64 = 1e-5;
    let mut data = Data::new(&case.tree);
    let mut at = |t: f64| {
        let velocity: Vec<f64> = case.velocity.iter().zip(&case.acceleration).map(|(v, a)| v + a * t).collect();
        forward_kinematics(&case.tree, &moved(&case.configuration, &case.velocity, t), &mut data);
        forward_velocities(&case.tree, &velocity, &mut data);
        quantity(&data)
    };
    let (before, after) = (at(-STEP), at(STEP));
    before.iter().zip(&after).map(|(before, after)| (after - before) / (2.0 * STEP)).collect()
}

/// Two links in the x–z plane that turn about −y, so that positive angles lift them from the x axis.
fn two_link() -> Tree {
    let link = |name: &str, mass: f64, com: f64, inertia: f64| {
        format!(
            "<link name='{name}'><inertial><origin xyz='{com} 0 0'/><mass value='{mass}'/>
             <inertia ixx='{inertia}' ixy='0' ixz='0' iyy='{inertia}' iyz='0' izz='{inertia}'/></inertial></link>"
        )
    };
    let joint = |name: &str, parent: &str, child: &str, x: f64| {
        format!(
            "<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/>
             <origin xyz='{x} 0 0'/><axis xyz='0 -1 0'/></joint>"
        )
    };
    let (upper, lower) = (link("upper", 2.0, 0.3, 0.05), link("lower", 1.5, 0.2, 0.02));
    let (shoulder, elbow) = (joint("shoulder", "stand", "upper", 0.0), joint("elbow", "upper", "lower", 0.6));
    let text = format!("<robot name='arm'><link name='stand'/>{upper}{lower}{shoulder}{elbow}</robot>");
    Urdf::read("arm.urdf", &text).unwrap().tree
}

/// Spong, Hutchinson and Vidyasagar, "Robot Modeling and Control" (2006), section 7.4: planar elbow manipulator.
#[test]
fn a_two_link_arm_follows_the_text_book() {
    let (m1, m2, l1, c1, c2, i1, i2, g) = (2.0, 1.5, 0.6, 0.3, 0.2, 0.05, 0.02, 9.81);
    let tree = two_link();
    let mut data = Data::new(&tree);
    for (q1, q2, v1, v2) in [(0.0, 0.0, 0.0, 0.0), (0.4, -1.1, 0.7, -2.0), (-2.0, 2.5, -1.0, 3.0)] {
        let configuration = Configuration { joints: vec![q1, q2], ..Configuration::zero(&tree) };
        crba(&tree, &configuration, &mut data);
        let m11 = m1 * c1 * c1 + m2 * (l1 * l1 + c2 * c2 + 2.0 * l1 * c2 * f64::cos(q2)) + i1 + i2;
        let m12 = m2 * (c2 * c2 + l1 * c2 * f64::cos(q2)) + i2;
        let m22 = m2 * c2 * c2 + i2;
        let block = data.mass_matrix.view((6, 6), (2, 2)).clone_owned();
        assert_close(block.as_slice(), &[m11, m12, m12, m22], 1e-14, "mass matrix");

        let velocity = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, v1, v2];
        rnea(&tree, &configuration, &velocity, &[0.0; 8], &GRAVITY_IN_WORLD, &mut data);
        let h = -m2 * l1 * c2 * f64::sin(q2);
        let lift2 = m2 * g * c2 * f64::cos(q1 + q2);
        let bias1 = h * (2.0 * v1 * v2 + v2 * v2) + (m1 * c1 + m2 * l1) * g * f64::cos(q1) + lift2;
        let bias2 = -h * v1 * v1 + lift2;
        assert_close(&data.efforts.as_slice()[6..], &[bias1, bias2], 1e-14, "bias");
    }
}

/// A 2 kg bob 0.5 m below a pivot: m l² q̈ = −m g l sin q, with the pivot held by the efforts on the base.
#[test]
fn a_pendulum_swings_as_galilei_saw() {
    let text = "<robot name='pendulum'><link name='stand'/><link name='bob'><inertial><origin xyz='0 0 -0.5'/>
        <mass value='2'/><inertia ixx='0' ixy='0' ixz='0' iyy='0' iyz='0' izz='0'/></inertial></link>
        <joint name='swing' type='continuous'><parent link='stand'/><child link='bob'/><axis xyz='0 1 0'/></joint>
        </robot>";
    let tree = Urdf::read("pendulum.urdf", text).unwrap().tree;
    let mut data = Data::new(&tree);
    let configuration = Configuration { joints: vec![0.7], ..Configuration::zero(&tree) };
    let acceleration = -9.81 / 0.5 * f64::sin(0.7);
    let accelerations = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, acceleration];
    rnea(&tree, &configuration, &[0.0; 7], &accelerations, &GRAVITY_IN_WORLD, &mut data);
    assert!(data.efforts[6].abs() < 1e-14, "no effort is needed, but {}", data.efforts[6]);
}

#[test]
fn a_joint_that_moves_nothing_is_refused_by_name() {
    let text = "<robot name='r'><link name='base'><inertial><mass value='1'/>
        <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link><link name='frame'/>
        <joint name='idle' type='continuous'><parent link='base'/><child link='frame'/></joint></robot>";
    let tree = Urdf::read("r.urdf", text).unwrap().tree;
    let mut data = Data::new(&tree);
    let zero = [0.0; 7];
    let error = aba(&tree, &Configuration::zero(&tree), &zero, &zero, &Vector3::zeros(), &mut data).unwrap_err();
    assert!(matches!(&error, ModelError::Singular { joint, .. } if joint == "idle"), "{error}");
}
