//! The mass matrix and the forces that it does not explain.

use nalgebra::Vector3;
use robot_model::{SpatialInertia, Twist, Wrench};

use crate::body::Joint;
use crate::kinematics::{Kinematics, free_axis, free_twist};
use crate::model::Model;
use crate::sparse::{Pattern, Sparse};

/// Working memory of both algorithms: one entry for each body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    composites: Vec<SpatialInertia>,
    /// Twists, and accelerations as fields at a fixed point.
    motions: Vec<(Twist, Twist)>,
    wrenches: Vec<Wrench>,
}

/// Composite-rigid-body algorithm (Featherstone 2008, table 6.2), with each rotor on the diagonal.
pub(crate) fn mass_matrix(
    model: &Model,
    kinematics: &Kinematics,
    pattern: &Pattern,
    scratch: &mut Scratch,
    matrix: &mut Sparse,
) {
    let composites = &mut scratch.composites;
    composites.clear();
    composites.extend(kinematics.bodies.iter().map(|body| body.inertia));
    matrix.resize(pattern);
    for (index, body) in model.bodies().iter().enumerate().rev() {
        let composite = composites[index];
        if let Some(parent) = body.parent {
            composites[parent] += composite;
        }
        match body.joint {
            Joint::Fixed => {}
            Joint::Free => {
                let dof = model.first_dof(index);
                (dof..dof + 6).for_each(|row| matrix.row_mut(pattern, row).fill(0.0));
                add_rows(model, kinematics, pattern, matrix, index, &|axis| composite * axis);
            }
            Joint::Revolute(_) | Joint::Prismatic(_) => {
                set_row(model, kinematics, (pattern, matrix), index, &composite, body.rotor);
            }
        }
    }
}

/// The row of a joint that moves `composite` and its own rotor.
fn set_row(
    model: &Model,
    kinematics: &Kinematics,
    (pattern, matrix): (&Pattern, &mut Sparse),
    body: usize,
    composite: &SpatialInertia,
    rotor: f64,
) {
    let dof = model.first_dof(body);
    let wrench = *composite * kinematics.axes[dof];
    let (free, joints) = model.split_path(body);
    let values = matrix.row_mut(pattern, dof);
    if values.len() == free.len() + joints.len() {
        let (base, values) = values.split_at_mut(free.len());
        if let Some(base) = base.first_chunk_mut() {
            *base = numbers(&wrench);
        }
        for (value, ancestor) in values.iter_mut().zip(joints) {
            *value = kinematics.axes[*ancestor].dot(&wrench);
        }
        values.last_mut().into_iter().for_each(|diagonal| *diagonal += rotor);
    } else {
        // contacts couple it with others
        values.fill(0.0);
        joint_row(model, kinematics, pattern, matrix, body, &wrench);
        matrix.row_mut(pattern, dof).last_mut().into_iter().for_each(|diagonal| *diagonal += rotor);
    }
}

/// Adds the rows of a body's joint to a symmetric matrix of the dofs, where `wrench` is what a unit twist of all that the body carries takes.
pub(crate) fn add_rows(
    model: &Model,
    kinematics: &Kinematics,
    pattern: &Pattern,
    matrix: &mut Sparse,
    body: usize,
    wrench: &impl Fn(Twist) -> Wrench,
) {
    let dof = model.first_dof(body);
    match model.bodies()[body].joint {
        Joint::Fixed => {}
        Joint::Free => {
            for row in 0..6 {
                let wrench = wrench(free_axis(row)).to_vector();
                let values = matrix.row_mut(pattern, dof + row);
                let own = values.len() - 1 - row;
                values[own..].iter_mut().zip(wrench.iter()).for_each(|(value, part)| *value += part);
            }
        }
        Joint::Revolute(_) | Joint::Prismatic(_) => {
            let wrench = wrench(kinematics.axes[dof]);
            joint_row(model, kinematics, pattern, matrix, body, &wrench);
        }
    }
}

/// The row of a joint that takes `wrench` for a unit of its velocity.
fn joint_row(
    model: &Model,
    kinematics: &Kinematics,
    pattern: &Pattern,
    matrix: &mut Sparse,
    body: usize,
    wrench: &Wrench,
) {
    let dof = model.first_dof(body);
    let columns = pattern.columns(dof);
    let values = matrix.row_mut(pattern, dof);
    let (free, joints) = model.split_path(body);
    let mut place = 0;
    if let Some(first) = free.first() {
        // a row may have more columns than the path, by contacts; both ascend
        while columns[place] != *first {
            place += 1;
        }
        let parts = wrench.linear.iter().chain(wrench.angular.iter());
        values[place..place + 6].iter_mut().zip(parts).for_each(|(value, part)| *value += part);
        place += 6;
    }
    if columns.len() == place + joints.len() {
        for (value, ancestor) in values[place..].iter_mut().zip(joints) {
            *value += kinematics.axes[*ancestor].dot(wrench);
        }
        return;
    }
    for ancestor in joints {
        while columns[place] != *ancestor {
            place += 1;
        }
        values[place] += kinematics.axes[*ancestor].dot(wrench);
        place += 1;
    }
}

