//! Things worth telling a person.

use core::fmt;
use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::Time;

/// Something that happened: when, to whom, what, and the two numbers one asks for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// When.
    pub time: Time,
    /// How bad.
    pub severity: Severity,
    /// Who says so: `safety_filter`, `fault_injector`, `mission`, `plant` …
    pub source: Cow<'static, str>,
    /// Whom it is about.
    pub subject: Subject,
    /// What happened, with the unit of the numbers, for example `position clamped [rad]`.
    pub what: Cow<'static, str>,
    /// The number seen.
    pub value: f64,
    /// The number allowed or expected.
    pub limit: f64,
}

/// Events in order of time.
pub type Events = Vec<Event>;

/// How bad an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Something was put right.
    Warning,
    /// Something failed.
    Error,
    /// The robot had to stop.
    Stop,
}

/// Whom an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// The robot as a whole.
    Robot,
    /// A joint, by its index in the layout.
    Joint(usize),
    /// A step of the mission, by its index.
    Step(usize),
}

impl Event {
    /// An event without numbers.
    pub const fn note(time: Time, severity: Severity, source: &'static str, what: &'static str) -> Event {
        let (source, what) = (Cow::Borrowed(source), Cow::Borrowed(what));
        Event { time, severity, source, subject: Subject::Robot, what, value: f64::NAN, limit: f64::NAN }
    }

    /// The same event about `subject`.
    #[must_use]
    pub fn about(mut self, subject: Subject) -> Event {
        self.subject = subject;
        self
    }

    /// The same event with the number seen and the number allowed or expected.
    #[must_use]
    pub fn with(mut self, value: f64, limit: f64) -> Event {
        (self.value, self.limit) = (value, limit);
        self
    }

    /// The event as a line of text; `joint_name` turns a joint's index into its name.
    pub fn describe<'a>(&self, joint_name: impl Fn(usize) -> Option<&'a str>) -> String {
        let subject = match self.subject {
            Subject::Robot => String::new(),
            Subject::Joint(index) => format!(" {}:", joint_name(index).unwrap_or("unknown joint")),
            Subject::Step(index) => format!(" step {}:", index + 1),
        };
        let numbers = match (self.value.is_nan(), self.limit.is_nan()) {
            (true, _) => String::new(),
            // codes are looked up in manuals as they stand there
            (false, _) if self.what.ends_with("[hex]") => format!(" {:#06x}", self.value as u64),
            (false, true) => format!(" {:.4}", self.value),
            (false, false) => format!(" {:.4}, limit {:.4}", self.value, self.limit),
        };
        format!("{}{subject} {}{numbers}", self.source, self.what)
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
            Severity::Stop => "stop",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_reads_as_a_sentence_with_both_numbers() {
        let event = Event::note(Time::ZERO, Severity::Warning, "safety_filter", "position clamped [rad]")
            .about(Subject::Joint(1))
            .with(2.5, 2.0);
        let names = ["hip", "knee"];
        let line = event.describe(|index| names.get(index).copied());
        assert_eq!(line, "safety_filter knee: position clamped [rad] 2.5000, limit 2.0000");
        let coded =
            Event::note(Time::ZERO, Severity::Stop, "bus", "drive fault; error code [hex]").with(8976.0, f64::NAN);
        assert_eq!(coded.describe(|_| None), "bus drive fault; error code [hex] 0x2310");
    }
}
