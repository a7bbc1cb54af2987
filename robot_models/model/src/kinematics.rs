//! Where the links are and how fast they move.

use nalgebra::{Isometry3, Quaternion, Translation3, Unit, UnitQuaternion, Vector3};
use robot_io::JointKind;

use crate::data::{Configuration, Data};
use crate::spatial::{Spatial, Twist};
use crate::tree::{BASE_DOF, Tree};

/// Fills [`Data::link_in_world`], [`Data::link_in_base`] and what the Jacobians need.
///
/// `configuration.joints` has one position per joint of the tree.
pub fn forward_kinematics(tree: &Tree, configuration: &Configuration, data: &mut Data) {
    for index in 0..tree.links.len() {
        let in_base = link_in_base(tree, index, configuration, data);
        data.link_in_base[index] = in_base;
        data.link_in_world[index] = configuration.base_in_world * in_base;
    }
    data.link_in_world[0] = configuration.base_in_world;
    fill_axes(tree, data);
}

/// Fills the poses in the base frame of the links that carry something, and the axes: all that a mass matrix needs.
pub(crate) fn place_bodies(tree: &Tree, configuration: &Configuration, data: &mut Data) {
    for &index in &tree.carriers {
        data.link_in_base[index] = link_in_base(tree, index, configuration, data);
    }
    fill_axes(tree, data);
}

/// Pose of a link in the base frame; after that of its parent.
#[inline(always)]
fn link_in_base(tree: &Tree, index: usize, configuration: &Configuration, data: &Data) -> Isometry3<f64> {
    let link = &tree.links[index];
    let Some(parent) = link.parent else { return Isometry3::identity() };
    let placed = data.link_in_base[parent] * link.placement_in_parent;
    match tree.kind(index) {
        Some(kind) => moved(placed, kind, &link.axis_in_link, tree.position(index, &configuration.joints)),
        None => placed,
    }
}

/// Fills the twists of all bodies; after [`forward_kinematics`].
///
/// `velocity` is in the tree's velocity order: base linear and angular in the base frame, then the joints.
pub fn forward_velocities(tree: &Tree, velocity: &[f64], data: &mut Data) {
    data.twists[0] = base_part(velocity);
    for (index, body) in tree.bodies.iter().enumerate().skip(1) {
        let mut twist = data.twists[body.parent];
        if let Some(drive) = body.drive {
            twist += data.axes[index] * velocity[BASE_DOF + drive.joint];
        }
        data.twists[index] = twist;
    }
}

/// Velocity of a link's origin [m/s] and angular velocity of the link [rad/s], along the world's axes; after
/// [`forward_velocities`].
pub fn link_velocity_in_world(tree: &Tree, data: &Data, link: usize) -> Twist {
    let twist = data.twists[tree.places[link].body];
    let origin = data.link_in_base[link].translation.vector;
    twist.at(&origin).turned(&data.link_in_world[0].rotation)
}

/// Pose of `link` in the frame of `other`; after [`forward_kinematics`].
pub fn relative_pose(data: &Data, link: usize, other: usize) -> Isometry3<f64> {
    data.link_in_base[other].inv_mul(&data.link_in_base[link])
}

/// Where a joint at `position` [rad or m] has moved the link that is at `pose` without it.
#[inline(always)]
pub(crate) fn moved(pose: Isometry3<f64>, kind: JointKind, axis: &Unit<Vector3<f64>>, position: f64) -> Isometry3<f64> {
    match kind {
        JointKind::Prismatic => pose * Translation3::from(axis.as_ref() * position),
        JointKind::Revolute | JointKind::Continuous => {
            let (sin, cos) = libm::sincos(0.5 * position);
            let turn = UnitQuaternion::new_unchecked(Quaternion::from_parts(cos, axis.as_ref() * sin));
            Isometry3::from_parts(pose.translation, pose.rotation * turn)
        }
    }
}

/// The base's six numbers of a vector in velocity order.
pub(crate) fn base_part<Kind: Copy + Default>(vector: &[f64]) -> Spatial<Kind> {
    Spatial::new(Vector3::new(vector[0], vector[1], vector[2]), Vector3::new(vector[3], vector[4], vector[5]))
}

/// The inertia of every body in the base frame; after [`forward_kinematics`].
pub(crate) fn fill_inertias(tree: &Tree, data: &mut Data) {
    for (index, body) in tree.bodies.iter().enumerate() {
        data.inertias[index] = body.inertia_in_link.transformed(&data.link_in_base[body.link]);
    }
}

/// The inertia of every body with all that it carries; after [`fill_inertias`].
pub(crate) fn fill_composites(tree: &Tree, data: &mut Data) {
    data.composites.copy_from_slice(&data.inertias);
    for index in (1..tree.bodies.len()).rev() {
        let carried = data.composites[index];
        data.composites[tree.bodies[index].parent] += carried;
    }
}

/// The unit twist of every body's joint in the base frame, times the mimic multiplier.
fn fill_axes(tree: &Tree, data: &mut Data) {
    for (index, body) in tree.bodies.iter().enumerate().skip(1) {
        let Some(drive) = body.drive else { continue };
        let pose = &data.link_in_base[body.link];
        let axis = pose.rotation * tree.links[body.link].axis_in_link.as_ref() * drive.multiplier;
        data.axes[index] = match drive.slides {
            true => Twist::new(axis, Vector3::zeros()),
            false => Twist::new(pose.translation.vector.cross(&axis), axis),
        };
    }
}
