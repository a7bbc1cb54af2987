//! Parameters of giving way.

use serde::{Deserialize, Serialize};

use crate::NavigationError;
use crate::error::check_all;

/// How the robot gives way to things that move.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GivingWaySettings {
    /// Whether it does.
    pub is_on: bool,
    /// Highest speed out of the way of something [m/s].
    pub speed: f64,
    /// Acceleration and deceleration on the way out [m/s²].
    pub acceleration: f64,
    /// How far ahead in time the robot must be clear of things where it goes or stands [s].
    pub horizon: f64,
    /// How far ahead in time the way to the goal must be clear for the robot to go on [s].
    pub ahead: f64,
    /// Room that is kept to where they will be, and to what stands [m].
    pub room: f64,
    /// After they have passed the robot waits for so long [s].
    pub pause: f64,
    /// From one look at what they do to the next [s].
    pub interval: f64,
    /// From the release of a look to its result [s].
    pub latency: f64,
}

impl Default for GivingWaySettings {
    fn default() -> Self {
        GivingWaySettings {
            is_on: true,
            speed: 0.85,
            acceleration: 0.5,
            horizon: 10.0,
            ahead: 6.0,
            room: 0.15,
            pause: 1.0,
            interval: 0.2,
            latency: 0.04,
        }
    }
}

impl GivingWaySettings {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), NavigationError> {
        let positive = [
            ("giving_way.speed [m/s]", self.speed),
            ("giving_way.acceleration [m/s²]", self.acceleration),
            ("giving_way.horizon [s]", self.horizon),
            ("giving_way.ahead [s]", self.ahead),
            ("giving_way.interval [s]", self.interval),
            ("giving_way.latency [s]", self.latency),
        ];
        check_all(&positive, "a positive number", |value| value > 0.0)?;
        check_all(&[("giving_way.horizon [s]", self.horizon)], "at most 60 s", |value| value <= 60.0)?;
        let not_negative = [("giving_way.room [m]", self.room), ("giving_way.pause [s]", self.pause)];
        check_all(&not_negative, "a number of at least 0", |value| value >= 0.0)
    }
}
