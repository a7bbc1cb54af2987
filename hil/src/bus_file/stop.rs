//! What a healthy board does once the robot is stopped: for the whole bus or one board, for every cause or one.

use page::{Fault, Fields, Value};
use robot_io::CauseKind;

/// What a healthy board does once the robot is stopped, by falling torque. A board that has itself failed is damped or off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StopReaction {
    /// Hold the position with the last gains: for robots that stand.
    #[default]
    Hold,
    /// Zero velocity and no stiffness: for arms and test benches, a robot on legs sinks slowly.
    Damp,
    /// No torque.
    Off,
}

const REACTIONS: &[(&str, StopReaction)] =
    &[("hold", StopReaction::Hold), ("damp", StopReaction::Damp), ("off", StopReaction::Off)];

/// The causes of a stop, by their words in a bus file.
const CAUSES: [(&str, CauseKind); 13] = [
    ("frames_lost", CauseKind::FramesLost),
    ("working_counter", CauseKind::WorkingCounter),
    ("cable_cut", CauseKind::CableCut),
    ("board_gone", CauseKind::BoardGone),
    ("board_state", CauseKind::BoardState),
    ("stale", CauseKind::Stale),
    ("drive_fault", CauseKind::DriveFault),
    ("sto_open", CauseKind::StoOpen),
    ("drive_off", CauseKind::DriveOff),
    ("hot", CauseKind::Hot),
    ("jump", CauseKind::Jump),
    ("overrun", CauseKind::Overrun),
    ("emergency_stop", CauseKind::ControllerStop),
];

/// The reactions that the bus file gives the bus, or one board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopRules {
    usual: Option<StopReaction>,
    by_cause: [Option<StopReaction>; CAUSES.len()],
}

impl StopRules {
    /// The same reaction to every cause.
    pub fn always(reaction: StopReaction) -> StopRules {
        StopRules { usual: Some(reaction), ..StopRules::default() }
    }

    /// The reaction to one cause, if there is a rule for it.
    pub fn on(&self, kind: CauseKind) -> Option<StopReaction> {
        let place = CAUSES.iter().position(|(_, cause)| *cause == kind);
        place.and_then(|place| self.by_cause[place]).or(self.usual)
    }

    /// Reads `stop` and `stop_on`.
    pub(super) fn read(fields: &mut Fields<'_>) -> Result<StopRules, Fault> {
        let reaction = |value: Value<'_>| value.word(REACTIONS);
        let usual = fields.get("stop").map(reaction).transpose()?;
        let mut rules = StopRules { usual, ..StopRules::default() };
        let Some(causes) = fields.get("stop_on") else { return Ok(rules) };
        let mut causes = causes.table()?;
        for ((cause, _), rule) in CAUSES.iter().zip(&mut rules.by_cause) {
            *rule = causes.get(cause).map(reaction).transpose()?;
        }
        causes.finish()?;
        Ok(rules)
    }
}
