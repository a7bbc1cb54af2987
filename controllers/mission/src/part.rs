//! The parts of a mission, and who stands guard over them: one that panics or is stopped takes none of the others with it.

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use robot_io::{ASKED_TO_BREAK, State, StateVisitor, Time, last_words};

/// A part of a mission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// Estimation and locomotion. Nothing can be done without them: if they break, the whole controller has.
    #[default]
    Base,
    /// Mapping, and navigation on the map.
    Mapping,
    /// The preview of the way ahead.
    Preview,
    /// The skill of the step under way: one that panics has failed, and may be tried again.
    Skill,
    /// Poses, and joints that are moved by hand.
    Posture,
}

impl Part {
    /// All of them, in the order of their indices.
    pub const ALL: [Part; 5] = [Part::Base, Part::Mapping, Part::Preview, Part::Skill, Part::Posture];

    /// Its name, as the operator and a scenario say it.
    pub const fn name(self) -> &'static str {
        match self {
            Part::Base => "base",
            Part::Mapping => "mapping",
            Part::Preview => "preview",
            Part::Skill => "skill",
            Part::Posture => "posture",
        }
    }

    /// The part of this name.
    pub fn named(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }

    /// True if the mission can be without it for a while: it can be stopped, and started again.
    pub const fn can_rest(self) -> bool {
        matches!(self, Part::Mapping | Part::Preview | Part::Posture)
    }

    const fn bit(self) -> u64 {
        1 << self as u64
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Stands guard over the parts.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    /// The mission has begun.
    started: bool,
    /// The bits of those that are out of work.
    out: u64,
    /// The first that broke unasked, and when.
    broken: Option<(Part, Time)>,
    /// What broke and has not been told yet, with its last words.
    news: Vec<(Part, String)>,
}

impl Guard {
    /// A mission begins, with all its parts.
    pub fn begin() -> Guard {
        Guard { started: true, ..Guard::default() }
    }

    /// True once the mission has begun.
    pub fn has_begun(&self) -> bool {
        self.started
    }

    /// Lets a part work. Nothing comes of one that is out of work, or that breaks now.
    pub fn run<R>(&mut self, part: Part, work: impl FnOnce() -> R) -> Option<R> {
        if self.is_out(part) {
            return None;
        }
        // a part that broke is begun afresh before anybody looks at it again
        match catch_unwind(AssertUnwindSafe(work)) {
            Ok(result) => Some(result),
            Err(panic) => {
                self.out |= if part.can_rest() { part.bit() } else { 0 };
                self.news.push((part, last_words(panic.as_ref())));
                None
            }
        }
    }

    /// Lets a part break, because a scenario asks for it; the base breaks the whole controller.
    pub fn break_now(&mut self, part: Part) {
        match part {
            Part::Base => resume_unwind(Box::new(ASKED_TO_BREAK)),
            part => self.run(part, || resume_unwind(Box::new(ASKED_TO_BREAK))).unwrap_or_default(),
        }
    }

    /// What broke since the last call; the first of all that nobody asked to is remembered.
    pub fn take_news(&mut self, now: Time) -> Vec<(Part, String)> {
        let news = core::mem::take(&mut self.news);
        let unasked = news.iter().find(|(_, words)| words != ASKED_TO_BREAK);
        self.broken = self.broken.or_else(|| unasked.map(|(part, _)| (*part, now)));
        news
    }

    /// A part works, or it does not.
    pub fn set_out(&mut self, part: Part, is_out: bool) {
        self.out = if is_out { self.out | part.bit() } else { self.out & !part.bit() };
    }

    /// True if a part is out of work.
    pub fn is_out(&self, part: Part) -> bool {
        self.out & part.bit() != 0
    }

    /// The first part that is out of work.
    pub fn first_out(&self) -> Option<Part> {
        Part::ALL.into_iter().find(|part| self.is_out(*part))
    }

    /// The first part that broke unasked, and when.
    pub fn first_broken(&self) -> Option<(Part, Time)> {
        self.broken
    }
}

/// One word for all: of a mission in which nothing broke it is 1.
impl State for Guard {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        const MICROSECOND: u64 = 1_000;
        let broken =
            self.broken.map_or(0, |(part, at)| (1 << 8) | (part as u64) << 9 | (at.nanoseconds() / MICROSECOND) << 16);
        let mut word = u64::from(self.started) | self.out << 1 | broken;
        visitor.field("started", &mut word);
        self.started = word & 1 != 0;
        self.out = word >> 1 & 0x1f;
        let part = Part::ALL.get((word >> 9 & 0x7f) as usize).copied().unwrap_or_default();
        let at = Time::from_nanoseconds((word >> 16) * MICROSECOND);
        self.broken = (word & 1 << 8 != 0).then_some((part, at));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use robot_io::{StateReader, StateWriter};

    use super::*;

    #[test]
    fn every_failure_of_any_of_the_parts_is_remembered_and_restored() {
        for broken in 0..1_u32 << Part::ALL.len() {
            let mut guard = Guard::begin();
            let parts = || Part::ALL.into_iter().filter(|part| broken & 1 << *part as u32 != 0);
            for part in parts() {
                assert_eq!(guard.run(part, || -> u32 { resume_unwind(Box::new("gone")) }), None);
            }
            let told = guard.take_news(Time::from_seconds(12.345_678));
            assert_eq!(told, parts().map(|part| (part, "gone".to_owned())).collect::<Vec<_>>());
            for part in Part::ALL {
                let is_out = parts().any(|broken| broken == part) && part.can_rest();
                assert_eq!(guard.is_out(part), is_out);
                assert_eq!(guard.run(part, || 7), (!is_out).then_some(7), "{part}");
            }
            let saved = StateWriter::save(&mut guard);
            let mut restored = Guard::default();
            StateReader::restore(&mut restored, &saved).unwrap();
            assert_eq!(StateWriter::save(&mut restored), saved);
            assert_eq!((restored.has_begun(), restored.first_out()), (true, guard.first_out()));
            assert_eq!(restored.first_broken(), parts().next().map(|part| (part, Time::from_seconds(12.345_678))));
        }
    }
}
