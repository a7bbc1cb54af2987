//! Parameters of the search for moving things.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of [`MovingObjects`](crate::MovingObjects).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct MovingSettings {
    /// What stands higher above the ground than this may be a thing that moves [m].
    #[setting(0.25, positive)]
    pub height: f64,
    /// What is higher than this above the ground is not: the robot passes beneath [m].
    #[setting(1.7, above = height)]
    pub clearance: f64,
    /// What is nearer to the scanner than this belongs to the robot, whatever it is [m].
    #[setting(0.45, positive)]
    pub nearest: f64,
    /// So many points of a scan make a thing.
    #[setting(4, positive)]
    pub points: usize,
    /// Points of a scan that are farther apart than this belong to two things [m].
    #[setting(0.45, positive)]
    pub gap: f64,
    /// Free ground that nobody has looked at for so long may not be free any more [s].
    #[setting(20.0, positive)]
    pub memory: f64,
    /// A thing that has stood still for so long is a part of the world again [s].
    #[setting(8.0, positive)]
    pub settle: f64,
    /// Nothing moves faster than this [m/s].
    #[setting(2.0, positive)]
    pub speed: f64,
    /// A thing that has moved by so much beyond doubt is a moving one [m].
    #[setting(0.35, positive)]
    pub displacement: f64,
    /// Standard deviation of the place of a thing that is seen [m].
    #[setting(0.12, positive)]
    pub noise: f64,
    /// Standard deviation by which a velocity changes in a second [m/s].
    #[setting(0.2, positive)]
    pub agility: f64,
    /// A thing that has not been seen for so long is forgotten [s].
    #[setting(5.0, positive)]
    pub patience: f64,
}
