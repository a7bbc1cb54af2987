//! What goes wrong in a scenario: the robot's faults, the controller's, the bus's.

use hil::virtual_bus::{BusFault, BusFaultKind};
use page::Fields;
use robot_io::{Fault, FaultKind, ShortName, Time};

use super::file::short_name;
use crate::ranges::{self, SECONDS};

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

/// The `[[fault]]` tables: those of the robot, and those of its controller.
pub(super) fn faults(fields: &mut Fields<'_>) -> Result<(Vec<Fault>, Vec<ControllerFault>), page::Fault> {
    let (mut of_robot, mut of_controller) = (Vec::new(), Vec::new());
    fields.each("fault", |table| {
        let (from, until) = when(table)?;
        let kind = table.kind(&[&FaultKind::KINDS[..], &OF_CONTROLLER].concat())?;
        if OF_CONTROLLER.contains(&kind.get_ref().as_str()) {
            let kind = ControllerTrouble::read(kind.get_ref(), table)?;
            of_controller.push(ControllerFault { from, until, kind });
        } else {
            let kind: FaultKind = table.rest_of(&kind)?;
            kind.check().map_err(|error| table.refuse(error))?;
            of_robot.push(Fault { from, until, kind });
        }
        Ok(())
    })?;
    Ok((of_robot, of_controller))
}

impl ControllerTrouble {
    fn read(kind: &str, table: &mut Fields<'_>) -> Result<ControllerTrouble, page::Fault> {
        if kind == "slow_controller" {
            return Ok(ControllerTrouble::Slow { cycles: table.whole("cycles", 1..=LONGEST_SILENCE)? });
        }
        let component = table.get("component").map(|name| short_name(&name)).transpose()?;
        Ok(ControllerTrouble::Panic { component })
    }
}

impl BusFaultPlan {
    pub(super) fn read(table: &mut Fields<'_>) -> Result<BusFaultPlan, page::Fault> {
        let (from, until) = when(table)?;
        let kind = table.kind(&[])?;
        let kind: BusFaultKind = table.rest_of(&kind)?;
        kind.check().map_err(|error| table.refuse(error))?;
        Ok(BusFaultPlan { fault: BusFault { from, until, kind }, line: table.line() })
    }
}

/// When a fault begins, and when it heals.
fn when(table: &mut Fields<'_>) -> Result<(Time, Option<Time>), page::Fault> {
    let from = Time::from_seconds(table.number("at", SECONDS)?);
    Ok((from, ranges::end(table, "until", from)?))
}
