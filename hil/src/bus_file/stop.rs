//! What a healthy board does once the robot is stopped: for the whole bus or one board, for every cause or one.

use page::{Fault, Page};
use robot_io::CauseKind;

use super::names;
use super::table::{Content, Table};

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

    /// Takes `stop` and `stop_on` out; `whose` begins messages.
    pub(super) fn read(page: &Page, table: &mut Table, whose: &str) -> Result<StopRules, Fault> {
        let at = table.place("stop");
        let usual = table.text(page, "stop")?;
        let usual = usual.map(|word| reaction(page, at, &format!("{whose}stop"), &word)).transpose()?;
        let mut rules = StopRules { usual, ..StopRules::default() };
        let Some(field) = table.take("stop_on") else { return Ok(rules) };
        let Content::Table(mut causes) = field.content else {
            let expected = "a table, for example { cable_cut = \"damp\" }";
            let message = format!("{whose}stop_on: expected {expected}, found {}", field.content.describe());
            return Err(page.fault(field.at, message));
        };
        for ((word, _), rule) in CAUSES.iter().zip(&mut rules.by_cause) {
            let at = causes.place(word);
            let found = causes.text(page, word)?;
            *rule = found.map(|found| reaction(page, at, &format!("{whose}stop_on: {word}"), &found)).transpose()?;
        }
        causes.finish(page, &format!("{whose}stop_on"), &CAUSES.map(|(word, _)| word))?;
        Ok(rules)
    }
}

fn reaction(page: &Page, at: usize, field: &str, word: &str) -> Result<StopReaction, Fault> {
    let known = [("hold", StopReaction::Hold), ("damp", StopReaction::Damp), ("off", StopReaction::Off)];
    let found = known.iter().find(|(known, _)| *known == word).map(|(_, reaction)| *reaction);
    let expected = || names::list(known.iter().map(|(word, _)| *word));
    found.ok_or_else(|| page.fault(at, format!("{field}: expected one of: {}, found '{word}'", expected())))
}
