//! How much inertia each joint has to move.

use nalgebra::{DMatrix, Isometry3};
use robot_model::description::Base;
use robot_model::{BASE_DOF, Configuration, Data, RobotModel, crba};

/// A base that is fixed weighs so much [kg and kg·m²].
const FIXED: f64 = 1e9;

/// What each joint moves when all others and the base, if it is not fixed, are free, without its own rotor but with all others'
/// [kg·m² or kg]: 1/((M + J)⁻¹)ⱼⱼ − Jⱼ, in the given configuration.
///
/// It is the smallest inertia that the joint meets in this configuration; ground under the feet only adds to it.
pub(crate) fn of_joints(robot: &RobotModel, base_in_world: &Isometry3<f64>, positions: &[f64]) -> Vec<f64> {
    let tree = &robot.tree;
    let mut data = Data::new(tree);
    let configuration = Configuration { base_in_world: *base_in_world, joints: positions.to_vec() };
    crba(tree, &configuration, &mut data);
    let mut mass: DMatrix<f64> = data.mass_matrix.clone();
    // massless frames would make it singular
    for index in 0..mass.nrows() {
        mass[(index, index)] += 1e-6;
    }
    if robot.description.base == Base::Fixed {
        (0..BASE_DOF).for_each(|index| mass[(index, index)] += FIXED);
    }
    let rotors: Vec<f64> = (0..tree.dof())
        .map(|joint| robot.description.actuator_of(joint).map_or(0.0, |class| class.reflected_inertia()))
        .collect();
    for (joint, rotor) in rotors.iter().enumerate() {
        mass[(BASE_DOF + joint, BASE_DOF + joint)] += rotor;
    }
    let diagonal = mass.diagonal();
    let inverse = mass.try_inverse();
    (0..tree.dof())
        .map(|joint| {
            let index = BASE_DOF + joint;
            let felt = inverse.as_ref().map_or(diagonal[index], |inverse| 1.0 / inverse[(index, index)]);
            (felt - rotors[joint]).max(1e-6)
        })
        .collect()
}
