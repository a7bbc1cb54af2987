//! What can be wrong with a model.

use crate::constraint::Constraint;

/// Why bodies make no model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MechanicsError {
    /// A body before the one that carries it.
    #[error("body {body}: expected a parent with a lower number, found {parent}")]
    Order {
        /// The body.
        body: usize,
        /// Its parent.
        parent: usize,
    },
    /// A body away from its tree.
    #[error("body {body}: expected the bodies of a tree together, found its parent {parent} in an earlier tree")]
    Scattered {
        /// The body.
        body: usize,
        /// Its parent.
        parent: usize,
    },
    /// A free joint between two bodies.
    #[error("body {body}: expected a free joint only where nothing carries the body")]
    CarriedAndFree {
        /// The body.
        body: usize,
    },
    /// A rotor that no motor has.
    #[error("body {body}: expected a rotor's inertia of 0 or more, found {found} kg·m²")]
    Rotor {
        /// The body.
        body: usize,
        /// [kg·m² or kg]
        found: f64,
    },
    /// A constraint between what is not there, or of numbers that are none.
    #[error(
        "constraint {index}: expected other bodies of the model, joints of one degree of freedom, and numbers in order, found {constraint:?}"
    )]
    Constraint {
        /// Which, counted from 0.
        index: usize,
        /// It.
        constraint: Box<Constraint>,
    },
    /// Mass or inertia that no body has.
    #[error(
        "body {body}: expected a mass and a positive definite inertia, found {mass} kg and a least principal inertia of {least} kg·m²"
    )]
    Inertia {
        /// The body.
        body: usize,
        /// [kg]
        mass: f64,
        /// [kg·m²]
        least: f64,
    },
}
