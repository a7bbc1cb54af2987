//! Who answers the robot: its mission, or a controller of one's own.
//!
//! A [`Registry`](crate::Registry) knows controllers by name; a scenario's table `[controller]` says which one answers and with which settings. A
//! program that adds a [`Controller`](robot_io::Controller) of its own is one line on top of this library:
//! `scenarios::main(Registry::standard().with("wave", Wave::new))`.

mod behaviour;
mod driver;
mod hands;
mod program;
mod setup;
mod status;

pub(crate) use behaviour::Offer;
pub use driver::Driver;
pub(crate) use driver::Named;
pub(crate) use hands::HandsOffer;
pub use program::{Program, ProgramPlan, Recorded};
pub use setup::{ControllerError, ControllerSetup};
pub use status::ControllerStatus;

/// The name of the controller that answers where a scenario names none: the mission with all its skills.
pub const MISSION: &str = "mission";
/// The name of the controller that is a program of its own, in another process.
pub const PROGRAM: &str = "program";
