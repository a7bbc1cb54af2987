//! Walking on two feet, as far as it needs no model of the robot but a few lengths.
//!
//! [`Gait`] makes of a wanted velocity ([`Twist`]) or a list of footsteps ([`Plan`]), in every cycle, what a whole-body controller
//! has to follow: the acceleration of the centre of mass, the point of pressure, the poses of both feet, and which of them
//! carries how much. It keeps the divergent component of motion on a reference ([`dcm`]), moves steps and their time when ankles
//! are not enough ([`adjust`]), swings feet ([`swing`]), and shares the load ([`balance`]). README.md has the
//! equations, and an example that is a test.

pub mod adjust;
pub mod balance;
pub mod dcm;
mod error;
pub mod footstep;
pub mod gait;
pub mod polygon;
pub mod swing;

pub use adjust::{AdjustSettings, Adjuster, Capture};
pub use balance::{AdmittanceSettings, FootAdmittance, FootLoad, TrackSettings};
pub use error::WalkingError;
pub use footstep::{Footstep, Manner, Place, Plan, Reach, Side, Twist, plan_along};
pub use gait::{Gait, GaitSettings, Measured, Output, Phase};
pub use polygon::Polygon;
pub use swing::{FootMotion, SwingSettings};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
