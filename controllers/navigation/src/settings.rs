//! What navigation is set to.

use serde::{Deserialize, Serialize};

use crate::NavigationError;
use crate::error::check_all;
use crate::exploration::ExplorationSettings;
use crate::moving::MovingSettings;
use crate::recovery::RecoverySettings;
use crate::refuge::GivingWaySettings;
use crate::rollout::{FreshSettings, RolloutSettings};
use crate::{MapSettings, SearchSettings};

/// Parameters of a [`Navigator`](crate::Navigator) and of all that it is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NavigationSettings {
    /// From one map and global plan to the next [s]; 4 s in Momaro, section 6.2.2: a way of 1.6 m, on which a trench may open.
    pub replan_interval: f64,
    /// Not more often than this, however urgent [s].
    pub least_replan_interval: f64,
    /// From the release of a plan to its result [s]; the result is used from exactly then on.
    pub plan_latency: f64,
    /// A localisation that jumps by more than this asks for a new plan [m].
    pub jump_distance: f64,
    /// A localisation that turns by more than this asks for a new plan [rad].
    pub jump_angle: f64,
    /// How near to the place in front of an edge the robot has to be to step over it [m].
    pub edge_tolerance: f64,
    /// How square to an edge the robot has to be to step over it [rad].
    pub edge_heading_tolerance: f64,
    /// Height map, drivability, edges.
    pub map: MapSettings,
    /// The global search.
    pub search: SearchSettings,
    /// The local rollout.
    pub rollout: RolloutSettings,
    /// Things that have just come.
    pub fresh: FreshSettings,
    /// Things that move.
    pub moving: MovingSettings,
    /// How the robot gives way to them.
    pub giving_way: GivingWaySettings,
    /// When the robot is stuck, and what it does then.
    pub recovery: RecoverySettings,
    /// What is worth a look.
    pub exploration: ExplorationSettings,
}

impl Default for NavigationSettings {
    fn default() -> Self {
        NavigationSettings {
            replan_interval: 2.0,
            least_replan_interval: 0.8,
            plan_latency: 0.3,
            jump_distance: 0.15,
            jump_angle: 0.06,
            edge_tolerance: 0.05,
            edge_heading_tolerance: 0.05,
            map: MapSettings::default(),
            search: SearchSettings::default(),
            rollout: RolloutSettings::default(),
            fresh: FreshSettings::default(),
            moving: MovingSettings::default(),
            giving_way: GivingWaySettings::default(),
            recovery: RecoverySettings::default(),
            exploration: ExplorationSettings::default(),
        }
    }
}

impl NavigationSettings {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), NavigationError> {
        let positive = [
            ("replan_interval [s]", self.replan_interval),
            ("least_replan_interval [s]", self.least_replan_interval),
            ("plan_latency [s]", self.plan_latency),
            ("jump_distance [m]", self.jump_distance),
            ("jump_angle [rad]", self.jump_angle),
            ("edge_tolerance [m]", self.edge_tolerance),
            ("edge_heading_tolerance [rad]", self.edge_heading_tolerance),
        ];
        check_all(&positive, "a positive number", |value| value > 0.0)?;
        self.map.check()?;
        self.search.check()?;
        self.rollout.check()?;
        self.fresh.check()?;
        self.giving_way.check()?;
        self.moving.check()?;
        self.recovery.check()?;
        self.exploration.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_pass_and_what_is_wrong_is_named() {
        assert_eq!(NavigationSettings::default().check(), Ok(()));
        let wrong = NavigationSettings { plan_latency: f64::NAN, ..NavigationSettings::default() };
        let message = wrong.check().map_err(|error| error.to_string());
        assert_eq!(message, Err("navigation: plan_latency [s]: expected a positive number, found NaN".to_owned()));
    }
}
