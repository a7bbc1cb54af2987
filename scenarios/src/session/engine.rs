//! Who runs the loop: the session itself in lock-step, or a real-time thread.

use hil::realtime::RealtimeReport;
use replay::{Cycle, Input, InputKind, LogWriter};
use robot_io::{Digest, Events, IoError, Time};

use super::realtime::Live;
use super::{CycleRecord, Cyclic};
use crate::ScenarioError;

/// What makes cycles.
#[derive(Debug)]
pub enum Engine {
    /// The session's own thread, cycle by cycle.
    LockStep(Box<Cyclic>),
    /// A real-time thread, which waits for nobody.
    RealTime(Box<Live>, Option<Box<Recording>>),
}

/// Writes a log from records, for loops around whose robot there is no recorder.
#[derive(Debug)]
pub struct Recording {
    log: LogWriter,
    cycle: Cycle,
}

impl Recording {
    /// Records into `log`.
    pub fn new(log: LogWriter) -> Recording {
        Recording { log, cycle: Cycle::default() }
    }

    fn note(&mut self, record: &CycleRecord) -> Result<(), ScenarioError> {
        let CycleRecord { readings, commands, answered, .. } = record;
        self.log.begin_cycle(readings.cycle, readings.time)?;
        self.cycle.answered = *answered;
        self.cycle.readings.copy_from(readings);
        self.cycle.commands.copy_from(commands);
        self.log.cycle(&mut self.cycle)?;
        for delivery in record.deliveries.iter().filter(|delivery| delivery.cycle > delivery.due) {
            let (kind, name) = (InputKind::TaskDelivery, delivery.task.to_string());
            let values = vec![delivery.due as f64];
            self.log.input(&Input { cycle: delivery.cycle, kind, name, values, bytes: Vec::new() })?;
        }
        Ok(())
    }
}

impl Engine {
    /// The next cycle, up to the answer.
    pub fn answer(&mut self, record: &mut CycleRecord) -> Result<(), ScenarioError> {
        match self {
            Engine::LockStep(cyclic) => Ok(cyclic.answer(record)?),
            Engine::RealTime(live, recording) => {
                live.next(record)?;
                recording.as_mut().map_or(Ok(()), |recording| recording.note(record))
            }
        }
    }

    /// Lets time go on, where it does not go on by itself.
    pub fn advance(&mut self) -> Result<(), ScenarioError> {
        match self {
            Engine::LockStep(cyclic) => Ok(cyclic.advance()?),
            Engine::RealTime(..) => Ok(()),
        }
    }

    /// The digests of the robot with its wrappers, and of the controller. On a real-time thread nobody may ask for them:
    /// those of what passes the plug, readings and commands, stand in.
    pub fn digests(&mut self, record: &mut CycleRecord) -> (Digest, Digest) {
        match self {
            Engine::LockStep(cyclic) => cyclic.digests(),
            Engine::RealTime(..) => (Digest::of(&mut record.readings), Digest::of(&mut record.commands)),
        }
    }

    /// Another speed; real time has its own.
    pub fn set_speed(&mut self, speed: Option<f64>) {
        if let Engine::LockStep(cyclic) = self {
            cyclic.clock.set_speed(speed);
        }
    }

    /// Switches the robot off, if it needs that.
    pub fn shut_down(&mut self, now: Time) -> (Events, Option<IoError>) {
        match self {
            Engine::LockStep(cyclic) => cyclic.shut_down(),
            Engine::RealTime(live, _) => live.shut_down(now),
        }
    }

    /// The loop, where it is at hand.
    pub fn cyclic(&mut self) -> Option<&mut Cyclic> {
        match self {
            Engine::LockStep(cyclic) => Some(cyclic),
            Engine::RealTime(..) => None,
        }
    }

    /// What the operating system granted a real-time thread, and how many cycles its reader missed.
    pub fn realtime(&self) -> Option<(&RealtimeReport, u64)> {
        match self {
            Engine::LockStep(_) => None,
            Engine::RealTime(live, _) => Some((live.granted(), live.dropped())),
        }
    }
}
