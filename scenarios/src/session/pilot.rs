//! Whoever answers: the controller, its slow work, and what a scenario does to it.

use robot_io::{Commands, Controller, Events, JointCommand, Readings, Telemetry};

use super::{ControllerFaults, WorkerBoard};
use crate::controller::Driver;

/// The controller with the workers of its deadline tasks.
#[derive(Debug)]
pub struct Pilot {
    /// The controller.
    pub controller: Box<dyn Driver>,
    /// The workers of its deadline tasks.
    pub board: WorkerBoard,
    /// What happens to it.
    pub trouble: ControllerFaults,
}

impl Pilot {
    /// The same, whose controller's parts note what they read and do.
    #[must_use]
    pub fn noting(mut self) -> Pilot {
        if let Some(parts) = self.controller.parts() {
            parts.note(true);
        }
        self
    }

    /// Answers one cycle: collects slow results, updates, shows. True if there is something to write: the answer, or of
    /// a controller that has panicked the order to stop. False if it is silent.
    pub fn answer(&mut self, readings: &Readings, commands: &mut Commands, telemetry: &mut Telemetry) -> bool {
        let Pilot { controller, board, trouble } = self;
        let breaking = trouble.breaking(readings.time);
        let answered = trouble.answer(readings.time, || {
            if readings.cycle == 0 {
                controller.reset(readings);
            }
            board.begin(readings.cycle);
            for component in &breaking {
                controller.parts().map(|parts| parts.break_now(&component.to_string()));
            }
            controller.exchange_tasks(readings.cycle, board);
            controller.update(readings, commands);
            telemetry.clear();
            controller.show(telemetry);
        });
        let answered = answered && controller.has_answered();
        if trouble.panicked().is_some() {
            commands.joints.fill(JointCommand::default());
            commands.answer(readings);
            commands.emergency_stop = true;
            return true;
        }
        answered
    }

    /// Moves what happened to the end of `events`.
    pub fn drain_events(&mut self, events: &mut Events) {
        self.trouble.drain_events(events);
        self.controller.drain_events(events);
    }
}
