//! Whether configurations, and the ways between them, are free.

mod bodies;
mod build;
mod check;
mod edge;
mod hit;
mod obstacle;
mod pieces;
mod ways;

pub use check::Checker;
pub use hit::{Hit, Touching};
