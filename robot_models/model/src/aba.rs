//! Forward dynamics: the articulated body algorithm.
#![expect(non_snake_case, reason = "U and D are Featherstone's names")]

use nalgebra::{Cholesky, DMatrix, Vector3};

use crate::ModelError;
use crate::crba::crba;
use crate::data::{Configuration, Data};
use crate::kinematics::{base_part, fill_inertias, forward_kinematics, forward_velocities};
use crate::rnea::{fictitious, rnea};
use crate::spatial::{Twist, Wrench};
use crate::tree::{BASE_DOF, Tree};

/// Fills [`Data::accelerations`] with the accelerations that `efforts` cause at `velocity`: the inverse of
/// [`rnea`](crate::rnea), in the same coordinates.
///
/// Featherstone 2008, table 9.4 (floating base), with all quantities in the base frame. A tree with mimic joints has
/// closed couplings, which the recursion cannot see; there the mass matrix is factored instead. Refused where a joint
/// moves nothing that has mass.
pub fn aba(
    tree: &Tree,
    configuration: &Configuration,
    velocity: &[f64],
    efforts: &[f64],
    gravity_in_world: &Vector3<f64>,
    data: &mut Data,
) -> Result<(), ModelError> {
    let has_mimics = tree.bodies.len() > 1 + tree.joints.len();
    if has_mimics {
        return solve_mass_matrix(tree, configuration, velocity, efforts, gravity_in_world, data);
    }
    forward_kinematics(tree, configuration, data);
    forward_velocities(tree, velocity, data);
    fill_inertias(tree, data);
    begin_articulated(tree, velocity, data);
    gather_articulated(tree, efforts, data)?;
    spread_accelerations(tree, efforts, gravity_in_world, data)
}

/// Pass 1: rigid inertias, bias wrenches and velocity products.
fn begin_articulated(tree: &Tree, velocity: &[f64], data: &mut Data) {
    for (index, body) in tree.bodies.iter().enumerate() {
        let (twist, inertia) = (data.twists[index], data.inertias[index]);
        data.articulated[index] = inertia.to_matrix();
        data.wrenches[index] = twist.cross_force(&(inertia * twist));
        data.accelerations_of_bodies[index] = match body.drive {
            Some(drive) => twist.cross_motion(&(data.axes[index] * velocity[BASE_DOF + drive.joint])),
            None => Twist::zero(),
        };
    }
}

/// Pass 2, from the tips to the base: what each joint feels of all that hangs on it.
fn gather_articulated(tree: &Tree, efforts: &[f64], data: &mut Data) -> Result<(), ModelError> {
    for (index, body) in tree.bodies.iter().enumerate().skip(1).rev() {
        let Some(drive) = body.drive else { continue };
        let axis = data.axes[index].to_vector();
        let U = data.articulated[index] * axis;
        let D = axis.dot(&U);
        // what rounding alone leaves of nothing is no inertia
        if D <= 16.0 * f64::EPSILON * axis.norm() * U.norm() || D.is_nan() {
            return Err(ModelError::Singular { joint: tree.joints[drive.joint].name.clone(), found: D });
        }
        let u = efforts[BASE_DOF + drive.joint] - data.axes[index].dot(&data.wrenches[index]);
        (data.U[index], data.D[index], data.u[index]) = (U, D, u);

        let articulated = data.articulated[index] - U * U.transpose() / D;
        let product = data.accelerations_of_bodies[index].to_vector();
        let wrench = articulated * product + U * (u / D);
        let wrench = data.wrenches[index] + Wrench::from_vector(&wrench);
        data.articulated[body.parent] += articulated;
        data.wrenches[body.parent] += wrench;
    }
    Ok(())
}

/// Pass 3, from the base to the tips.
fn spread_accelerations(
    tree: &Tree,
    efforts: &[f64],
    gravity_in_world: &Vector3<f64>,
    data: &mut Data,
) -> Result<(), ModelError> {
    let Some(factor) = Cholesky::new(data.articulated[0]) else {
        return Err(ModelError::Singular { joint: "base".into(), found: data.articulated[0].determinant() });
    };
    let base = factor.solve(&(base_part(efforts) - data.wrenches[0]).to_vector());
    data.accelerations_of_bodies[0] = Twist::from_vector(&base);
    for (index, body) in tree.bodies.iter().enumerate().skip(1) {
        let Some(drive) = body.drive else { continue };
        let without_joint = data.accelerations_of_bodies[body.parent] + data.accelerations_of_bodies[index];
        let acceleration = (data.u[index] - data.U[index].dot(&without_joint.to_vector())) / data.D[index];
        data.accelerations[BASE_DOF + drive.joint] = acceleration;
        data.accelerations_of_bodies[index] = without_joint + data.axes[index] * acceleration;
    }
    let base = data.accelerations_of_bodies[0] - fictitious(data, gravity_in_world);
    data.accelerations.fixed_rows_mut::<6>(0).copy_from(&base.to_vector());
    Ok(())
}

/// `M · accelerations = efforts − bias` by Cholesky's factors, in place.
fn solve_mass_matrix(
    tree: &Tree,
    configuration: &Configuration,
    velocity: &[f64],
    efforts: &[f64],
    gravity_in_world: &Vector3<f64>,
    data: &mut Data,
) -> Result<(), ModelError> {
    data.accelerations.fill(0.0);
    let zero = core::mem::take(&mut data.zeros);
    rnea(tree, configuration, velocity, &zero, gravity_in_world, data);
    data.zeros = zero;
    crba(tree, configuration, data);
    data.factor.copy_from(&data.mass_matrix);
    if let Err((index, pivot)) = factor_in_place(&mut data.factor) {
        let joint = index.checked_sub(BASE_DOF).map_or("base", |joint| tree.joints[joint].name.as_str());
        return Err(ModelError::Singular { joint: joint.into(), found: pivot });
    }
    for (row, acceleration) in data.accelerations.iter_mut().enumerate() {
        *acceleration = efforts[row] - data.efforts[row];
    }
    data.factor.solve_lower_triangular_mut(&mut data.accelerations);
    data.factor.tr_solve_lower_triangular_mut(&mut data.accelerations);
    Ok(())
}

/// Cholesky's L in the lower triangle, or the first pivot that is not positive.
fn factor_in_place(matrix: &mut DMatrix<f64>) -> Result<(), (usize, f64)> {
    for column in 0..matrix.ncols() {
        let diagonal = matrix[(column, column)];
        let pivot = diagonal - (0..column).map(|k| matrix[(column, k)] * matrix[(column, k)]).sum::<f64>();
        if pivot <= 16.0 * f64::EPSILON * diagonal || pivot.is_nan() {
            return Err((column, pivot));
        }
        let root = pivot.sqrt();
        matrix[(column, column)] = root;
        for row in column + 1..matrix.nrows() {
            let known = (0..column).map(|k| matrix[(row, k)] * matrix[(column, k)]).sum::<f64>();
            matrix[(row, column)] = (matrix[(row, column)] - known) / root;
        }
    }
    Ok(())
}
