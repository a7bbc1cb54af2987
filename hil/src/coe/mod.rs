//! CANopen over EtherCAT: a board's object dictionary and the mailbox service that reads and writes it (ETG.1000.6, 5.6).
//!
//! [`CoeServer`] is the board's end, [`SdoClient`] the MainDevice's; both speak in complete mailbox messages, so that they
//! meet over a bus or without one.

mod abort;
mod client;
mod complete;
mod data_type;
mod dictionary;
mod info;
pub mod mailbox;
mod sdo;
mod server;

pub use abort::Abort;
pub use client::{SdoClient, SdoError};
pub use data_type::{Access, DataType};
pub use dictionary::{Dictionary, Object, Slot};
pub use sdo::{Objects, Rules};
pub use server::{CoeServer, Emergency};

#[cfg(test)]
mod tests;
