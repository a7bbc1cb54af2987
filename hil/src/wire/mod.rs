//! EtherCAT as it is on the wire: frames, datagrams, registers, states.

mod al;

pub use al::{AlCode, AlState};
