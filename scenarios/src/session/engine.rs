//! Who runs the loop: the session itself, in lock-step.

use robot_io::{Digest, Events, IoError};

use super::{CycleRecord, Cyclic};
use crate::ScenarioError;

/// What makes cycles.
#[derive(Debug)]
pub enum Engine {
    /// The session's own thread, cycle by cycle.
    LockStep(Box<Cyclic>),
}

impl Engine {
    /// The next cycle, up to the answer.
    pub fn answer(&mut self, record: &mut CycleRecord) -> Result<(), ScenarioError> {
        match self {
            Engine::LockStep(cyclic) => Ok(cyclic.answer(record)?),
        }
    }

    /// Lets time go on.
    pub fn advance(&mut self) -> Result<(), ScenarioError> {
        match self {
            Engine::LockStep(cyclic) => Ok(cyclic.advance()?),
        }
    }

    /// The digests of the robot with its wrappers, and of the controller.
    pub fn digests(&mut self, _record: &mut CycleRecord) -> (Digest, Digest) {
        match self {
            Engine::LockStep(cyclic) => cyclic.digests(),
        }
    }

    /// Another speed.
    pub fn set_speed(&mut self, speed: Option<f64>) {
        match self {
            Engine::LockStep(cyclic) => cyclic.clock.set_speed(speed),
        }
    }

    /// Switches the robot off, if it needs that.
    pub fn shut_down(&mut self) -> (Events, Option<IoError>) {
        match self {
            Engine::LockStep(cyclic) => cyclic.shut_down(),
        }
    }

    /// The loop, where it is at hand.
    pub fn cyclic(&mut self) -> Option<&mut Cyclic> {
        match self {
            Engine::LockStep(cyclic) => Some(cyclic),
        }
    }
}
