//! The pose graph: key views tied together by registrations.

mod ordering;
mod pose_graph;
mod solver;
mod uncertain;

pub use pose_graph::{Constraint, GraphSettings, Node, Optimization, PoseGraph};
pub use solver::Marginals;
pub use uncertain::{UncertainPose, diagonal, difference, moved};
