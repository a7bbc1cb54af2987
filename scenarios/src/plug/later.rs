//! A robot whose time goes on from the end of an earlier run.

use robot_io::{Commands, Events, IoError, Period, Readings, RobotIo, State, StateVisitor, delegate_robot_io};

use super::PlantRobot;

/// A plant that counts its cycles, and tells times, as if it had not been away since an earlier run.
#[derive(Debug)]
pub struct Later {
    robot: PlantRobot,
    cycles: u64,
    by: Period,
    readings: Readings,
    commands: Commands,
}

impl Later {
    /// `robot`, whose first cycle is number `cycles`.
    pub fn new(robot: PlantRobot, cycles: u64) -> Later {
        let layout = robot.layout();
        let by = Period::from_nanoseconds(cycles * layout.period.nanoseconds());
        Later { readings: Readings::new(layout), commands: Commands::new(layout), cycles, by, robot }
    }

    /// The plant itself.
    pub fn plant(&self) -> &PlantRobot {
        &self.robot
    }
}

impl RobotIo for Later {
    delegate_robot_io!(robot: layout, lifecycle, transition);

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        // what the plant does not write in a cycle is as it was in its own time
        self.robot.read(&mut self.readings)?;
        let operator = readings.operator;
        readings.copy_from(&self.readings);
        readings.operator = operator;
        readings.move_on(self.cycles, self.by);
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.commands.copy_from(commands);
        self.commands.cycle = commands.cycle.saturating_sub(self.cycles);
        self.robot.write(&self.commands)
    }

    fn drain_events(&mut self, events: &mut Events) {
        let before = events.len();
        self.robot.drain_events(events);
        events[before..].iter_mut().for_each(|event| event.time = event.time + self.by);
    }
}

impl State for Later {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.robot.visit_state(visitor);
    }
}
