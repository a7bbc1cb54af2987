//! Why there is no plan.

use crate::checker::Hit;
use crate::error::ManipulationError;

/// Why there is no plan.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// A question that makes no sense.
    #[error(transparent)]
    Refused(#[from] ManipulationError),
    /// A joint of the start or of a goal is beyond its limits.
    #[error("joint {joint} of the group: expected a position from {} to {} [rad or m], found {found}", limits[0], limits[1])]
    Limit {
        /// The joint's index in the group.
        joint: usize,
        /// The lowest and the highest position [rad or m].
        limits: [f64; 2],
        /// What was asked for.
        found: f64,
    },
    /// Where the way should begin something is met.
    #[error("the start is not free: {:?} meets {:?}", .0.one, .0.other)]
    Start(Hit),
    /// Where the way should end something is met; of several goals this is said of the first.
    #[error("no goal is free: {:?} meets {:?}", .0.one, .0.other)]
    Goal(Hit),
    /// There is no goal at all.
    #[error("goals: expected at least one, found none")]
    NoGoal,
    /// As many samples as may be drawn did not do; that need not mean that there is no way.
    #[error("no way was found with {iterations} samples and {nodes} configurations")]
    NotFound {
        /// How many samples were drawn.
        iterations: u32,
        /// How many configurations are known to be reached, from the start or from a goal.
        nodes: usize,
    },
}
