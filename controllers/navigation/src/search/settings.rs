//! What the global search prefers.

use serde::{Deserialize, Serialize};

use crate::NavigationError;

/// Parameters of the global search. Costs are metres of easy ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// A metre of the worst ground that is not forbidden costs this many metres more than one of the best.
    pub caution: f64,
    /// A metre sideways costs this many metres more than one forwards, where the place is too narrow to turn.
    pub sideways: f64,
    /// A metre backwards costs this many metres more than one forwards, where the place is too narrow to turn.
    pub backwards: f64,
    /// What a turn costs [m/rad], where the place is too narrow to turn freely.
    pub turning: f64,
    /// How far a robot that stands where it must not may drive to get free [m].
    pub escape: f64,
    /// A metre of such an escape costs this many metres.
    pub escape_cost: f64,
    /// What it costs to step over an edge, beside the way itself [m].
    pub edge: f64,
    /// Distance between the poses of a plan [m].
    pub spacing: f64,
}

impl Default for SearchSettings {
    fn default() -> Self {
        SearchSettings {
            caution: 4.0,
            sideways: 0.5,
            backwards: 0.3,
            turning: 0.2,
            escape: 1.0,
            escape_cost: 20.0,
            edge: 10.0,
            spacing: 0.2,
        }
    }
}

impl SearchSettings {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), NavigationError> {
        NavigationError::check_positive(&[("search.spacing [m]", self.spacing)])?;
        NavigationError::check_not_negative(&[
            ("search.caution", self.caution),
            ("search.sideways", self.sideways),
            ("search.backwards", self.backwards),
            ("search.turning [m/rad]", self.turning),
            ("search.escape [m]", self.escape),
            ("search.escape_cost", self.escape_cost),
            ("search.edge [m]", self.edge),
        ])
    }
}
