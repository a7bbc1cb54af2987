//! What goes wrong in a scenario: the robot's faults, the controller's, the bus's.

use hil::virtual_bus::{BusFault, BusFaultKind};
use page::Fields;
use robot_io::{Fault, FaultKind, ShortName, Time};
use serde::Deserialize;
use toml::Spanned;

use super::file::Reader;
use crate::ScenarioError;

/// The longest silence of a controller [cycles].
const LONGEST_SILENCE: u64 = 100_000;

/// The kinds of a `[[fault]]` that are the controller's.
const OF_CONTROLLER: [&str; 2] = ["slow_controller", "controller_panic"];

/// A fault of the controller on the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerFault {
    /// When it begins.
    pub from: Time,
    /// When it heals; `None` for never.
    pub until: Option<Time>,
    /// What happens.
    pub kind: ControllerTrouble,
}

/// What can happen to a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerTrouble {
    /// Each answer takes this many cycles too long: of `cycles + 1` cycles only the last is answered.
    Slow {
        /// Cycles without an answer before each one with.
        cycles: u64,
    },
    /// It panics, or one component of it does.
    Panic {
        /// Which component; `None` for the whole controller.
        component: Option<ShortName>,
    },
}

impl ControllerFault {
    /// True while it lasts.
    pub fn is_active(&self, now: Time) -> bool {
        now >= self.from && self.until.is_none_or(|end| now < end)
    }
}

/// A fault of the bus with the line that asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct BusFaultPlan {
    /// The fault.
    pub fault: BusFault,
    /// The line of its table in the scenario's file, from 1.
    pub line: usize,
}

/// A `[[fault]]`, of the robot or of its controller.
pub(super) enum AnyFault {
    Robot(Fault),
    Controller(ControllerFault),
}

/// What a table says of its time [s].
#[derive(Deserialize)]
struct WhenFile {
    at: Spanned<f64>,
    until: Option<Spanned<f64>>,
}

/// What else stands in such a table.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum TroubleFile {
    SlowController { cycles: Spanned<u64> },
    ControllerPanic { component: Option<Spanned<String>> },
}

impl Reader<'_> {
    pub(super) fn fault(&self, mut table: Fields<'_>) -> Result<AnyFault, ScenarioError> {
        let at = table.place();
        let (from, until) = self.when(&mut table)?;
        let known = [&FaultKind::KINDS[..], &OF_CONTROLLER].concat();
        let kind = table.kind(&known)?;
        let name = kind.get_ref().as_str();
        if OF_CONTROLLER.contains(&name) {
            let kind = self.trouble(table.rest_of(&kind)?)?;
            return Ok(AnyFault::Controller(ControllerFault { from, until, kind }));
        }
        if !known.contains(&name) {
            let known = known.join(", ");
            return Err(self.error(&kind, format!("[[fault]] kind: expected one of {known}, found {name}")));
        }
        let kind: FaultKind = table.rest_of(&kind)?;
        kind.check().map_err(|error| self.error(at, format!("fault: {error}")))?;
        Ok(AnyFault::Robot(Fault { from, until, kind }))
    }

    pub(super) fn bus_fault(&self, mut table: Fields<'_>) -> Result<BusFaultPlan, ScenarioError> {
        let at = table.place();
        let (from, until) = self.when(&mut table)?;
        let kind = table.kind(&[])?;
        let kind: BusFaultKind = table.rest_of(&kind)?;
        kind.check().map_err(|error| self.error(at, format!("bus_fault: {error}")))?;
        Ok(BusFaultPlan { fault: BusFault { from, until, kind }, line: self.line(at) })
    }

    /// When a fault begins, and when it heals.
    fn when(&self, table: &mut Fields<'_>) -> Result<(Time, Option<Time>), ScenarioError> {
        let WhenFile { at, until } = table.part(&["at", "until"])?;
        let from = self.time(*at.get_ref(), at.span().start, "at")?;
        let Some(until) = until else { return Ok((from, None)) };
        let (begin, end, place) = (*at.get_ref(), *until.get_ref(), until.span().start);
        if end > begin {
            return Ok((from, Some(self.time(end, place, "until")?)));
        }
        Err(self.error(place, format!("until: expected more than `at`, {begin} [s], found {end}")))
    }

    fn trouble(&self, kind: TroubleFile) -> Result<ControllerTrouble, ScenarioError> {
        match kind {
            TroubleFile::SlowController { cycles } if (1..=LONGEST_SILENCE).contains(cycles.get_ref()) => {
                Ok(ControllerTrouble::Slow { cycles: cycles.into_inner() })
            }
            TroubleFile::SlowController { cycles } => {
                let message = format!("[[fault]] cycles: expected 1 to {LONGEST_SILENCE}, found {}", cycles.get_ref());
                Err(self.error(cycles.span().start, message))
            }
            TroubleFile::ControllerPanic { component } => {
                let named = component
                    .map(|name| self.short_name(name.get_ref(), name.span().start, "fault: component"))
                    .transpose()?;
                Ok(ControllerTrouble::Panic { component: named })
            }
        }
    }
}
