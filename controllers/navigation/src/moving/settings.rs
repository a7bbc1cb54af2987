//! Parameters of the search for moving things.

use serde::{Deserialize, Serialize};

use crate::NavigationError;
use crate::error::check_all;

/// Parameters of [`MovingObjects`](crate::MovingObjects).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MovingSettings {
    /// What stands higher above the ground than this may be a thing that moves [m].
    pub height: f64,
    /// What is higher than this above the ground is not: the robot passes beneath [m].
    pub clearance: f64,
    /// What is nearer to the scanner than this belongs to the robot, whatever it is [m].
    pub nearest: f64,
    /// So many points of a scan make a thing.
    pub points: usize,
    /// Points of a scan that are farther apart than this belong to two things [m].
    pub gap: f64,
    /// Free ground that nobody has looked at for so long may not be free any more [s].
    pub memory: f64,
    /// A thing that has stood still for so long is a part of the world again [s].
    pub settle: f64,
    /// Nothing moves faster than this [m/s].
    pub speed: f64,
    /// A thing that has moved by so much beyond doubt is a moving one [m].
    pub displacement: f64,
    /// Standard deviation of the place of a thing that is seen [m].
    pub noise: f64,
    /// Standard deviation by which a velocity changes in a second [m/s].
    pub agility: f64,
    /// A thing that has not been seen for so long is forgotten [s].
    pub patience: f64,
}

impl Default for MovingSettings {
    fn default() -> Self {
        MovingSettings {
            height: 0.25,
            clearance: 1.7,
            nearest: 0.45,
            points: 4,
            gap: 0.45,
            memory: 20.0,
            settle: 8.0,
            speed: 2.0,
            displacement: 0.35,
            noise: 0.12,
            agility: 0.2,
            patience: 5.0,
        }
    }
}

impl MovingSettings {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), NavigationError> {
        let positive = [
            ("moving.height [m]", self.height),
            ("moving.clearance - height [m]", self.clearance - self.height),
            ("moving.nearest [m]", self.nearest),
            ("moving.points", self.points as f64),
            ("moving.gap [m]", self.gap),
            ("moving.memory [s]", self.memory),
            ("moving.settle [s]", self.settle),
            ("moving.speed [m/s]", self.speed),
            ("moving.displacement [m]", self.displacement),
            ("moving.noise [m]", self.noise),
            ("moving.agility [m/s]", self.agility),
            ("moving.patience [s]", self.patience),
        ];
        check_all(&positive, "a positive number", |value| value > 0.0)
    }
}
