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
        Some(Hold {
            bent: Wrench::new(force, at.cross(&force) + torque),
            resistance: at_point(&(linear * hard.slope), &(angular * hard.slope), &at),
        })
    }

    /// The wrench at a relative twist.
    pub fn wrench(&self, relative: &Twist) -> Wrench {
        self.bent - Wrench::from_vector(&(self.resistance * relative.to_vector()))
    }
}

/// A resistance at a point, to the velocity there and to turning, as one about a reference from which the point is `at` away.
pub(crate) fn at_point(linear: &Matrix3<f64>, angular: &Matrix3<f64>, at: &Vector3<f64>) -> Matrix6<f64> {
    let columns = |m: &Matrix3<f64>| [0, 1, 2].map(|c| Vector3::new(m[(0, c)], m[(1, c)], m[(2, c)]));
    // [r]× K, and that times [r]×ᵀ
    let mixed = Matrix3::from_columns(&columns(linear).map(|column| at.cross(&column)));
    let turning = Matrix3::from_columns(&columns(&mixed.transpose()).map(|row| at.cross(&row)));
    let mut full = Matrix6::zeros();
    for column in 0..3 {
        for row in 0..3 {
            full[(row, column)] = linear[(row, column)];
            full[(row + 3, column)] = mixed[(row, column)];
            full[(column, row + 3)] = mixed[(row, column)];
            full[(row + 3, column + 3)] = angular[(row, column)] + turning[(row, column)];
        }
    }
    full
}
