//! How the robot drives.

use serde::{Deserialize, Serialize};

use crate::LocomotionError;
use crate::error::check_all;
use crate::health::HealthSettings;
use crate::stepping::SteppingSettings;

/// Parameters of [`Locomotion`](crate::Locomotion).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Wheels and steering.
    pub drive: DriveSettings,
    /// Height and attitude of the base.
    pub body: BodySettings,
    /// When the robot slows down so as not to tip over.
    pub margin: MarginSettings,
    /// What the joints that do not drive do.
    pub posture: PostureSettings,
    /// When a motor is taken to be broken.
    pub health: HealthSettings,
    /// Stepping over edges.
    pub stepping: SteppingSettings,
}

/// Parameters of [`OmniDrive`](crate::OmniDrive) and of the wheels.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DriveSettings {
    /// Highest speed over ground [m/s].
    pub speed: f64,
    /// Highest turn rate [rad/s].
    pub turn_rate: f64,
    /// Highest acceleration [m/s²].
    pub acceleration: f64,
    /// Highest acceleration of turning [rad/s²].
    pub turn_acceleration: f64,
    /// Highest rate of steering [rad/s].
    pub steer_rate: f64,
    /// Highest acceleration of steering [rad/s²].
    pub steer_acceleration: f64,
    /// Steering this close to its target is done, and the wheels may roll [rad].
    pub steer_tolerance: f64,
    /// A pair further than this from its heading stops the robot until it has turned [rad].
    pub steer_jump: f64,
    /// A pair slower than this keeps its heading [m/s].
    pub creep_speed: f64,
    /// How far a wheel may lag behind its reference before the reference waits [rad]; times stiffness it is the effort
    /// with which wheels can fight each other.
    pub wheel_lag: f64,
    /// Share of the weight's pull down a slope that is fed forward to the wheels, 0 to 1.
    pub slope_share: f64,
}

/// Parameters of the control of height and attitude.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BodySettings {
    /// Proportional gain of pitch and roll, the paper's K_p.
    pub gain: f64,
    /// Integral gain [1/s]; the paper has none and keeps an error of 8.3° on a slope of 15°.
    pub integral: f64,
    /// Error below which nothing is done, above the wandering of an IMU's attitude [rad].
    pub deadband: f64,
    /// First-order lag of the commanded tilt [s].
    pub lag: f64,
    /// Largest tilt of the base relative to the ground [rad].
    pub tilt: f64,
    /// Highest rate of that tilt [rad/s].
    pub tilt_rate: f64,
    /// Highest rate of height [m/s].
    pub height_rate: f64,
    /// Highest speed of feet relative to the base, forward or backward [m/s].
    pub shift_rate: f64,
    /// Part of the stroke that is kept free at both ends [m].
    pub stroke_reserve: f64,
    /// How fast legs that carry too much are drawn in [m/s per share of the weight].
    pub balance_rate: f64,
    /// Imbalance below which nothing is done, as a share of the weight.
    pub balance_deadband: f64,
    /// Largest difference of leg length for balance [m].
    pub balance_stroke: f64,
    /// Share of the statically computed joint efforts that is fed forward, 0 to 1.
    pub gravity_share: f64,
}

/// When the robot slows down so as not to tip over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MarginSettings {
    /// Angle to tipping over below which it drives slower [rad].
    pub slow_angle: f64,
    /// Angle to tipping over at which it drives no more [rad].
    pub stop_angle: f64,
    /// Share of the speed that is left even then, so that it can drive out of its trouble, 0 to 1.
    pub least_speed_share: f64,
}

/// What the joints that do not drive do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PostureSettings {
    /// Pose that gives the feet their places.
    pub stance: String,
    /// Pose of the upper body; empty to hold it as it is at reset.
    pub upper_body: String,
    /// Highest rate of the upper body's joints on the way there [rad/s].
    pub rate: f64,
    /// Rate of joints without end that are no wheels, such as the laser's [rad/s].
    pub spin_rate: f64,
}

