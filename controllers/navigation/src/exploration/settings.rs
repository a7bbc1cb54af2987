//! Parameters of exploration.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of exploration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct ExplorationSettings {
    /// How far a view sees [m].
    #[setting(8.0, positive)]
    pub sensor_range: f64,
    /// A view that would show less than this is not worth the way [m²].
    #[setting(1.0, positive)]
    pub least_gain: f64,
    /// By how much a metre of the way makes a view less worth, e to the power of minus this [1/m].
    #[setting(0.2, not_negative)]
    pub distance_decay: f64,
    /// Frontier cells that are nearer to each other than this belong together [m].
    #[setting(0.3, positive)]
    pub cluster_distance: f64,
    /// Frontiers shorter than this are left alone [m].
    #[setting(0.4, not_negative)]
    pub least_frontier: f64,
    /// A view that could not be reached is given up, and all others this near to it [m].
    #[setting(0.8, positive)]
    pub blacklist_radius: f64,
    /// How near to a view is near enough [m].
    #[setting(0.4, positive)]
    pub tolerance: f64,
    /// From the question for a view to the answer [s].
    #[setting(0.3, positive)]
    pub latency: f64,
    /// So long after the arrival at a view, all that is seen from there is on the map [s].
    #[setting(2.0, not_negative)]
    pub settle_time: f64,
    /// A view that has lost this share of what it promised, because it was seen on the way, is given up for a better one.
    #[setting(0.7, positive)]
    pub lost_share: f64,
    /// Not faster than this on the way [m/s].
    #[setting(0.5, positive)]
    pub speed: f64,
}
