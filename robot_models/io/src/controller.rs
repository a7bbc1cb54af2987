//! Whoever drives the robot.

use core::fmt;

use crate::deadline::TaskBoard;
use crate::{Commands, Events, Parts, Readings, State, Telemetry};

/// Turns readings into commands, once per cycle. It sees nothing else: no clock, no file, no truth.
pub trait Controller: State {
    /// Starts afresh from the robot as it is now.
    fn reset(&mut self, readings: &Readings);

    /// Answers one cycle.
    fn update(&mut self, readings: &Readings, commands: &mut Commands);

    /// Collects the deadline tasks that are due in `cycle` and releases new ones; called before each update.
    fn exchange_tasks(&mut self, _cycle: u64, _board: &mut dyn TaskBoard) {}

    /// Moves what happened since the last call to the end of `events`.
    fn drain_events(&mut self, _events: &mut Events) {}

    /// Shows what it believes and intends, for logs and viewers; called after the update.
    fn show(&self, _telemetry: &mut Telemetry) {}

    /// True once it has done what it was there for; it is updated all the same, and a run may end.
    fn is_done(&self) -> bool {
        false
    }

    /// How it stands, in a few words for people.
    fn say(&self, _words: &mut dyn fmt::Write) -> fmt::Result {
        Ok(())
    }

    /// Its parts, if it is made of some.
    fn parts(&mut self) -> Option<&mut dyn Parts> {
        None
    }
}

impl<C: Controller + ?Sized> Controller for Box<C> {
    fn reset(&mut self, readings: &Readings) {
        (**self).reset(readings);
    }

    fn update(&mut self, readings: &Readings, commands: &mut Commands) {
        (**self).update(readings, commands);
    }

    fn exchange_tasks(&mut self, cycle: u64, board: &mut dyn TaskBoard) {
        (**self).exchange_tasks(cycle, board);
    }

    fn drain_events(&mut self, events: &mut Events) {
        (**self).drain_events(events);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        (**self).show(telemetry);
    }

    fn is_done(&self) -> bool {
        (**self).is_done()
    }

    fn say(&self, words: &mut dyn fmt::Write) -> fmt::Result {
        (**self).say(words)
    }

    fn parts(&mut self) -> Option<&mut dyn Parts> {
        (**self).parts()
    }
}

impl<C: State + ?Sized> State for Box<C> {
    fn visit_state(&mut self, visitor: &mut dyn crate::StateVisitor) {
        (**self).visit_state(visitor);
    }
}
