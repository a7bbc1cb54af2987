//! Numbers of the world model.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// When an object is believed, and when it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct TrackingSettings {
    /// Largest squared Mahalanobis distance of a place that may be the object's: χ² with three degrees of freedom, 99.9 %.
    #[setting(16.3, positive)]
    pub place_gate: f64,
    /// The same of a pose, six degrees of freedom.
    #[setting(22.5, positive)]
    pub pose_gate: f64,
    /// Sightings after which an object is confirmed.
    #[setting(3, positive)]
    pub confirm_after: usize,
    /// Glimpses after which an object that was not recognised yet is worth going there.
    #[setting(2, positive)]
    pub glimpse_after: usize,
    /// An object that is not confirmed is forgotten when it was not seen so often in a row where it should have been.
    #[setting(2, positive)]
    pub forget_after: usize,
    /// The same of a confirmed one, which is lost then.
    #[setting(6, positive)]
    pub lose_after: usize,
    /// By how much an object may move unseen: standard deviation after a second [m/√s].
    #[setting(0.005, not_negative)]
    pub place_walk: f64,
    /// By how much it may turn [rad/√s].
    #[setting(0.02, not_negative)]
    pub angle_walk: f64,
    /// Deviation that every detection has beside its own [m]: what all pictures of a camera have in common is not averaged away.
    #[setting(0.002, not_negative)]
    pub common_deviation: f64,
    /// The same of angles [rad].
    #[setting(0.01, not_negative)]
    pub common_angle: f64,
}
