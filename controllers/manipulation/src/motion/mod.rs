//! Motions made of keyframes, some of them relative to objects.

mod error;
mod follow;
mod keyframe;
mod planner;

pub use error::MotionError;
pub use keyframe::{Arc, Keyframe, LimbGoal, Motion, Reference, Way, adapted};
pub use planner::{KeyframePlanner, MotionSettings};
