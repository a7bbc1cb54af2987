//! The twin that a scenario asks for.

use page::{Fault, Fields, Range};
use robot_io::Period;

use crate::ranges::SECONDS;

/// A residual must last so long to be told, unless the scenario says otherwise.
const PATIENCE: Period = Period::from_milliseconds(100);

/// A simulation that follows the run's commands, and how far the robot may be from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwinPlan {
    /// Largest difference of a joint's position [rad or m]; `None` for any.
    pub position: Option<f64>,
    /// Largest difference of a joint's velocity [rad/s or m/s]; `None` for any.
    pub velocity: Option<f64>,
    /// Largest difference of a joint's effort [N·m or N]; `None` for any.
    pub effort: Option<f64>,
    /// A larger one is told once it has lasted so long.
    pub patience: Period,
}

/// A plant whose joints are partly on the bus and partly simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedPlan {
    /// Limbs or joints on the bus; all others are simulated.
    pub bus: Vec<String>,
    /// The line of the table, from 1.
    pub line: usize,
}

impl Default for TwinPlan {
    fn default() -> TwinPlan {
        TwinPlan { position: None, velocity: None, effort: None, patience: PATIENCE }
    }
}

impl TwinPlan {
    pub(super) fn read(table: &mut Fields<'_>) -> Result<TwinPlan, Fault> {
        let mut largest = |key, unit| table.optional(key, Range::new(0.0, 1e9, unit));
        Ok(TwinPlan {
            position: largest("position", "rad or m")?,
            velocity: largest("velocity", "rad/s or m/s")?,
            effort: largest("effort", "N·m or N")?,
            patience: table.optional("for", SECONDS)?.map_or(PATIENCE, Period::from_seconds),
        })
    }
}

impl MixedPlan {
    pub(super) fn read(table: &mut Fields<'_>) -> Result<MixedPlan, Fault> {
        let names = table.need("bus", "limbs or joints")?;
        let plan = MixedPlan { bus: names.texts()?, line: table.line() };
        if plan.bus.is_empty() { Err(names.error("at least one limb or joint", "none")) } else { Ok(plan) }
    }
}
