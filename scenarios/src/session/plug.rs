//! The robot as a session holds it: with a recorder around it or without.

use replay::{LogWriter, Recorder};
use robot_io::{Commands, Events, IoError, Lifecycle, Readings, RobotIo, RobotLayout, State, StateVisitor};

use super::{PlantRobot, SimulatedRobot};

/// Recorded or not, the robot behaves the same and has the same state.
#[derive(Debug)]
pub enum Plug {
    /// Nobody records.
    Plain(Box<SimulatedRobot>),
    /// Every cycle goes into a log.
    Recorded(Box<Recorder<SimulatedRobot>>),
}

impl Plug {
    /// A robot, recorded if there is a log.
    pub fn new(robot: SimulatedRobot, log: Option<LogWriter>) -> Plug {
        match log {
            None => Plug::Plain(Box::new(robot)),
            Some(log) => Plug::Recorded(Box::new(Recorder::new(robot, log))),
        }
    }

    /// The safety filter.
    pub fn safety(&self) -> &SimulatedRobot {
        match self {
            Plug::Plain(robot) => robot,
            Plug::Recorded(recorder) => recorder.inner(),
        }
    }

    /// What stands behind all wrappers.
    pub fn plant(&self) -> &PlantRobot {
        self.safety().inner().inner().inner()
    }

    /// Passes on a stop of the safety filter's when nobody answers: without an answer there is no write that would.
    /// `commands` are the last ones. Nothing is recorded, for nobody has answered. True if there was a stop.
    pub fn enforce_stop(&mut self, commands: &Commands) -> Result<bool, IoError> {
        if self.safety().stop_cause().is_none() {
            return Ok(false);
        }
        match self {
            Plug::Plain(robot) => robot.write(commands)?,
            Plug::Recorded(recorder) => recorder.inner_mut().write(commands)?,
        }
        Ok(true)
    }

    fn robot(&mut self) -> &mut dyn RobotIo {
        match self {
            Plug::Plain(robot) => robot.as_mut(),
            Plug::Recorded(recorder) => recorder.as_mut(),
        }
    }
}

impl RobotIo for Plug {
    fn layout(&self) -> &RobotLayout {
        self.safety().layout()
    }

    fn lifecycle(&self) -> Lifecycle {
        self.safety().lifecycle()
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.robot().transition(to)
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        self.robot().read(readings)
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        self.robot().write(commands)
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.robot().drain_events(events);
    }
}

impl State for Plug {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        match self {
            Plug::Plain(robot) => robot.visit_state(visitor),
            Plug::Recorded(recorder) => recorder.visit_state(visitor),
        }
    }
}
