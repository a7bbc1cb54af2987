//! Ways of joints without corners, how fast they may be gone along, and when the joints are where.
//!
//! What is checked is what is done: a [`JointPath`] is checked as it is, blends included, and a [`Trajectory`] goes along it and
//! nowhere else. All joints of all limbs are on one way, so that they arrive together.

mod ahead;
mod blend;
mod build;
mod joint_path;
mod limits;
mod piece;
mod profile;
mod spline;
mod stop;
mod trajectory;

pub use build::PathSettings;
pub use joint_path::{Collision, JointPath};
pub use limits::MotionLimits;
pub use stop::Stop;
pub use trajectory::{JointStates, Trajectory};
