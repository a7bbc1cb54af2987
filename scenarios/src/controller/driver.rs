//! A controller as a session holds it.

use core::fmt;

use mission::Mission;
use robot_io::deadline::TaskBoard;
use robot_io::{Commands, Controller, Events, Parts, Readings, State, StateVisitor, Telemetry};

use super::ControllerStatus;

/// A controller that says how it stands, and that may live on a real-time thread.
pub trait Driver: Controller + Send + fmt::Debug {
    /// How it stands.
    fn status(&self) -> ControllerStatus<'_>;

    /// False if it had no answer in the last update: nothing is written then.
    fn has_answered(&self) -> bool {
        true
    }
}

impl Driver for Mission {
    fn status(&self) -> ControllerStatus<'_> {
        ControllerStatus::Mission(Mission::status(self))
    }
}

/// A controller of the registry, with its name there.
pub(crate) struct Named<C> {
    pub name: String,
    pub controller: C,
}

impl<C: Controller + Send> Driver for Named<C> {
    fn status(&self) -> ControllerStatus<'_> {
        ControllerStatus::Other { name: &self.name, is_done: self.controller.is_done(), says: "" }
    }
}

impl<C: Controller> Controller for Named<C> {
    fn reset(&mut self, readings: &Readings) {
        self.controller.reset(readings);
    }

    fn update(&mut self, readings: &Readings, commands: &mut Commands) {
        self.controller.update(readings, commands);
    }

    fn exchange_tasks(&mut self, cycle: u64, board: &mut dyn TaskBoard) {
        self.controller.exchange_tasks(cycle, board);
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.controller.drain_events(events);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        self.controller.show(telemetry);
    }

    fn is_done(&self) -> bool {
        self.controller.is_done()
    }

    fn say(&self, words: &mut dyn fmt::Write) -> fmt::Result {
        self.controller.say(words)
    }

    fn parts(&mut self) -> Option<&mut dyn Parts> {
        self.controller.parts()
    }
}

impl<C: Controller> State for Named<C> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.controller.visit_state(visitor);
    }
}

impl<C> fmt::Debug for Named<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Controller({})", self.name)
    }
}
