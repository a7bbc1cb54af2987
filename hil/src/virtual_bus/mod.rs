//! Emulated SubDevices, from EtherCAT's registers up.

mod device;
mod fault;

pub use device::{Device, ProcessData};
pub use fault::{BoardFault, BusFault, BusFaultKind};
