//! What frames travel on: memory, or a network card.

mod claim;
mod os;
mod raw_socket;

use core::fmt;

use robot_io::{StateVisitor, Time};

use crate::HilError;

pub(crate) use os::{monotonic, sleep_until};
pub use raw_socket::RawSocket;

/// A way for Ethernet frames to the boards and back. Nothing in it blocks but [`wait`](Link::wait) and [`pass`](Link::pass).
pub trait Link: fmt::Debug + Send {
    /// Sends one Ethernet frame, without its checksum.
    fn send(&mut self, frame: &[u8]) -> Result<(), HilError>;

    /// Takes the next frame that has arrived, if there is one, and says how many of its bytes are in `buffer`.
    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, HilError>;

    /// Returns when something can be received, or at `until` [ns of CLOCK_MONOTONIC]. Never called in lock-step.
    fn wait(&mut self, _until: u64) {}

    /// True if time stands still while frames travel and moves only in [`pass`](Link::pass).
    fn is_lock_step(&self) -> bool;

    /// In lock-step: the world behind the boards moves on to `next`.
    fn pass(&mut self, _next: Time) -> Result<(), HilError> {
        Ok(())
    }

    /// Shows what stands behind the link and can change the future; nothing on a network.
    fn visit_state(&mut self, _visitor: &mut dyn StateVisitor) {}
}

impl<L: Link + ?Sized> Link for Box<L> {
    fn send(&mut self, frame: &[u8]) -> Result<(), HilError> {
        (**self).send(frame)
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, HilError> {
        (**self).receive(buffer)
    }

    fn wait(&mut self, until: u64) {
        (**self).wait(until);
    }

    fn is_lock_step(&self) -> bool {
        (**self).is_lock_step()
    }

    fn pass(&mut self, next: Time) -> Result<(), HilError> {
        (**self).pass(next)
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        (**self).visit_state(visitor);
    }
}
