//! Numbers of the calibration.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// When a calibration is believed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct CalibrationSettings {
    /// Fewest observations.
    #[setting(6, range = 3..=100_000)]
    pub least_observations: usize,
    /// Largest standard deviation of a place [m].
    #[setting(0.004, positive)]
    pub most_place_deviation: f64,
    /// Largest standard deviation of an angle [rad].
    #[setting(0.006, positive)]
    pub most_angle_deviation: f64,
    /// Largest ratio of the best to the worst known direction's information, places in metres and angles in radians.
    #[setting(1e6, positive)]
    pub most_condition: f64,
    /// Observations that are off by more than so many standard deviations count less (Cauchy's weight).
    #[setting(3.0, positive)]
    pub robust_scale: f64,
    /// Most steps.
    #[setting(50, range = 1..=1000)]
    pub most_steps: usize,
}
