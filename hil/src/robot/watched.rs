//! What the supervisor looks at, and how it says what it sees.

use robot_io::{Event, Severity, Subject, Time};

use super::cause::SOURCE;
use crate::board::BoardReport;
use crate::bus_file::BusPlan;
use crate::exchange::Exchanged;

/// What the supervisor looks at after each exchange.
#[derive(Debug)]
pub(super) struct Watched<'a> {
    pub exchanged: &'a Exchanged,
    pub reports: &'a [BoardReport],
    /// All boards should be in OP.
    pub operational: bool,
    pub now: Time,
    pub plan: &'a BusPlan,
}

impl Watched<'_> {
    /// An event about a board's joint, or the robot if it has none.
    pub fn note(&self, board: usize, severity: Severity, what: &'static str) -> Event {
        let joint = self.plan.boards[board].kind.joints().first();
        let subject = joint.map_or(Subject::Robot, |joint| Subject::Joint(*joint));
        Event::note(self.now, severity, SOURCE, what).about(subject)
    }
}
