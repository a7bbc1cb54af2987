//! What navigation is set to.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

use crate::exploration::ExplorationSettings;
use crate::moving::MovingSettings;
use crate::recovery::RecoverySettings;
use crate::refuge::GivingWaySettings;
use crate::rollout::{FreshSettings, RolloutSettings};
use crate::{MapSettings, SearchSettings};

/// Parameters of a [`Navigator`](crate::Navigator) and of all that it is made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct NavigationSettings {
    /// From one map and global plan to the next [s]; 4 s in Momaro, section 6.2.2: a way of 1.6 m, on which a trench may open.
    #[setting(2.0, positive)]
    pub replan_interval: f64,
    /// Not more often than this, however urgent [s].
    #[setting(0.8, positive)]
    pub least_replan_interval: f64,
    /// From the release of a plan to its result [s]; the result is used from exactly then on.
    #[setting(0.3, positive)]
    pub plan_latency: f64,
    /// A localisation that jumps by more than this asks for a new plan [m].
    #[setting(0.15, positive)]
    pub jump_distance: f64,
    /// A localisation that turns by more than this asks for a new plan [rad].
    #[setting(0.06, positive)]
    pub jump_angle: f64,
    /// How near to the place in front of an edge the robot has to be to step over it [m].
    #[setting(0.05, positive)]
    pub edge_tolerance: f64,
    /// How square to an edge the robot has to be to step over it [rad].
    #[setting(0.05, positive)]
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
