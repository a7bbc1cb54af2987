//! A log on show: its run is computed again from the nearest saved state, so everything that could be seen live can be seen at
//! any moment of it.

use robot_io::{Event, Time};
use station::{Request, Status};

use super::Show;
use super::live::session_status;
use crate::ScenarioError;
use crate::recording::Recording;
use crate::session::{Session, Snapshot};

/// Where a log can be entered, and where it ends.
#[derive(Debug, Default)]
pub struct TimeLine {
    /// Complete states, in order of time.
    pub snapshots: Vec<Snapshot>,
    /// The last moment.
    pub end: Time,
    /// All that happened.
    pub events: Vec<Event>,
}

/// A log with its time line.
#[derive(Debug)]
pub struct Tape {
    recording: Recording,
    session: Session,
    line: TimeLine,
    /// Has the window been told all that happened?
    told: bool,
}

impl Tape {
    /// A log from its beginning.
    pub fn new(recording: Recording) -> Result<Tape, ScenarioError> {
        let (_, end) = recording.end()?;
        let line = TimeLine { snapshots: recording.snapshots()?, end, events: recording.events()? };
        Ok(Tape { session: recording.session(0)?, recording, line, told: false })
    }

    /// Goes to a moment of the log: the last snapshot before it, or the beginning, and then cycle by cycle.
    fn seek(&mut self, time: Time) -> Result<(), ScenarioError> {
        let before = self.line.snapshots.partition_point(|snapshot| snapshot.time <= time);
        match self.line.snapshots.get(before.saturating_sub(1)) {
            Some(snapshot) => self.session.restore(snapshot)?,
            // over a bus there are no states to go on from
            None => self.session = self.recording.session(0)?,
        }
        self.session.set_speed(None);
        while self.session.readings().time < time.min(self.line.end) {
            self.session.cycle()?;
        }
        Ok(())
    }
}

impl Show for Tape {
    fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    fn cycle(&mut self) -> Result<bool, ScenarioError> {
        if self.session.next_cycle() > 0 && self.session.readings().time >= self.line.end {
            return Ok(false);
        }
        self.session.cycle().map(|()| true)
    }

    fn obey(&mut self, request: Request) -> Result<(), ScenarioError> {
        match request {
            Request::Seek(time) => self.seek(time),
            Request::Restart { .. } => self.seek(Time::ZERO),
            _ => Ok(()),
        }
    }

    fn drain_events(&mut self, events: &mut Vec<Event>) {
        if !std::mem::replace(&mut self.told, true) {
            events.append(&mut self.line.events);
        }
    }

    fn status(&mut self) -> Status {
        Status { seed: self.recording.stage.case.seed, ..session_status(&self.session) }
    }

    fn span(&self) -> Option<(Time, Time)> {
        Some((Time::ZERO, self.line.end))
    }
}
