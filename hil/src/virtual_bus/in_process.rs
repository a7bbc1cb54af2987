//! The virtual bus as a link: frames travel in memory, and a cycle passes when the MainDevice says so.

use core::fmt;
use std::collections::VecDeque;

use robot_io::{Clock, RobotIo, StateVisitor, Time};

use super::{Fate, VirtualBus};
use crate::HilError;
use crate::link::Link;

/// The longest Ethernet frame without its checksum [bytes].
const LONGEST_FRAME: usize = 1_514;
/// Frames that can be on their way at once.
const FRAMES: usize = 32;

/// A cable in memory, in lock-step: nothing moves but when asked, so a run is the same on any machine.
pub struct InProcess<R, C> {
    bus: VirtualBus<R, C>,
    /// Frames that are back, oldest first.
    back: VecDeque<Vec<u8>>,
    /// Frames that will be back with the next.
    late: VecDeque<Vec<u8>>,
    /// Buffers without a frame.
    spare: Vec<Vec<u8>>,
}

impl<R: RobotIo, C: Clock> InProcess<R, C> {
    /// A link to the boards of `bus`.
    pub fn new(bus: VirtualBus<R, C>) -> InProcess<R, C> {
        InProcess {
            bus,
            back: VecDeque::with_capacity(FRAMES),
            late: VecDeque::with_capacity(FRAMES),
            spare: (0..FRAMES).map(|_| Vec::with_capacity(LONGEST_FRAME)).collect(),
        }
    }

    /// The bus.
    pub fn bus(&mut self) -> &mut VirtualBus<R, C> {
        &mut self.bus
    }
}

impl<R, C> fmt::Debug for InProcess<R, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcess").field("bus", &self.bus).finish_non_exhaustive()
    }
}

impl<R: RobotIo + Send, C: Clock + Send> Link for InProcess<R, C> {
    fn send(&mut self, frame: &[u8]) -> Result<(), HilError> {
        // more frames than buffers: like a switch, it loses some
        let Some(mut buffer) = self.spare.pop() else { return Ok(()) };
        buffer.clear();
        buffer.extend_from_slice(&frame[..frame.len().min(LONGEST_FRAME)]);
        let fate = self.bus.carry(&mut buffer);
        if fate != Fate::Late {
            self.back.extend(self.late.drain(..));
        }
        match fate {
            Fate::Back => self.back.push_back(buffer),
            Fate::Late => self.late.push_back(buffer),
            Fate::Lost => self.spare.push(buffer),
        }
        Ok(())
    }

    fn receive(&mut self, buffer: &mut [u8]) -> Result<Option<usize>, HilError> {
        let Some(frame) = self.back.pop_front() else { return Ok(None) };
        let bytes = frame.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&frame[..bytes]);
        self.spare.push(frame);
        Ok(Some(bytes))
    }

    fn is_lock_step(&self) -> bool {
        true
    }

    fn pass(&mut self, _next: Time) -> Result<(), HilError> {
        self.bus.tick()
    }

    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.bus.visit_state(visitor);
    }
}
