//! The only thing in the program that makes time pass.

use crate::{IoError, Time};

/// Makes time pass. In simulation one cycle is n physics steps, on a bus it is a bus cycle, in a replay the next record.
pub trait Clock {
    /// The time at which the present cycle began.
    fn now(&self) -> Time;

    /// Ends the present cycle and begins the next; returns its time.
    fn advance(&mut self) -> Result<Time, IoError>;
}

impl<C: Clock + ?Sized> Clock for Box<C> {
    fn now(&self) -> Time {
        (**self).now()
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        (**self).advance()
    }
}
