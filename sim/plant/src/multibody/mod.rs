//! The robot in reduced coordinates: base pose and joint positions, so that joints cannot drift apart and rotors weigh in
//! exactly.
//!
//! One step is:
//!
//! 1. [`Multibody::update`] places the bodies (forward kinematics and velocities);
//! 2. [`Multibody::accelerate`] runs the articulated-body algorithm with drives, gravity and outer forces;
//! 3. [`contact`] finds the contact impulses by projected Gauss–Seidel on the exact response of the whole robot;
//! 4. [`Multibody::integrate`] applies both and moves on (symplectic Euler).
//!
//! Everything is f64. Spatial vectors are (angular, linear), along the world's axes and about one point for all bodies, the
//! base's origin at the beginning of the step (Featherstone, "Rigid body dynamics algorithms", 2008, whose equations lose
//! their transforms that way).

pub(crate) mod contact;
mod dynamics;
mod model;
mod response;
mod spatial;
mod state;
#[cfg(test)]
mod tests;

pub(crate) use dynamics::Drive as JointDrive;
pub(crate) use model::Skeleton;
pub(crate) use spatial::wrench_at;
pub(crate) use state::{Multibody, State as MultibodyState};
