//! Bodies in trees, and everything that touches: robots, objects and doors in one problem, one step in time.
//!
//! The crate knows bodies, joints, forces and points of contact, and takes its bodies from a robot's model ([`robot()`]); shapes, drives and
//! where things touch are its callers' business. One step of
//! length h, second order where motion is smooth, is Moreau's ("Numerical aspects of the sweeping process", 1999):
//!
//! 1. [`Mechanics::begin`] moves the bodies to the middle of the step with the velocities they have. There the caller looks for contacts.
//! 2. [`Mechanics::finish`] finds the velocities at the end, from forces, drives and contacts in the middle, and moves on with them.
//!
//! Everything is f64; allocations happen only when more touches than before.

mod active;
mod answers;
mod body;
mod composites;
mod cone;
mod constraint;
mod contact;
mod coordinates;
mod delassus;
mod dense;
mod equations;
mod error;
mod group;
mod hold;
mod impact;
mod island;
mod kinematics;
mod limits;
mod mass;
mod model;
mod momentum;
mod mount;
mod newton;
mod robot;
mod row;
mod sleep;
mod solver;
mod sort;
mod space;
mod sparse;
mod step;
mod touch;

pub use body::{Body, Joint};
pub use constraint::{Buffer, Closure, Constraint};
pub use contact::{Contact, Law, Surface};
pub use coordinates::Coordinates;
pub use equations::Drive;
pub use error::MechanicsError;
pub use kinematics::{BodyState, Centroid, Kinematics};
pub use model::Model;
pub use robot::{Robot, robot};
pub use step::{Certificate, Mechanics};
