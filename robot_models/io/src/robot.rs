//! The plug.

use crate::{Commands, Events, IoError, Lifecycle, Readings, RobotLayout};

/// A robot: simulated, on a bus, emulated, or recorded.
///
/// Wrappers implement it around another robot and pass on what is not theirs.
pub trait RobotIo {
    /// Which joints and sensors there are, and the cycle period.
    fn layout(&self) -> &RobotLayout;

    /// Where the robot is in its life.
    fn lifecycle(&self) -> Lifecycle;

    /// Asks for a transition of the life cycle; one that [`Lifecycle::allows`] not is an error.
    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError>;

    /// Overwrites `readings` with the present cycle's measurements and the robot's status, but for what the operator does. A second time in the
    /// same cycle it gives the same. Readings made for another layout are refused.
    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError>;

    /// Hands over the answer to the present cycle. It acts only while the robot is active. Commands made for another layout
    /// are refused.
    fn write(&mut self, commands: &Commands) -> Result<(), IoError>;

    /// Moves what happened since the last call to the end of `events`.
    fn drain_events(&mut self, _events: &mut Events) {}

    /// Switches the robot on, from unconfigured through inactive to active.
    fn bring_up(&mut self) -> Result<(), IoError> {
        if self.lifecycle() == Lifecycle::Unconfigured {
            self.transition(Lifecycle::Inactive)?;
        }
        self.transition(Lifecycle::Active)
    }
}

impl<R: RobotIo + ?Sized> RobotIo for Box<R> {
    fn layout(&self) -> &RobotLayout {
        (**self).layout()
    }

    fn lifecycle(&self) -> Lifecycle {
        (**self).lifecycle()
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        (**self).transition(to)
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        (**self).read(readings)
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        (**self).write(commands)
    }

    fn drain_events(&mut self, events: &mut Events) {
        (**self).drain_events(events);
    }
}
