//! What the estimator believes about its sensors.

use serde::{Deserialize, Serialize};

use crate::EstimationError;

/// Parameters of [`OdometryEstimator`](crate::OdometryEstimator). The standard deviations matter only relative to each
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OdometrySettings {
    /// How well a wheel rolls without slip along its direction, standard deviation [m/s].
    pub rolling_deviation: f64,
    /// How well a wheel resists sideways, standard deviation [m/s].
    pub sideways_deviation: f64,
    /// How well a wheel stays on the ground plane, standard deviation [m/s]; large for rough ground.
    pub lifting_deviation: f64,
    /// How well the gyroscope measures, standard deviation [rad/s].
    pub gyro_deviation: f64,
    /// Mean slip from which a wheel is believed no more [m/s]: the scale of the Geman–McClure weight.
    pub slip_scale: f64,
    /// Over what time slip is averaged [s]; long enough that the steps of an encoder do not look like slip.
    pub slip_time: f64,
    /// A single reading that is further off than this counts less at once [m/s].
    pub jump: f64,
    /// Over what time the velocity of a robot with no wheel on the ground is forgotten [s].
    pub airborne_time: f64,
    /// No base is faster than this [m/s].
    pub highest_speed: f64,
    /// How fast the attitude follows the IMU's own estimate rather than the gyroscope [s].
    pub tilt_time: f64,
    /// Over what time the ground's normal is averaged [s].
    pub ground_time: f64,
    /// Over what time the velocity that is reported is averaged [s].
    pub velocity_time: f64,
    /// Joints of legs, wheels and spine slower than this stand still [rad/s].
    pub standing_joint_speed: f64,
    /// A gyroscope that shows less than this may show nothing but its bias [rad/s].
    pub standing_turn_rate: f64,
    /// How long all must stand still before the robot is taken to stand [s].
    pub standing_time: f64,
    /// Over what time the gyroscope's bias is averaged while standing [s].
    pub bias_time: f64,
    /// A change of velocity that the IMU feels and wheels and legs do not show is a bump from here on [m/s]. Driving over stones and
    /// ridges makes up to a third of it.
    pub bump: f64,
    /// A change of velocity within 0.03 s is a bump for a robot that stood [m/s]; setting out makes up to two thirds.
    pub standing_bump: f64,
    /// A change of the turn rate within 0.15 s is a bump from here on [rad/s]: who is hit beside the middle spins, though the wheels hold.
    /// Driving over stones and ridges makes up to 0.2.
    pub spinning_bump: f64,
}

impl Default for OdometrySettings {
    fn default() -> Self {
        OdometrySettings {
            rolling_deviation: 0.01,
            sideways_deviation: 0.02,
            lifting_deviation: 0.05,
            gyro_deviation: 0.003,
            slip_scale: 0.03,
            slip_time: 0.05,
            jump: 0.5,
            airborne_time: 0.5,
            highest_speed: 3.0,
            tilt_time: 0.2,
            ground_time: 0.2,
            velocity_time: 0.02,
            standing_joint_speed: 0.02,
            standing_turn_rate: 0.05,
            standing_time: 0.3,
            bias_time: 2.0,
            bump: 0.25,
            standing_bump: 0.035,
            spinning_bump: 0.7,
        }
    }
}

impl OdometrySettings {
    /// Refuses what is not a positive number.
    pub fn check(&self) -> Result<(), EstimationError> {
        let fields = [
            ("rolling_deviation", self.rolling_deviation),
            ("sideways_deviation", self.sideways_deviation),
            ("lifting_deviation", self.lifting_deviation),
            ("gyro_deviation", self.gyro_deviation),
            ("slip_scale", self.slip_scale),
            ("slip_time", self.slip_time),
            ("jump", self.jump),
            ("airborne_time", self.airborne_time),
            ("highest_speed", self.highest_speed),
            ("tilt_time", self.tilt_time),
            ("ground_time", self.ground_time),
            ("velocity_time", self.velocity_time),
            ("standing_joint_speed", self.standing_joint_speed),
            ("standing_turn_rate", self.standing_turn_rate),
            ("standing_time", self.standing_time),
            ("bias_time", self.bias_time),
            ("bump", self.bump),
            ("standing_bump", self.standing_bump),
            ("spinning_bump", self.spinning_bump),
        ];
        match fields.into_iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
            Some((field, found)) => Err(EstimationError::Setting { field, expected: "a positive number", found }),
            None => Ok(()),
        }
    }
}

/// How much of a new value enters a mean over `time` [s] in a step of `dt` [s] (backward Euler).
pub(crate) fn share(dt: f64, time: f64) -> f64 {
    dt / (time + dt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_zero_is_refused_by_name() {
        let settings = OdometrySettings { slip_time: 0.0, ..OdometrySettings::default() };
        let message = settings.check().map_err(|error| error.to_string());
        assert_eq!(message, Err("odometry setting slip_time: expected a positive number, found 0".to_owned()));
        assert_eq!(OdometrySettings::default().check(), Ok(()));
    }
}
