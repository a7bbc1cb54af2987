//! Why a motion is not done.

use crate::error::ManipulationError;
use crate::ik::Outcome;
use crate::path::Collision;

/// Why a motion is not done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MotionError {
    /// A question that makes no sense.
    #[error(transparent)]
    Refused(#[from] ManipulationError),
    /// A keyframe is relative to an object, and it is not said where that is.
    #[error("keyframe \"{keyframe}\": object: expected \"{object}\" among those that are {among}, found none")]
    UnknownObject {
        /// The keyframe.
        keyframe: String,
        /// The object.
        object: String,
        /// What is missing: where it is, or where it was when the motion was made.
        among: &'static str,
    },
    /// A hand cannot be where a keyframe wants it, or only in collision.
    #[error(
        "keyframe \"{keyframe}\": link {hand}: expected a pose within reach, found one that is missed by {} m and {} rad",
        outcome.position_error, outcome.orientation_error
    )]
    OutOfReach {
        /// The keyframe.
        keyframe: String,
        /// The hand's link, by its index in the tree.
        hand: usize,
        /// How near it comes.
        outcome: Outcome,
    },
    /// A hand cannot go on straight without a joint that jumps.
    #[error(
        "keyframe \"{keyframe}\": link {hand}: expected joints that turn by at most {most} at a step, found {found}"
    )]
    Jump {
        /// The keyframe.
        keyframe: String,
        /// The hand's link, by its index in the tree.
        hand: usize,
        /// The most [rad or m].
        most: f64,
        /// What it would take [rad or m].
        found: f64,
    },
    /// Something is in the way.
    #[error("between {} and {} of the way: {:?} meets {:?}", .0.between[0], .0.between[1], .0.hit.one, .0.hit.other)]
    Collision(Collision),
}
