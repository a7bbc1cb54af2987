//! The loop itself: read, answer, write, and let time pass.

use std::time::Instant;

use robot_io::{Clock, Digest, Event, Events, IoError, Lifecycle, RobotIo, Severity};

use super::{CycleRecord, Pilot, PlantClock, Plug, RealTime};
use crate::interrupt;

/// Cycles after which a controller is asked again for words for itself.
const SAYS_EVERY: u64 = 25;

/// Robot, clock and controller. In lock-step the session calls it; on a bus it lives on a real-time thread of its own. A robot beside another one has no
/// clock of its own.
#[derive(Debug)]
pub struct Cyclic<C = RealTime<PlantClock>> {
    /// The robot with its wrappers.
    pub robot: Plug,
    /// What makes time pass.
    pub clock: C,
    /// Whoever answers.
    pub pilot: Pilot,
}

impl Cyclic {
    /// Ends the cycle and begins the next.
    pub fn advance(&mut self) -> Result<(), IoError> {
        self.clock.advance().map(drop)
    }
}

impl<C> Cyclic<C> {
    /// Switches the robot on, unless somebody asks for the end on the way: then the drives stay off.
    pub fn bring_up(&mut self) -> Result<(), IoError> {
        if self.robot.lifecycle() == Lifecycle::Unconfigured {
            self.robot.transition(Lifecycle::Inactive)?;
        }
        if interrupt::requested() { Ok(()) } else { self.robot.transition(Lifecycle::Active) }
    }

    /// One cycle up to the answer; everything there is to know of it goes into `record`.
    pub fn answer(&mut self, record: &mut CycleRecord) -> Result<(), IoError> {
        self.read(record)?;
        record.answered = self.pilot.answer(&record.readings, &mut record.commands, &mut record.telemetry);
        self.write_and_note(record)
    }

    /// The same with the time that it takes since `begin`, for a thread that has to keep a period.
    pub fn answer_timed(&mut self, record: &mut CycleRecord, begin: Instant) -> Result<(), IoError> {
        self.read(record)?;
        let asked = Instant::now();
        record.answered = self.pilot.answer(&record.readings, &mut record.commands, &mut record.telemetry);
        record.times.controller = asked.elapsed().as_nanos() as u64;
        self.write_and_note(record)?;
        record.times.whole = begin.elapsed().as_nanos() as u64;
        Ok(())
    }

    fn read(&mut self, record: &mut CycleRecord) -> Result<(), IoError> {
        record.events.clear();
        record.deliveries.clear();
        self.robot.read(&mut record.readings)
    }

    fn write_and_note(&mut self, record: &mut CycleRecord) -> Result<(), IoError> {
        record.written = self.write(record)?;
        self.note(record);
        Ok(())
    }

    /// Hands over the answer. A controller that is silent writes nothing, but a stop of the safety filter's reaches the
    /// robot all the same. True if something was written.
    fn write(&mut self, record: &CycleRecord) -> Result<bool, IoError> {
        match record.answered {
            true => self.robot.write(&record.commands).map(|()| true),
            false => self.robot.enforce_stop(&record.commands),
        }
    }

    fn note(&mut self, record: &mut CycleRecord) {
        self.robot.drain_events(&mut record.events);
        self.pilot.drain_events(&mut record.events);
        record.deliveries.extend(self.pilot.board.take_deliveries());
        for failed in record.deliveries.iter_mut().filter_map(|delivery| delivery.failed.take()) {
            let note = Event::note(record.readings.time, Severity::Error, "session", "");
            record.events.push(Event { what: failed.into(), ..note });
        }
        match self.pilot.trouble.panicked() {
            None => record.panicked = None,
            Some(message) if record.panicked.is_none() => record.panicked = Some(message.to_owned()),
            Some(_) => {}
        }
        if let Some(parts) = self.pilot.controller.parts() {
            let broken = parts.first_broken();
            if broken.map(|(_, at)| at) != record.broken_part.as_ref().map(|(_, at)| *at) {
                record.broken_part = broken.map(|(part, at)| (part.to_owned(), at));
            }
            record.notes.clear();
            if record.answered && record.panicked.is_none() {
                record.notes.extend_from_slice(parts.notes());
            }
        }
        let status = self.pilot.controller.status().named("", None, "");
        if record.readings.cycle.is_multiple_of(SAYS_EVERY) || status.is_done() != record.status.is_done() {
            record.says.clear();
            // a controller without words for itself says nothing
            let _ = self.pilot.controller.say(&mut record.says);
        }
        record.status = status;
        let safety = self.robot.safety();
        record.passed.copy_from(safety.passed());
        record.stop = safety.stop_cause();
        record.interventions = safety.total_interventions();
        record.bus = self.robot.plant().cycle_report();
    }

    /// The digests of the robot with its wrappers, and of the controller.
    pub fn digests(&mut self) -> (Digest, Digest) {
        (Digest::of(&mut self.robot), Digest::of(&mut self.pilot.controller))
    }

    /// Switches a robot on a bus off, for good, and tells what happened. A simulation needs no such care.
    pub fn shut_down(&mut self) -> (Events, Option<IoError>) {
        let mut events = Events::new();
        if !self.robot.plant().must_be_switched_off() {
            return (events, None);
        }
        let off = self.robot.transition(Lifecycle::Finalized);
        self.robot.drain_events(&mut events);
        (events, off.err())
    }
}
