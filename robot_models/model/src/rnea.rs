//! Inverse dynamics: the recursive Newton–Euler algorithm.

use nalgebra::Vector3;

use crate::data::{Configuration, Data};
use crate::kinematics::{base_part, fill_inertias, forward_kinematics, forward_velocities};
use crate::spatial::Twist;
use crate::tree::{BASE_DOF, Tree};

/// Gravity where no scenario says otherwise [m/s²].
pub const GRAVITY_IN_WORLD: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

/// Fills [`Data::efforts`] with the efforts that give `acceleration` at `velocity`: the wrench on the base in the base
/// frame, then the joints' efforts.
///
/// Velocities and accelerations are in the tree's velocity order; the base's acceleration is spatial (the derivative
/// of the base's velocity coordinates), as for Pinocchio's free flyer. Featherstone 2008, table 5.1, with all
/// quantities in the base frame. Friction and motor inertia are the actuators' business.
pub fn rnea(
    tree: &Tree,
    configuration: &Configuration,
    velocity: &[f64],
    acceleration: &[f64],
    gravity_in_world: &Vector3<f64>,
    data: &mut Data,
) {
    forward_kinematics(tree, configuration, data);
    forward_velocities(tree, velocity, data);
    fill_inertias(tree, data);

    // forward: accelerations, with gravity as an upward acceleration of the base
    data.accelerations_of_bodies[0] = base_part(acceleration) + fictitious(data, gravity_in_world);
    for (index, body) in tree.bodies.iter().enumerate().skip(1) {
        let Some(drive) = body.drive else { continue };
        let (axis, column) = (data.axes[index], BASE_DOF + drive.joint);
        data.accelerations_of_bodies[index] = data.accelerations_of_bodies[body.parent]
            + axis * acceleration[column]
            + data.twists[index].cross_motion(&(axis * velocity[column]));
    }
    // each body: Newton and Euler
    for index in 0..tree.bodies.len() {
        let momentum = data.inertias[index] * data.twists[index];
        data.wrenches[index] =
            data.inertias[index] * data.accelerations_of_bodies[index] + data.twists[index].cross_force(&momentum);
    }
    // backward: what a joint carries
    data.efforts.fill(0.0);
    for (index, body) in tree.bodies.iter().enumerate().skip(1).rev() {
        let Some(drive) = body.drive else { continue };
        let wrench = data.wrenches[index];
        data.efforts[BASE_DOF + drive.joint] += data.axes[index].dot(&wrench);
        data.wrenches[body.parent] += wrench;
    }
    data.efforts.fixed_rows_mut::<6>(0).copy_from(&data.wrenches[0].to_vector());
}

/// The acceleration that stands for gravity, in the base frame.
pub(crate) fn fictitious(data: &Data, gravity_in_world: &Vector3<f64>) -> Twist {
    Twist::new(-(data.link_in_world[0].rotation.inverse() * gravity_in_world), Vector3::zeros())
}
