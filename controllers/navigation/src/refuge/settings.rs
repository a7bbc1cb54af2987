//! Parameters of giving way.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// How the robot gives way to things that move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct GivingWaySettings {
    /// Whether it does.
    #[setting(true)]
    pub is_on: bool,
    /// Highest speed out of the way of something [m/s].
    #[setting(0.85, positive)]
    pub speed: f64,
    /// Acceleration and deceleration on the way out [m/s²].
    #[setting(0.5, positive)]
    pub acceleration: f64,
    /// How far ahead in time the robot must be clear of things where it goes or stands [s].
    #[setting(10.0, positive, up_to = 60.0)]
    pub horizon: f64,
    /// How far ahead in time the way to the goal must be clear for the robot to go on [s].
    #[setting(6.0, positive)]
    pub ahead: f64,
    /// Room that is kept to where they will be, and to what stands [m].
    #[setting(0.15, not_negative)]
    pub room: f64,
    /// After they have passed the robot waits for so long [s].
    #[setting(1.0, not_negative)]
    pub pause: f64,
    /// From one look at what they do to the next [s].
    #[setting(0.2, positive)]
    pub interval: f64,
    /// From the release of a look to its result [s].
    #[setting(0.04, positive)]
    pub latency: f64,
}