impl Default for DriveSettings {
    fn default() -> Self {
        DriveSettings {
            speed: 0.9,
            turn_rate: 0.8,
            acceleration: 0.5,
            turn_acceleration: 0.8,
            steer_rate: 2.0,
            steer_acceleration: 8.0,
            steer_tolerance: 0.04,
            steer_jump: 0.5,
            creep_speed: 0.005,
            wheel_lag: 0.08,
            slope_share: 1.0,
        }
    }
}

impl Default for BodySettings {
    fn default() -> Self {
        BodySettings {
            gain: 0.8,
            integral: 2.5,
            deadband: 0.008,
            lag: 0.25,
            tilt: 0.45,
            tilt_rate: 0.4,
            height_rate: 0.1,
            shift_rate: 0.05,
            stroke_reserve: 0.01,
            balance_rate: 0.1,
            balance_deadband: 0.08,
            balance_stroke: 0.06,
            gravity_share: 1.0,
        }
    }
}

impl Default for MarginSettings {
    fn default() -> Self {
        MarginSettings { slow_angle: 0.25, stop_angle: 0.1, least_speed_share: 0.2 }
    }
}

impl Default for PostureSettings {
    fn default() -> Self {
        let (stance, upper_body) = ("stand".to_owned(), String::new());
        PostureSettings { stance, upper_body, rate: 0.5, spin_rate: core::f64::consts::FRAC_PI_2 }
    }
}

impl Settings {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), LocomotionError> {
        let (drive, body, margin) = (&self.drive, &self.body, &self.margin);
        let positive = [
            ("drive.speed", drive.speed),
            ("drive.turn_rate", drive.turn_rate),
            ("drive.acceleration", drive.acceleration),
            ("drive.turn_acceleration", drive.turn_acceleration),
            ("drive.steer_rate", drive.steer_rate),
            ("drive.steer_acceleration", drive.steer_acceleration),
            ("drive.steer_tolerance", drive.steer_tolerance),
            ("drive.steer_jump", drive.steer_jump),
            ("drive.creep_speed", drive.creep_speed),
            ("drive.wheel_lag", drive.wheel_lag),
            ("body.lag", body.lag),
            ("body.tilt", body.tilt),
            ("body.tilt_rate", body.tilt_rate),
            ("body.height_rate", body.height_rate),
            ("body.shift_rate", body.shift_rate),
            ("margin.slow_angle", margin.slow_angle),
            ("posture.rate", self.posture.rate),
        ];
        let not_negative = [
            ("drive.slope_share", drive.slope_share),
            ("body.gain", body.gain),
            ("body.integral", body.integral),
            ("body.deadband", body.deadband),
            ("body.stroke_reserve", body.stroke_reserve),
            ("body.balance_rate", body.balance_rate),
            ("body.balance_deadband", body.balance_deadband),
            ("body.balance_stroke", body.balance_stroke),
            ("body.gravity_share", body.gravity_share),
            ("margin.stop_angle", margin.stop_angle),
            ("margin.least_speed_share", margin.least_speed_share),
            ("posture.spin_rate", self.posture.spin_rate),
        ];
        check_all(&positive, "a positive number", |value| value > 0.0)?;
        check_all(&not_negative, "a number of at least 0", |value| value >= 0.0)?;
        if margin.stop_angle >= margin.slow_angle {
            let expected = format!("less than margin.slow_angle {}", margin.slow_angle);
            let found = margin.stop_angle.to_string();
            return Err(LocomotionError::Setting { field: "margin.stop_angle", expected, found });
        }
        self.health.check()?;
        self.stepping.check()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_setting_that_cannot_be_is_refused_by_name_with_its_number() {
        let mut settings = Settings::default();
        assert_eq!(settings.check(), Ok(()));
        settings.drive.speed = -1.0;
        let message = settings.check().unwrap_err().to_string();
        assert_eq!(message, "locomotion setting drive.speed: expected a positive number, found -1");
        settings.drive.speed = 0.5;
        settings.margin.stop_angle = 0.3;
        let message = settings.check().unwrap_err().to_string();
        assert_eq!(
            message,
            "locomotion setting margin.stop_angle: expected less than margin.slow_angle 0.25, found 0.3"
        );
    }
}
