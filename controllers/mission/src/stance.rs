//! What the base shall do, and how it is carried.

use robot_io::{Pose2, State, Twist};

/// What the base shall do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BaseTarget {
    /// Its velocity, in the base frame.
    pub twist: Twist,
    /// How it is carried.
    pub stance: Stance,
}

/// Where the base shall come to rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Rest {
    /// There, in the odometry frame.
    pub pose_in_odom: Pose2,
    /// Not faster than this [m/s].
    pub speed: f64,
}

/// How the base is carried.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Stance {
    /// Height of the base over the ground [m].
    pub height: f64,
    /// Nose down is positive [rad].
    pub pitch: f64,
    /// Right side down is positive [rad].
    pub roll: f64,
}

impl Stance {
    /// The stance at fraction `t` of the way to `other`.
    #[must_use]
    pub fn mix(&self, other: &Stance, t: f64) -> Stance {
        let mix = |a: f64, b: f64| a + t * (b - a);
        Stance {
            height: mix(self.height, other.height),
            pitch: mix(self.pitch, other.pitch),
            roll: mix(self.roll, other.roll),
        }
    }
}
