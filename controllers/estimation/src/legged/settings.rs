//! What the estimator of a walking robot believes about its sensors.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of [`LeggedEstimator`](crate::LeggedEstimator). What the IMU's noise is, the robot's file says.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct LeggedSettings {
    /// A foot that carries this share of the weight stands.
    #[setting(0.08, share)]
    pub touch: f64,
    /// A foot that carries less than this share of the weight stands no more.
    #[setting(0.04, share)]
    pub lift: f64,
    /// How well the joints tell where a foot is seen from the IMU, standard deviation [m].
    #[setting(0.002, positive)]
    pub kinematics_deviation: f64,
    /// How fast a foot that carries half of the weight or more may wander on the ground [m/s/√Hz]; one that carries less may wander faster, up to ten times.
    #[setting(0.002, positive)]
    pub creep: f64,
    /// How fast a foot may wander that has stood for `rest_time` [m/s/√Hz]: two such feet tell the gyroscope's bias.
    #[setting(5e-5, positive)]
    pub rest_creep: f64,
    /// After so long a foot is at rest [s]; longer than a step lasts.
    #[setting(1.2, positive)]
    pub rest_time: f64,
    /// A foot that is seen so many standard deviations from where it stood has slipped, and stands anew.
    #[setting(6.0, positive)]
    pub slip_gate: f64,
    /// What comes to the gyroscope's noise where a robot walks, as if its scale erred [rad/s/√Hz].
    #[setting(0.0005, positive)]
    pub gyro_density: f64,
    /// What comes to the accelerometer's noise where a robot walks: structures ring [m/s²/√Hz].
    #[setting(0.02, positive)]
    pub accel_density: f64,
    /// How well the unit's own attitude tells where up is at the start, standard deviation [rad].
    #[setting(0.01, positive)]
    pub start_tilt: f64,
}
