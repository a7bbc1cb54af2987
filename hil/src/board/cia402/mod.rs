//! CiA 402 drives in the cyclic synchronous modes.

mod mode;
pub mod objects;
mod settings;

pub use mode::{Mode, Modes, Targets, choose};
pub use settings::{Gains, Settings};
