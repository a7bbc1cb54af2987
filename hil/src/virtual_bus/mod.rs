//! Emulated SubDevices, from EtherCAT's registers up.

pub mod cpu;
mod device;
mod fault;

pub use cpu::Cpu;
pub use device::{Device, ProcessData};
pub use fault::{BoardFault, BusFault, BusFaultKind};
