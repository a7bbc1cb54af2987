//! The recorded robot.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use robot_io::{Clock, Commands, IoError, Lifecycle, Readings, RobotIo, RobotLayout, Time};

use crate::divergence::words_differ;
use crate::{Cycle, Cycles, Divergence, LogError, LogReader};

/// A robot that reports what was recorded and compares what it is told with what was said then.
///
/// It serves the present record; its [`LogClock`] makes the next one present.
#[derive(Debug)]
pub struct Replay {
    layout: RobotLayout,
    lifecycle: Lifecycle,
    place: Arc<Mutex<Place>>,
    now: Cycle,
    compared: u64,
    divergence: Option<Divergence>,
}

/// In a replay, time passes from record to record.
#[derive(Clone, Debug)]
pub struct LogClock {
    place: Arc<Mutex<Place>>,
}

/// Where robot and clock are in the log.
#[derive(Debug)]
struct Place {
    cycles: Cycles,
    present: Cycle,
    ended: bool,
}

impl Place {
    fn advance(&mut self) -> Result<(), LogError> {
        let next = self.cycles.next_cycle().inspect_err(|_| self.ended = true)?;
        match next {
            Some(cycle) => {
                self.present.copy_from(cycle);
                self.ended = false;
            }
            None => self.ended = true,
        }
        Ok(())
    }
}

fn lock(place: &Mutex<Place>) -> MutexGuard<'_, Place> {
    place.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Replay {
    /// The robot and the clock of a log, at its first cycle.
    pub fn new(log: &LogReader) -> Result<(Replay, LogClock), LogError> {
        Replay::over(log, log.cycles())
    }

    /// The robot and the clock of a log, at `cycle`.
    pub fn from_cycle(log: &LogReader, cycle: u64) -> Result<(Replay, LogClock), LogError> {
        Replay::over(log, log.cycles_from(cycle)?)
    }

    fn over(log: &LogReader, cycles: Cycles) -> Result<(Replay, LogClock), LogError> {
        let empty = Cycle::new(log.layout());
        let mut place = Place { cycles, present: empty.clone(), ended: true };
        place.advance()?;
        let place = Arc::new(Mutex::new(place));
        let clock = LogClock { place: Arc::clone(&place) };
        let layout = log.layout().clone();
        let (lifecycle, compared, divergence) = (Lifecycle::Unconfigured, 0, None);
        Ok((Replay { layout, lifecycle, place, now: empty, compared, divergence }, clock))
    }

    /// The first command that differs from the recorded one, to the bit.
    pub fn divergence(&self) -> Option<&Divergence> {
        self.divergence.as_ref()
    }

    /// True if somebody answered the present cycle then.
    pub fn answered(&self) -> bool {
        lock(&self.place).present.answered
    }

    /// How many cycles' commands were compared.
    pub fn compared(&self) -> u64 {
        self.compared
    }
}

impl RobotIo for Replay {
    fn layout(&self) -> &RobotLayout {
        &self.layout
    }

    fn lifecycle(&self) -> Lifecycle {
        self.lifecycle
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        if !self.lifecycle.allows(to) {
            return Err(IoError::Transition { from: self.lifecycle, to });
        }
        self.lifecycle = to;
        Ok(())
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        if !self.lifecycle.can_read() {
            return Err(IoError::NotReadable { state: self.lifecycle });
        }
        readings.check(&self.layout)?;
        let place = lock(&self.place);
        if place.ended {
            return Err(IoError::End);
        }
        self.lifecycle = place.present.readings.status.lifecycle;
        readings.copy_from(&place.present.readings);
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        commands.check(&self.layout)?;
        let mut place = lock(&self.place);
        if self.divergence.is_some() || place.ended || !place.present.answered {
            return Ok(());
        }
        self.now.copy_from(&place.present);
        self.now.commands.copy_from(commands);
        let (cycle, time) = (self.now.readings.cycle, self.now.readings.time);
        let found = words_differ(&mut place.present, &mut self.now, &self.layout);
        self.divergence = found.map(|found| Divergence { cycle, time, ..found });
        self.compared += 1;
        Ok(())
    }
}

impl Clock for LogClock {
    fn now(&self) -> Time {
        lock(&self.place).present.readings.time
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        let mut place = lock(&self.place);
        place.advance()?;
        if place.ended { Err(IoError::End) } else { Ok(place.present.readings.time) }
    }
}
