//! Parameters of exploration.

use serde::{Deserialize, Serialize};

use crate::NavigationError;
use crate::error::check_all;

/// Parameters of exploration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExplorationSettings {
    /// How far a view sees [m].
    pub sensor_range: f64,
    /// A view that would show less than this is not worth the way [m²].
    pub least_gain: f64,
    /// By how much a metre of the way makes a view less worth, e to the power of minus this [1/m].
    pub distance_decay: f64,
    /// Frontier cells that are nearer to each other than this belong together [m].
    pub cluster_distance: f64,
    /// Frontiers shorter than this are left alone [m].
    pub least_frontier: f64,
    /// A view that could not be reached is given up, and all others this near to it [m].
    pub blacklist_radius: f64,
    /// How near to a view is near enough [m].
    pub tolerance: f64,
    /// From the question for a view to the answer [s].
    pub latency: f64,
    /// So long after the arrival at a view, all that is seen from there is on the map [s].
    pub settle_time: f64,
    /// A view that has lost this share of what it promised, because it was seen on the way, is given up for a better one.
    pub lost_share: f64,
    /// Not faster than this on the way [m/s].
    pub speed: f64,
}

impl Default for ExplorationSettings {
    fn default() -> Self {
        ExplorationSettings {
            sensor_range: 8.0,
            least_gain: 1.0,
            distance_decay: 0.2,
            cluster_distance: 0.3,
            least_frontier: 0.4,
            blacklist_radius: 0.8,
            tolerance: 0.4,
            latency: 0.3,
            settle_time: 2.0,
            lost_share: 0.7,
            speed: 0.5,
        }
    }
}

impl ExplorationSettings {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), NavigationError> {
        let positive = [
            ("exploration.sensor_range [m]", self.sensor_range),
            ("exploration.least_gain [m²]", self.least_gain),
            ("exploration.cluster_distance [m]", self.cluster_distance),
            ("exploration.blacklist_radius [m]", self.blacklist_radius),
            ("exploration.tolerance [m]", self.tolerance),
            ("exploration.latency [s]", self.latency),
            ("exploration.lost_share", self.lost_share),
            ("exploration.speed [m/s]", self.speed),
        ];
        let not_negative = [
            ("exploration.distance_decay [1/m]", self.distance_decay),
            ("exploration.least_frontier [m]", self.least_frontier),
            ("exploration.settle_time [s]", self.settle_time),
        ];
        check_all(&positive, "a positive number", |value| value > 0.0)?;
        check_all(&not_negative, "a number of at least 0", |value| value >= 0.0)
    }
}
