//! Whoever answers: the controller, its slow work, and what a scenario does to it.

use mission::Mission;
use robot_io::{Commands, Controller, Events, JointCommand, Readings, Telemetry};

use super::{ControllerFaults, WorkerBoard};

/// The controller with the workers of its deadline tasks.
#[derive(Debug)]
pub struct Pilot {
    /// The controller.
    pub mission: Mission,
    /// The workers of its deadline tasks.
    pub board: WorkerBoard,
    /// What happens to it.
    pub trouble: ControllerFaults,
}

impl Pilot {
    /// Answers one cycle: collects slow results, updates, shows. True if there is something to write: the answer, or of
    /// a controller that has panicked the order to stop. False if it is silent.
    pub fn answer(&mut self, readings: &Readings, commands: &mut Commands, telemetry: &mut Telemetry) -> bool {
        let Pilot { mission, board, trouble } = self;
        let answered = trouble.answer(readings.time, || {
            if readings.cycle == 0 {
                mission.reset(readings);
            }
            board.begin(readings.cycle);
            mission.exchange_tasks(readings.cycle, board);
            mission.update(readings, commands);
            telemetry.clear();
            mission.show(telemetry);
        });
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
        self.mission.drain_events(events);
    }
}
