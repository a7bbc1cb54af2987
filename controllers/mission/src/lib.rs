//! What the robot does with itself: a mission composes the skills and supervises them.
//!
//! A [`MissionPlan`] comes from a [file](MissionPlan::parse): places to drive to, things to do there. A schedule runs each
//! skill at its own rate. Instead of timeouts there is progress monitoring; instead of hope there is a supervisor.

mod error;
mod file;
mod order;
mod plan;
mod posture;
pub mod preview;
mod progress;
mod schedule;
mod sequencer;
mod supervision;

pub use error::MissionError;
pub use file::MOST_STEPS;
pub use plan::{Action, Frame, Leg, MissionPlan, OnStall, ProgressRules, Step};
pub use progress::{ProgressMonitor, ProgressThresholds, Remaining};
pub use schedule::{Schedule, Skill};
pub use supervision::{StopCause, SupervisionSettings};
