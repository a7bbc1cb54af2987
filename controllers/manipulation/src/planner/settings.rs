//! How long is looked for a way, and how it is shortened.

use crate::error::{ManipulationError, check_number};

/// How a [`Planner`](super::Planner) looks.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannerSettings {
    /// Which random numbers are drawn.
    pub seed: u64,
    /// Samples after which the search is given up.
    pub most_iterations: u32,
    /// A tree grows by so much at once at most: the root of the summed squares of how far each joint moves the robot [m].
    pub range: f64,
    /// So often a shorter way between two random places of the way is tried.
    pub shortcuts: u32,
}

impl Default for PlannerSettings {
    fn default() -> Self {
        PlannerSettings { seed: 1, most_iterations: 20_000, range: 0.8, shortcuts: 20 }
    }
}

impl PlannerSettings {
    pub(super) fn check(&self) -> Result<(), ManipulationError> {
        let part = "settings of the planner";
        check_number(part, "range", (1e-3, 1e3), "m", self.range)?;
        check_number(part, "most_iterations", (1.0, 1e9), "samples", f64::from(self.most_iterations))
    }
}
