//! How a robot on legs with steered wheel pairs drives.
//!
//! [`Locomotion`] turns a wanted motion of the base ([`BodyTarget`]) into commands for all joints. It is the driving of
//! Schwarz et al., "Supervised autonomy for exploration and mobile manipulation in rough terrain with a centaur-like
//! robot" (2016), sections 6.2.2, 6.3 and 6.4, and more:
//!
//! - [`OmniDrive`]: velocities of the wheel pairs by equation (5), which yaw first and then roll;
//! - [`BodyControl`]: height, pitch *and roll* of the base by leg length, without the error that equation (6) leaves;
//! - [`Margin`]: the force–angle measure of how far the robot is from tipping over;
//! - [`PoseFollower`]: from a goal pose to a velocity, latching as in section 6.2.2;
//! - [`DriveHealth`]: motors that do not do what they are told;
//! - [`Locomotion::begin_crossing`]: one leg at a time over an edge that is too high to drive over.

mod body;
mod chassis;
mod drive;
mod error;
mod follower;
mod health;
mod leg;
mod locomotion;
mod margin;
mod settings;
mod statics;
mod steering;
mod stepping;
mod support;
mod upper_body;
mod wheels;

pub use body::{BodyControl, BodyTarget, LegStroke, TiltControl};
pub use drive::{DriveMode, OmniDrive, PairCommand, PairPlace};
pub use error::LocomotionError;
pub use follower::{FollowerSettings, Goal, Heading, PoseFollower};
pub use health::{DriveFault, DriveFaultKind, DriveHealth, HealthSettings};
pub use leg::{FootPlace, LegGeometry, LegSolution, Segment};
pub use locomotion::Locomotion;
pub use margin::Margin;
pub use settings::{BodySettings, DriveSettings, MarginSettings, PostureSettings, Settings};
pub use stepping::{CrossingFailure, CrossingPhase, CrossingStatus, SteppingSettings};
