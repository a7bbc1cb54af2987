//! A body, and how it hangs on another.

use nalgebra::{Isometry3, Unit, Vector3};
use robot_model::Inertia;

/// How a body moves against the one that carries it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// Not at all.
    Fixed,
    /// In every way; only for a body that nothing carries.
    Free,
    /// It turns about an axis in its own frame.
    Revolute(Unit<Vector3<f64>>),
    /// It slides along an axis in its own frame.
    Prismatic(Unit<Vector3<f64>>),
}

/// A rigid body and the joint above it.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// The body that carries it; `None` for the world.
    pub parent: Option<usize>,
    /// How it moves.
    pub joint: Joint,
    /// Its frame in the parent's where the joint's position is zero [m]. Of a free body, its frame in the world at the beginning.
    pub placement_in_parent: Isometry3<f64>,
    /// Mass and rotational inertia in its own frame.
    pub inertia: Inertia,
    /// Inertia of the motor's rotor as its joint feels it through the gear [kg·m² or kg].
    pub rotor: f64,
}

impl Joint {
    /// How many dofs it has.
    pub fn dofs(&self) -> usize {
        match self {
            Joint::Fixed => 0,
            Joint::Free => 6,
            Joint::Revolute(_) | Joint::Prismatic(_) => 1,
        }
    }
}
