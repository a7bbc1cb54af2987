//! What goes wrong in a scenario: the robot's faults, the controller's, the bus's.

use hil::virtual_bus::{BusFault, BusFaultKind};
use robot_io::{Fault, FaultKind, ShortName, Time};
use serde::Deserialize;
use toml::Spanned;

use super::file::Reader;
use crate::ScenarioError;

/// The longest silence of a controller [cycles].
const LONGEST_SILENCE: u64 = 100_000;

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

impl Reader<'_> {
    pub(super) fn fault(&self, fault: Spanned<toml::Table>) -> Result<AnyFault, ScenarioError> {
        let offset = fault.span().start;
        let mut table = fault.into_inner();
        let (from, until) = self.span_of(&mut table, offset, "fault")?;
        let of_controller = |kind| AnyFault::Controller(ControllerFault { from, until, kind });
        match table.get("kind").and_then(toml::Value::as_str) {
            Some("slow_controller") => Ok(of_controller(self.slow(&mut table, offset)?)),
            Some("controller_panic") => {
                let component = self.component(&mut table, offset)?;
                self.nothing_else(&mut table, offset)?;
                Ok(of_controller(ControllerTrouble::Panic { component }))
            }
            _ => {
                let kind = FaultKind::deserialize(toml::Value::Table(table));
                let kind = kind.map_err(|error| self.error(offset, format!("fault: {}", error.message())))?;
                kind.check().map_err(|error| self.error(offset, format!("fault: {error}")))?;
                Ok(AnyFault::Robot(Fault { from, until, kind }))
            }
        }
    }

    pub(super) fn bus_fault(&self, fault: Spanned<toml::Table>) -> Result<BusFaultPlan, ScenarioError> {
        let offset = fault.span().start;
        let mut table = fault.into_inner();
        let (from, until) = self.span_of(&mut table, offset, "bus_fault")?;
        let kind = BusFaultKind::deserialize(toml::Value::Table(table));
        let kind = kind.map_err(|error| self.error(offset, format!("bus_fault: {}", error.message())))?;
        kind.check().map_err(|error| self.error(offset, format!("bus_fault: {error}")))?;
        Ok(BusFaultPlan { fault: BusFault { from, until, kind }, line: self.line(offset) })
    }

    /// Takes `at` and `until` out of a table.
    fn span_of(
        &self,
        table: &mut toml::Table,
        offset: usize,
        what: &str,
    ) -> Result<(Time, Option<Time>), ScenarioError> {
        let mut take =
            |key: &str| table.remove(key).map(|value| value.as_float().or(value.as_integer().map(|n| n as f64)));
        let (at, until) = (take("at").flatten(), take("until"));
        let Some(at) = at else { return Err(self.error(offset, format!("{what}: expected `at`, a number [s]"))) };
        let until = match until {
            None => None,
            Some(Some(until)) if until > at => Some(self.time(until, offset, "until")?),
            Some(_) => {
                return Err(self.error(offset, format!("{what}: expected `until` to be a number above {at} [s]")));
            }
        };
        Ok((self.time(at, offset, "at")?, until))
    }

    fn slow(&self, table: &mut toml::Table, offset: usize) -> Result<ControllerTrouble, ScenarioError> {
        let cycles = table.remove("cycles").and_then(|value| value.as_integer()).and_then(|n| u64::try_from(n).ok());
        let cycles = cycles.filter(|cycles| (1..=LONGEST_SILENCE).contains(cycles));
        let message = || format!("fault: slow_controller: expected `cycles`, 1 to {LONGEST_SILENCE}");
        let cycles = cycles.ok_or_else(|| self.error(offset, message()))?;
        self.nothing_else(table, offset)?;
        Ok(ControllerTrouble::Slow { cycles })
    }

    fn component(&self, table: &mut toml::Table, offset: usize) -> Result<Option<ShortName>, ScenarioError> {
        let Some(found) = table.remove("component") else { return Ok(None) };
        let expected = || self.error(offset, format!("fault: component: expected the name of one, found {found}"));
        let name = found.as_str().ok_or_else(expected)?;
        self.short_name(name, offset, "fault: component").map(Some)
    }

    fn nothing_else(&self, table: &mut toml::Table, offset: usize) -> Result<(), ScenarioError> {
        table.remove("kind");
        match table.keys().next() {
            None => Ok(()),
            Some(key) => Err(self.error(offset, format!("fault: unknown field `{key}`"))),
        }
    }
}
