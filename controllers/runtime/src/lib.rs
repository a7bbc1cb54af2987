//! A controller as a graph of components.
//!
//! A [`Component`] declares which [channels](Stream) it reads and writes, how often it is updated and which joints it may hold. A
//! [`Runtime`] finds one order for all of them, once, and is itself a [`Controller`](robot_io::Controller). What it keeps to:
//!
//! - whoever reads a channel is updated after whoever writes it; circles are refused by name;
//! - nobody commands a joint that it does not hold, and a joint that nobody holds is held where it is;
//! - a component that panics is stopped and reported, and the others go on;
//! - what a component reads and does can be noted, and by the notes it does it again alone.

mod arbitration;
mod builder;
mod channel;
pub mod chart;
mod component;
mod cycle;
mod error;
mod lease;
mod life;
mod order;
mod parts;
mod runtime;
mod tape;
mod whole;

pub use arbitration::Arbiters;
pub use builder::Builder;
pub use channel::{Alarms, Events, Message, Reads, ReadsBefore, Stream, Writes};
pub use component::{Component, Declaration};
pub use cycle::Cycle;
pub use error::RuntimeError;
pub use lease::{Holder, Lease, Priority};
pub use life::Life;
pub use robot_io::Switch;
pub use robot_model::description::JointGroup;
pub use runtime::Runtime;
pub use whole::Whole;
