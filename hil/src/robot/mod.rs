//! The robot as a controller sees it over a bus: [`RobotIo`](robot_io::RobotIo) and [`Clock`](robot_io::Clock).
//!
//! One cycle: the controller reads the inputs that came with the last exchange, writes its answer, and
//! [`EtherCatClock::advance`] waits for the next cycle's beginning, sends the answer and fetches new inputs in one
//! exchange. So a command acts one cycle after the readings that it answers.

mod bus;
mod cause;
mod commands;
mod count_search;
mod following;
mod plug;
mod start;
mod supervisor;
mod watched;

pub use bus::CycleReport;
pub use cause::Cause;
pub use plug::{EtherCatClock, EtherCatRobot, plug};
