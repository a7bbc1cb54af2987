//! The base for others: a mission drives where another component, or a chart, wants it.
//!
//! Whoever wants something writes a [`BaseGoal`] to the stream [`BASE_GOAL`], with the time, in each cycle in which it wants it; a goal that
//! is older than 0.2 s counts no more, so that nobody who has been stopped drives a robot. A [`MissionServer`] reads it in the next cycle and
//! writes to the stream [`BASE`] how it stands with it, and where the robot is. In the manner of ROS's actions: a goal, what is left of it, an
//! end.

mod errand;
mod goal;
mod server;

pub use goal::{
    BASE, BASE_GOAL, BaseFailure, BaseGoal, BaseProgress, BaseStatus, BaseTask, Destination, GoalStatus, StanceChange,
};
pub use server::MissionServer;

pub(crate) use errand::Service;
