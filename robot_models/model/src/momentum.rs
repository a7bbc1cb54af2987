//! Centre of mass, momentum and energy of the whole robot.

use nalgebra::{DMatrix, Vector3};

use crate::data::Data;
use crate::kinematics::{fill_composites, fill_inertias};
use crate::spatial::{Twist, Wrench};
use crate::tree::{BASE_DOF, Tree};

/// The centre of mass in the world [m]; after [`forward_kinematics`](crate::forward_kinematics).
///
/// A robot without mass has it at its base.
pub fn center_of_mass_in_world(tree: &Tree, data: &Data) -> Vector3<f64> {
    let base_in_world = &data.link_in_world[0];
    base_in_world.rotation * center_of_mass_in_base(tree, data) + base_in_world.translation.vector
}

/// The centre of mass in the base frame [m]; after [`forward_kinematics`](crate::forward_kinematics).
pub fn center_of_mass_in_base(tree: &Tree, data: &Data) -> Vector3<f64> {
    let (mut mass, mut moment) = (0.0, Vector3::zeros());
    for body in &tree.bodies {
        let pose = &data.link_in_base[body.link];
        mass += body.inertia_in_link.mass;
        moment +=
            pose.rotation * body.inertia_in_link.first_moment + body.inertia_in_link.mass * pose.translation.vector;
    }
    if mass > 0.0 { moment / mass } else { Vector3::zeros() }
}

/// The centroidal momentum matrix A(q): momentum = A · velocity; after
/// [`forward_kinematics`](crate::forward_kinematics).
///
/// `matrix` is 6 × [`velocity_dof`](Tree::velocity_dof): rows 0…2 linear momentum [kg·m/s], rows 3…5 angular momentum
/// about the centre of mass [kg·m²/s], both along the world's axes (Orin, Goswami and Lee, "Centroidal dynamics of a
/// humanoid robot", 2013).
pub fn centroidal_momentum_matrix(tree: &Tree, data: &mut Data, matrix: &mut DMatrix<f64>) {
    fill_inertias(tree, data);
    fill_composites(tree, data);
    let com = center_of_mass_in_base(tree, data);
    matrix.as_mut_slice().fill(0.0);
    for coordinate in 0..BASE_DOF {
        let mut twist = Twist::zero();
        match coordinate {
            0..3 => twist.linear[coordinate] = 1.0,
            _ => twist.angular[coordinate - 3] = 1.0,
        }
        add_momentum(data, &com, &(data.composites[0] * twist), coordinate, matrix);
    }
    for (index, body) in tree.bodies.iter().enumerate() {
        let Some(drive) = body.drive else { continue };
        let momentum = data.composites[index] * data.axes[index];
        add_momentum(data, &com, &momentum, BASE_DOF + drive.joint, matrix);
    }
}

/// The Jacobian of the centre of mass in the world; after [`forward_kinematics`](crate::forward_kinematics).
///
/// `jacobian` is 3 × [`velocity_dof`](Tree::velocity_dof): the velocity of the centre of mass along the world's axes
/// [m/s].
pub fn center_of_mass_jacobian_in_world(tree: &Tree, data: &mut Data, jacobian: &mut DMatrix<f64>) {
    fill_inertias(tree, data);
    fill_composites(tree, data);
    let base_to_world = data.link_in_world[0].rotation;
    let whole = data.composites[0];
    let per_mass = if whole.mass > 0.0 { 1.0 / whole.mass } else { 0.0 };
    jacobian.as_mut_slice().fill(0.0);
    for coordinate in 0..3 {
        let axis = Vector3::ith(coordinate, 1.0);
        let turned = axis.cross(&whole.first_moment) * per_mass;
        jacobian.set_column(coordinate, &(base_to_world * axis));
        jacobian.set_column(3 + coordinate, &(base_to_world * turned));
    }
    for (index, body) in tree.bodies.iter().enumerate() {
        let Some(drive) = body.drive else { continue };
        let momentum = (data.composites[index] * data.axes[index]).linear;
        let mut column = jacobian.column_mut(BASE_DOF + drive.joint);
        column += base_to_world * momentum * per_mass;
    }
}

/// Linear momentum [kg·m/s] and angular momentum about the centre of mass [kg·m²/s], along the world's axes; after
/// [`forward_velocities`](crate::forward_velocities).
pub fn centroidal_momentum(tree: &Tree, data: &Data) -> Wrench {
    let mut momentum = Wrench::zero();
    for (body, twist) in tree.bodies.iter().zip(&data.twists) {
        momentum += body.inertia_in_link.transformed(&data.link_in_base[body.link]) * *twist;
    }
    about_center_of_mass(data, &center_of_mass_in_base(tree, data), &momentum)
}

/// Kinetic energy [J]; after [`forward_velocities`](crate::forward_velocities).
pub fn kinetic_energy(tree: &Tree, data: &Data) -> f64 {
    let doubled = tree
        .bodies
        .iter()
        .zip(&data.twists)
        .map(|(body, twist)| body.inertia_in_link.transformed(&data.link_in_base[body.link]).quadratic(twist));
    0.5 * doubled.sum::<f64>()
}

/// Potential energy under gravity [J], zero with the centre of mass at the world's origin; after
/// [`forward_kinematics`](crate::forward_kinematics).
pub fn potential_energy(tree: &Tree, data: &Data, gravity_in_world: &Vector3<f64>) -> f64 {
    -tree.mass() * gravity_in_world.dot(&center_of_mass_in_world(tree, data))
}

/// A momentum about the base's origin in the base frame, as one about the centre of mass along the world's axes.
pub(crate) fn about_center_of_mass(data: &Data, com_in_base: &Vector3<f64>, momentum: &Wrench) -> Wrench {
    let base_to_world = data.link_in_world[0].rotation;
    let spin = momentum.angular - com_in_base.cross(&momentum.linear);
    Wrench::new(base_to_world * momentum.linear, base_to_world * spin)
}

fn add_momentum(data: &Data, com: &Vector3<f64>, momentum: &Wrench, column: usize, matrix: &mut DMatrix<f64>) {
    let mut column = matrix.column_mut(column);
    column += about_center_of_mass(data, com, momentum).to_vector();
}
