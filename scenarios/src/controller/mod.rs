//! Who answers the robot: its mission, or a controller of one's own.
//!
//! A [`Registry`] knows controllers by name; a scenario's table `[controller]` says which one answers and with which settings. A
//! program that adds a [`Controller`](robot_io::Controller) of its own is one line on top of this library:
//! `scenarios::main(Registry::standard().with("wave", Wave::new))`.

mod driver;
mod program;
mod registry;
mod setup;
mod status;

pub use driver::Driver;
pub use program::{Program, ProgramPlan, Recorded};
pub use registry::{MISSION, PROGRAM, Registry};
pub use setup::{ControllerError, ControllerSetup};
pub use status::ControllerStatus;
