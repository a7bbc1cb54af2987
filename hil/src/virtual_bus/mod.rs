//! Emulated SubDevices, from EtherCAT's registers up.

mod board;
mod bus;
mod cable;
pub mod cpu;
mod device;
mod esc;
mod fault;
pub mod host;
mod in_process;
pub mod pace;
mod passage;
mod script;
mod segment;
pub mod server;

pub use crate::board::BoardFault;
pub use bus::{Fate, VirtualBus};
pub use cpu::Cpu;
pub use device::{Device, ProcessData};
pub use esc::Esc;
pub use fault::{BusFault, BusFaultKind};
pub use in_process::InProcess;
pub use segment::{HOP, Passage, Segment};
