//! CANopen over EtherCAT: a board's object dictionary and the mailbox service that reads and writes it (ETG.1000.6, 5.6).

mod dictionary;

pub use dictionary::{Access, DataType, Dictionary, Object, Slot};
