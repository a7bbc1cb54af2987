//! Emulated SubDevices, from EtherCAT's registers up.

mod board;
mod cable;
pub mod cpu;
mod device;
mod esc;
mod fault;
mod passage;
mod segment;

pub use cpu::Cpu;
pub use device::{Device, ProcessData};
pub use esc::Esc;
pub use fault::{BoardFault, BusFault, BusFaultKind};
pub use segment::{HOP, Passage, Segment};
