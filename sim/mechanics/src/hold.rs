//! A loop that is closed, as the solver sees it: a spring and a damper in all directions in which it holds.

use nalgebra::{Matrix3, Matrix6, Vector3};
use robot_model::{Twist, Wrench};

use crate::constraint::{Closure, Constraint, hard};
use crate::kinematics::Kinematics;
use crate::model::Model;

/// The wrench on the body, about its reference, is `bent − resistance · relative twist`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    bent: Wrench,
    pub resistance: Matrix6<f64>,
}

impl Hold {
    /// What a closure does in a step of `step` [s] with the bodies in its middle; `None` for other constraints.
    pub fn new(constraint: &Constraint, model: &Model, middle: &Kinematics, step: f64) -> Option<Hold> {
        let Constraint::Closure { body, other, frame_in_body, frame_in_other, kind } = *constraint else { return None };
        let here = middle.bodies[body].in_world * frame_in_body;
        let there = other.map_or(frame_in_other, |other| middle.bodies[other].in_world * frame_in_other);
        let at = here.translation.vector - middle.bodies[body].reference;
        let weight = &model.bodies()[body].inertia;
        let other_mass = other.map_or(f64::INFINITY, |other| model.tree_mass(other));
        let mass = model.tree_mass(body).min(other_mass);
        let gyration = weight.rotational_at_com_in_link.trace() / weight.mass.max(1e-3);
        let hard = hard(step);
        let turned = match kind {
            Closure::Ball => Matrix3::zeros(),
            Closure::Hinge(axis) => {
                let axis = here.rotation * axis.into_inner();
                Matrix3::identity() - axis * axis.transpose()
            }
            Closure::Weld => Matrix3::identity(),
        };
        let linear = Matrix3::from_diagonal_element(mass);
        let angular = turned * (mass * gyration);
        let apart = here.translation.vector - there.translation.vector;
        let twisted = (here.rotation * there.rotation.inverse()).scaled_axis();
        let force = -(linear * apart) * hard.spring;
        let torque = -(angular * twisted) * hard.spring;
        let mut resistance = Resistance::zero();
        resistance.add_linear(&(linear * hard.slope), &at);
        resistance.add_angular(&(angular * hard.slope));
        Some(Hold { bent: Wrench::new(force, at.cross(&force) + torque), resistance: resistance.to_matrix() })
    }

    /// The wrench at a relative twist.
    pub fn wrench(&self, relative: &Twist) -> Wrench {
        self.bent - Wrench::from_vector(&(self.resistance * relative.to_vector()))
    }
}

/// Resistances at points, to the velocity there and to turning, about a reference.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resistance {
    linear: Matrix3<f64>,
    /// Of the torque to the velocity.
    mixed: Matrix3<f64>,
    angular: Matrix3<f64>,
}

impl Resistance {
    /// None.
    pub fn zero() -> Resistance {
        Resistance { linear: Matrix3::zeros(), mixed: Matrix3::zeros(), angular: Matrix3::zeros() }
    }

    /// Adds that to the velocity of a point which is `at` away from the reference; a symmetric matrix.
    pub fn add_linear(&mut self, linear: &Matrix3<f64>, at: &Vector3<f64>) {
        // [r]× K, and that times [r]×ᵀ
        let mixed = crossed(at, linear);
        self.linear += linear;
        self.angular += crossed(at, &mixed.transpose());
        self.mixed += mixed;
    }

    /// Adds that to turning.
    pub fn add_angular(&mut self, angular: &Matrix3<f64>) {
        self.angular += angular;
    }

    /// As one matrix, linear part first.
    pub fn to_matrix(self) -> Matrix6<f64> {
        let mut full = Matrix6::zeros();
        full.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.linear);
        full.fixed_view_mut::<3, 3>(3, 0).copy_from(&self.mixed);
        full.fixed_view_mut::<3, 3>(0, 3).copy_from(&self.mixed.transpose());
        full.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.angular);
        full
    }
}

/// A symmetric resistance about a reference from which its own is `at` away.
pub(crate) fn shifted(resistance: &Matrix6<f64>, at: &Vector3<f64>) -> Matrix6<f64> {
    let part = |row: usize, column: usize| Matrix3::from(resistance.fixed_view::<3, 3>(row, column));
    let (linear, mixed) = (part(0, 0), part(3, 0));
    let moved = mixed + crossed(at, &linear);
    let angular = part(3, 3) + crossed(at, &mixed.transpose()).transpose() + crossed(at, &moved.transpose());
    Resistance { linear, mixed: moved, angular }.to_matrix()
}

/// `at` × each column.
fn crossed(at: &Vector3<f64>, matrix: &Matrix3<f64>) -> Matrix3<f64> {
    let column = |c: usize| at.cross(&Vector3::new(matrix[(0, c)], matrix[(1, c)], matrix[(2, c)]));
    Matrix3::from_columns(&[column(0), column(1), column(2)])
}
