//! EtherCAT as it is on the wire: frames, datagrams, registers, states.

mod al;
mod builder;
mod command;
mod frame;
pub mod register;

pub use al::{AlCode, AlState};
pub use builder::{FrameBuilder, physical};
pub use command::Command;
pub use frame::{DatagramMut, Datagrams, FrameError, LONGEST_FRAME, SHORTEST_FRAME};
