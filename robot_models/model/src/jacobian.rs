//! How the velocity coordinates move a point of a link.

use nalgebra::{DMatrix, Isometry3, Vector3};

use crate::data::Data;
use crate::spatial::Twist;
use crate::tree::{BASE_DOF, Tree};

/// The Jacobian of a point that is fixed to a link, along the world's axes; after
/// [`forward_kinematics`](crate::forward_kinematics).
///
/// `jacobian` is 6 × [`velocity_dof`](Tree::velocity_dof): rows 0…2 give the point's velocity in the world [m/s],
/// rows 3…5 the link's angular velocity [rad/s] (Pinocchio's `LOCAL_WORLD_ALIGNED`).
pub fn link_jacobian_in_world(
    tree: &Tree,
    data: &Data,
    link: usize,
    point_in_link: &Vector3<f64>,
    jacobian: &mut DMatrix<f64>,
) {
    let point_in_base = point(&data.link_in_base[link], point_in_link);
    let base_to_world = data.link_in_world[0].rotation;
    jacobian.as_mut_slice().fill(0.0);
    for coordinate in 0..3 {
        let axis = Vector3::ith(coordinate, 1.0);
        let linear = Twist::new(base_to_world * axis, Vector3::zeros());
        let angular = Twist::new(base_to_world * axis.cross(&point_in_base), base_to_world * axis);
        jacobian.set_column(coordinate, &linear.to_vector());
        jacobian.set_column(3 + coordinate, &angular.to_vector());
    }
    for_each_drive(tree, data, link, |joint, axis| {
        add_to_column(jacobian, BASE_DOF + joint, &axis.at(&point_in_base).turned(&base_to_world));
    });
}

/// The Jacobian of a point that is fixed to a link, relative to the base and along its axes; after
/// [`forward_kinematics`](crate::forward_kinematics).
///
/// `jacobian` is 6 × [`dof`](Tree::dof): rows 0…2 the point's velocity in the base frame [m/s], rows 3…5 the link's
/// angular velocity relative to the base [rad/s]. It depends on the joints only: legs and arms are controlled with it.
pub fn link_jacobian_in_base(
    tree: &Tree,
    data: &Data,
    link: usize,
    point_in_link: &Vector3<f64>,
    jacobian: &mut DMatrix<f64>,
) {
    let point_in_base = point(&data.link_in_base[link], point_in_link);
    jacobian.as_mut_slice().fill(0.0);
    for_each_drive(tree, data, link, |joint, axis| {
        add_to_column(jacobian, joint, &axis.at(&point_in_base));
    });
}

fn point(link_in_base: &Isometry3<f64>, point_in_link: &Vector3<f64>) -> Vector3<f64> {
    link_in_base.rotation * point_in_link + link_in_base.translation.vector
}

/// A joint moves several bodies of one chain if others mimic it: contributions add.
fn add_to_column(jacobian: &mut DMatrix<f64>, column: usize, velocity: &Twist) {
    for row in 0..3 {
        jacobian[(row, column)] += velocity.linear[row];
        jacobian[(3 + row, column)] += velocity.angular[row];
    }
}

fn for_each_drive(tree: &Tree, data: &Data, link: usize, mut visit: impl FnMut(usize, &Twist)) {
    let mut index = tree.places[link].body;
    while let Some(drive) = tree.bodies[index].drive {
        visit(drive.joint, &data.axes[index]);
        index = tree.bodies[index].parent;
    }
}
