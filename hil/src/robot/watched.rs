//! What the supervisor looks at, and how it says what it sees.

use robot_io::{Event, RobotLayout, Severity, Subject, Time};

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
    pub layout: &'a RobotLayout,
}

impl Watched<'_> {
    /// An event about a board's joint, or the robot if it has none.
    pub fn note(&self, board: usize, severity: Severity, what: &'static str) -> Event {
        let joint = self.plan.boards[board].kind.joints().first();
        let subject = joint.map_or(Subject::Robot, |joint| Subject::Joint(*joint));
        Event::note(self.now, severity, SOURCE, what).about(subject)
    }

    /// An optional board has gone, or takes part again, and with it the joints that it drives.
    pub fn optional_board(&self, board: usize, away: bool) -> Event {
        let plan = &self.plan.boards[board];
        let joints: Vec<&str> =
            plan.kind.joints().iter().map(|joint| self.layout.joints[*joint].name.as_str()).collect();
        let joints = joints.join("', '");
        let what = match (away, joints.is_empty()) {
            (true, true) => "takes no part: it joins with an acknowledgement or a new start".to_owned(),
            (true, false) => format!("takes no part: the robot runs without joint '{joints}' until a new start"),
            (false, true) => "takes part again".to_owned(),
            (false, false) => format!("takes part again: joint '{joints}' is back"),
        };
        let note = self.note(board, Severity::Warning, "");
        Event { what: format!("optional board '{}' {what}", plan.name).into(), ..note }
    }
}
