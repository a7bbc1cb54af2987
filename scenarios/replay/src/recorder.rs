//! The wrapper that records what passes the plug.

use robot_io::{Commands, IoError, OperatorInput, Readings, RobotIo, State, StateVisitor, delegate_robot_io};

use crate::{Cycle, LogWriter};

/// Notes each cycle's readings as the controllers see them and the commands as they give them.
///
/// It belongs outermost, next to the controllers. A cycle is recorded when it is answered; one that is read but never
/// answered is recorded, marked so, when the next is read.
#[derive(Clone, Debug)]
pub struct Recorder<R> {
    inner: R,
    log: LogWriter,
    cycle: Cycle,
    pending: bool,
}

impl<R: RobotIo> Recorder<R> {
    /// Records what passes between `inner` and its controllers into `log`.
    pub fn new(inner: R, log: LogWriter) -> Recorder<R> {
        let cycle = Cycle::new(inner.layout());
        Recorder { inner, log, cycle, pending: false }
    }

    /// Notes the operator's input that the session has put into the present cycle's readings after reading them.
    pub fn note_operator(&mut self, operator: OperatorInput) {
        self.cycle.readings.operator = operator;
    }

    /// The log.
    pub fn log(&self) -> &LogWriter {
        &self.log
    }

    /// The robot inside.
    pub fn inner(&self) -> &R {
        &self.inner
    }

    /// The robot inside.
    pub fn inner_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    fn record(&mut self, answered: bool) -> Result<(), IoError> {
        self.cycle.answered = answered;
        self.pending = false;
        Ok(self.log.cycle(&mut self.cycle)?)
    }
}

impl<R: RobotIo> RobotIo for Recorder<R> {
    delegate_robot_io!(inner: layout, lifecycle, transition, drain_events);

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        if self.pending {
            self.cycle.commands.joints.fill(robot_io::JointCommand::default());
            self.cycle.commands.emergency_stop = false;
            self.record(false)?;
        }
        self.inner.read(readings)?;
        // a replay needs it, whoever the robot is
        readings.status.lifecycle = self.inner.lifecycle();
        self.log.begin_cycle(readings.cycle, readings.time)?;
        self.cycle.readings.copy_from(readings);
        self.pending = true;
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        commands.check(self.inner.layout())?;
        if self.pending {
            self.cycle.commands.copy_from(commands);
            self.record(true)?;
        }
        self.inner.write(commands)
    }
}

impl<R: State> State for Recorder<R> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        self.inner.visit_state(visitor);
    }
}
