//! What the estimator believes about its sensors.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of [`OdometryEstimator`](crate::OdometryEstimator). The standard deviations matter only relative to each
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct OdometrySettings {
    /// How well a wheel rolls without slip along its direction, standard deviation [m/s].
    #[setting(0.01, positive)]
    pub rolling_deviation: f64,
    /// How well a wheel resists sideways, standard deviation [m/s].
    #[setting(0.02, positive)]
    pub sideways_deviation: f64,
    /// How well a wheel stays on the ground plane, standard deviation [m/s]; large for rough ground.
    #[setting(0.05, positive)]
    pub lifting_deviation: f64,
    /// How well the gyroscope measures, standard deviation [rad/s].
    #[setting(0.003, positive)]
    pub gyro_deviation: f64,
    /// Mean slip from which a wheel is believed no more [m/s]: the scale of the Geman–McClure weight.
    #[setting(0.03, positive)]
    pub slip_scale: f64,
    /// Over what time slip is averaged [s]; long enough that the steps of an encoder do not look like slip.
    #[setting(0.05, positive)]
    pub slip_time: f64,
    /// A single reading that is further off than this counts less at once [m/s].
    #[setting(0.5, positive)]
    pub jump: f64,
    /// Over what time the velocity of a robot with no wheel on the ground is forgotten [s].
    #[setting(0.5, positive)]
    pub airborne_time: f64,
    /// No base is faster than this [m/s].
    #[setting(3.0, positive)]
    pub highest_speed: f64,
    /// How fast the attitude follows the accelerometer, less what wheels and legs tell of speeding up, rather than the gyroscope [s].
    #[setting(2.0, positive)]
    pub tilt_time: f64,
    /// Over what time the ground's normal is averaged [s].
    #[setting(0.2, positive)]
    pub ground_time: f64,
    /// Over what time the velocity that is reported is averaged [s].
    #[setting(0.02, positive)]
    pub velocity_time: f64,
    /// Joints of legs, wheels and spine slower than this stand still [rad/s].
    #[setting(0.02, positive)]
    pub standing_joint_speed: f64,
    /// A gyroscope that shows less than this may show nothing but its bias [rad/s].
    #[setting(0.05, positive)]
    pub standing_turn_rate: f64,
    /// How long all must stand still before the robot is taken to stand [s].
    #[setting(0.3, positive)]
    pub standing_time: f64,
    /// How long the robot must have stood before the gyroscope's bias is learnt [s]: legs give way slowly.
    #[setting(1.0, positive)]
    pub settling_time: f64,
    /// For how long the bias is learnt before the robot drives for the first time [s].
    #[setting(2.0, positive)]
    pub learning_time: f64,
    /// A robot that never stands still drives after this time [s].
    #[setting(6.0, positive)]
    pub learning_patience: f64,
    /// Over what time the gyroscope's bias is averaged while standing [s].
    #[setting(2.0, positive)]
    pub bias_time: f64,
    /// A change of velocity that the IMU feels and wheels and legs do not show is a bump from here on [m/s]. Driving over stones and
    /// ridges makes up to a third of it.
    #[setting(0.25, positive)]
    pub bump: f64,
    /// A change of velocity within 0.03 s is a bump for a robot that stood [m/s]; setting out makes up to two thirds.
    #[setting(0.035, positive)]
    pub standing_bump: f64,
    /// A change of the turn rate within 0.15 s is a bump from here on [rad/s]: who is hit beside the middle spins, though the wheels hold.
    /// Driving over stones and ridges makes up to 0.2.
    #[setting(0.7, positive)]
    pub spinning_bump: f64,
}

/// How much of a new value enters a mean over `time` [s] in a step of `dt` [s] (backward Euler).
pub(crate) fn share(dt: f64, time: f64) -> f64 {
    dt / (time + dt)
}