fn numbers(wrench: &Wrench) -> [f64; 6] {
    let (force, torque) = (&wrench.linear, &wrench.angular);
    [force.x, force.y, force.z, torque.x, torque.y, torque.z]
}

/// What [`newton_euler`] is asked.
#[derive(Clone, Copy)]
pub(crate) struct Motion<'a> {
    pub velocities: &'a [f64],
    /// Of the dofs: of a free body, of its origin. `None` for none.
    pub accelerations: Option<&'a [f64]>,
    /// Wrenches from outside, one for each body about its reference.
    pub outer: &'a [Wrench],
}

/// Recursive Newton–Euler (Featherstone 2008, table 5.1): the forces of the dofs [N, N·m] that a motion takes, less what wrenches from
/// outside give. Afterwards `scratch` has for each body the wrench through its joint.
pub(crate) fn newton_euler(
    model: &Model,
    kinematics: &Kinematics,
    motion: Motion,
    scratch: &mut Scratch,
    forces: &mut [f64],
) {
    let Scratch { motions, wrenches, .. } = scratch;
    motions.resize(model.bodies().len(), Default::default());
    wrenches.resize(model.bodies().len(), Wrench::zero());
    let bodies = model.bodies().iter().zip(&kinematics.bodies).zip(motion.outer).zip(wrenches.iter_mut());
    let still = Default::default();
    for (index, (((body, state), outer), wrench)) in bodies.enumerate() {
        let dof = model.first_dof(index);
        let carried = body.parent.map_or(&still, |parent| &motions[parent]);
        let (twist, acceleration) = match body.joint {
            Joint::Fixed => *carried,
            Joint::Free => {
                let twist = free_twist(&motion.velocities[dof..dof + 6]);
                let own = motion.accelerations.map_or(Twist::zero(), |all| free_twist(&all[dof..dof + 6]));
                // the spatial acceleration is that of a field at a fixed point, in which the origin moves on
                (twist, own + Twist::new(-twist.angular.cross(&twist.linear), Vector3::zeros()))
            }
            Joint::Revolute(_) | Joint::Prismatic(_) => {
                let axis = &kinematics.axes[dof];
                let own = *axis * motion.velocities[dof];
                let mut acceleration = carried.1 + carried.0.cross_motion(&own);
                if let Some(all) = motion.accelerations {
                    acceleration += *axis * all[dof];
                }
                (carried.0 + own, acceleration)
            }
        };
        motions[index] = (twist, acceleration);
        *wrench = taken(&state.inertia, &twist, &acceleration) - *outer;
    }
    collect(model, kinematics, wrenches, forces);
}

/// The wrench that a motion of a mass takes: Newton's and Euler's equations about a fixed point. The mass's own point that is there is
/// accelerated by ω × v more than the `field`.
#[inline]
fn taken(inertia: &SpatialInertia, twist: &Twist, field: &Twist) -> Wrench {
    let (turning, moment) = (&twist.angular, &inertia.first_moment);
    let acceleration = field.linear + turning.cross(&twist.linear);
    let momentum = twist.linear * inertia.mass + turning.cross(moment);
    let force = field.linear * inertia.mass + field.angular.cross(moment) + turning.cross(&momentum);
    let spin = inertia.rotational * turning;
    Wrench::new(force, inertia.rotational * field.angular + moment.cross(&acceleration) + turning.cross(&spin))
}

impl Scratch {
    /// The wrench through the joint of a body, about its reference, after [`newton_euler`].
    pub fn through_joint(&self, body: usize) -> Wrench {
        self.wrenches[body]
    }
}

/// The forces of the dofs [N, N·m] that wrenches on the bodies amount to; the wrenches are used up.
fn collect(model: &Model, kinematics: &Kinematics, wrenches: &mut [Wrench], forces: &mut [f64]) {
    for (index, body) in model.bodies().iter().enumerate().rev() {
        let wrench = wrenches[index];
        let dof = model.first_dof(index);
        match body.joint {
            Joint::Fixed => {}
            Joint::Free => {
                forces[dof..dof + 3].copy_from_slice(wrench.linear.as_slice());
                forces[dof + 3..dof + 6].copy_from_slice(wrench.angular.as_slice());
            }
            Joint::Revolute(_) | Joint::Prismatic(_) => forces[dof] = kinematics.axes[dof].dot(&wrench),
        }
        if let Some(parent) = body.parent {
            wrenches[parent] += wrench;
        }
    }
}
