//! What accelerates though no velocity coordinate does: J̇ v of links, of the centre of mass and of the momentum.

use nalgebra::Vector3;

use crate::data::Data;
use crate::kinematics::fill_inertias;
use crate::momentum::{about_center_of_mass, center_of_mass_in_base};
use crate::spatial::{Twist, Wrench};
use crate::tree::{BASE_DOF, Tree};

/// Fills what the other functions here need; after [`forward_velocities`](crate::forward_velocities) with the same
/// `velocity`.
pub fn forward_bias(tree: &Tree, velocity: &[f64], data: &mut Data) {
    data.accelerations_of_bodies[0] = Twist::zero();
    for (index, body) in tree.bodies.iter().enumerate().skip(1) {
        let product = match body.drive {
            Some(drive) => data.twists[index].cross_motion(&(data.axes[index] * velocity[BASE_DOF + drive.joint])),
            None => Twist::zero(),
        };
        data.accelerations_of_bodies[index] = data.accelerations_of_bodies[body.parent] + product;
    }
}

/// J̇ v of [`link_jacobian_in_world`](crate::link_jacobian_in_world): the acceleration of a point that is fixed to a link
/// [m/s²] and of the link's rotation [rad/s²] along the world's axes while the velocity coordinates do not change; after
/// [`forward_bias`].
pub fn link_bias_in_world(tree: &Tree, data: &Data, link: usize, point_in_link: &Vector3<f64>) -> Twist {
    let body = tree.places[link].body;
    let pose = &data.link_in_base[link];
    let point = pose.rotation * point_in_link + pose.translation.vector;
    let velocity = data.twists[body].at(&point);
    let spatial = data.accelerations_of_bodies[body].at(&point);
    let classical = spatial.linear + velocity.angular.cross(&velocity.linear);
    Twist::new(classical, spatial.angular).turned(&data.link_in_world[0].rotation)
}

/// Ȧ v of [`centroidal_momentum_matrix`](crate::centroidal_momentum_matrix): how the momentum changes [N, N·m] along the
/// world's axes while the velocity coordinates do not; after [`forward_bias`].
pub fn centroidal_momentum_bias(tree: &Tree, data: &mut Data) -> Wrench {
    fill_inertias(tree, data);
    let mut wrench = Wrench::zero();
    for index in 0..tree.bodies.len() {
        let (inertia, twist) = (data.inertias[index], data.twists[index]);
        wrench += inertia * data.accelerations_of_bodies[index] + twist.cross_force(&(inertia * twist));
    }
    about_center_of_mass(data, &center_of_mass_in_base(tree, data), &wrench)
}

/// J̇ v of [`center_of_mass_jacobian_in_world`](crate::center_of_mass_jacobian_in_world) [m/s²], along the world's axes;
/// after [`forward_bias`]. Zero for a robot without mass.
pub fn center_of_mass_bias_in_world(tree: &Tree, data: &mut Data) -> Vector3<f64> {
    let mass = tree.mass();
    if mass > 0.0 { centroidal_momentum_bias(tree, data).linear / mass } else { Vector3::zeros() }
}
