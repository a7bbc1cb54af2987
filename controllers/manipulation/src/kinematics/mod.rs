//! Where the end of a chain of joints is, and how its joints move it.

mod align;
mod chain;
mod pose;

pub(crate) use align::z_onto;
pub use chain::SerialChain;
pub(crate) use chain::{Column, MOST_JOINTS, bounds};
pub(crate) use pose::{Matrix, rotation_vector};
