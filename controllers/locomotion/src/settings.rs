//! How the robot drives.

use serde::{Deserialize, Serialize};

use crate::health::HealthSettings;
use crate::stepping::SteppingSettings;

/// Parameters of [`Locomotion`](crate::Locomotion).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, robot_io::Settings)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, robot_io::Settings)]
#[serde(default, deny_unknown_fields)]
pub struct DriveSettings {
    /// Highest speed over ground [m/s].
    #[setting(0.9, positive)]
    pub speed: f64,
    /// Highest turn rate [rad/s].
    #[setting(0.8, positive)]
    pub turn_rate: f64,
    /// Highest acceleration [m/s²].
    #[setting(0.5, positive)]
    pub acceleration: f64,
    /// Highest acceleration of turning [rad/s²].
    #[setting(0.8, positive)]
    pub turn_acceleration: f64,
    /// Highest rate of steering [rad/s].
    #[setting(2.0, positive)]
    pub steer_rate: f64,
    /// Highest acceleration of steering [rad/s²].
    #[setting(8.0, positive)]
    pub steer_acceleration: f64,
    /// Steering this close to its target is done, and the wheels may roll [rad].
    #[setting(0.04, positive)]
    pub steer_tolerance: f64,
    /// A pair further than this from its heading stops the robot until it has turned [rad].
    #[setting(0.5, positive)]
    pub steer_jump: f64,
    /// A pair slower than this keeps its heading [m/s].
    #[setting(0.005, positive)]
    pub creep_speed: f64,
    /// How far a wheel may lag behind its reference before the reference waits [rad]; times stiffness it is the effort
    /// with which wheels can fight each other.
    #[setting(0.08, positive)]
    pub wheel_lag: f64,
    /// Share of the weight's pull down a slope that is fed forward to the wheels, 0 to 1.
    #[setting(1.0, share)]
    pub slope_share: f64,
}

/// Parameters of the control of height and attitude.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, robot_io::Settings)]
#[serde(default, deny_unknown_fields)]
pub struct BodySettings {
    /// Proportional gain of pitch and roll, the paper's K_p.
    #[setting(0.8, not_negative)]
    pub gain: f64,
    /// Integral gain [1/s]; the paper has none and keeps an error of 8.3° on a slope of 15°.
    #[setting(2.5, not_negative)]
    pub integral: f64,
    /// Error below which nothing is done, above the wandering of an IMU's attitude [rad].
    #[setting(0.008, not_negative)]
    pub deadband: f64,
    /// First-order lag of the commanded tilt [s].
    #[setting(0.25, positive)]
    pub lag: f64,
    /// Largest tilt of the base relative to the ground [rad].
    #[setting(0.45, positive)]
    pub tilt: f64,
    /// Highest rate of that tilt [rad/s].
    #[setting(0.4, positive)]
    pub tilt_rate: f64,
    /// Highest rate of height [m/s].
    #[setting(0.1, positive)]
    pub height_rate: f64,
    /// Highest speed of feet relative to the base, forward or backward [m/s].
    #[setting(0.05, positive)]
    pub shift_rate: f64,
    /// Part of the stroke that is kept free at both ends [m].
    #[setting(0.01, not_negative)]
    pub stroke_reserve: f64,
    /// How fast legs that carry too much are drawn in [m/s per share of the weight].
    #[setting(0.1, not_negative)]
    pub balance_rate: f64,
    /// Imbalance below which nothing is done, as a share of the weight.
    #[setting(0.08, not_negative)]
    pub balance_deadband: f64,
    /// Largest difference of leg length for balance [m].
    #[setting(0.06, not_negative)]
    pub balance_stroke: f64,
    /// Share of the statically computed joint efforts that is fed forward, 0 to 1.
    #[setting(1.0, share)]
    pub gravity_share: f64,
}

/// When the robot slows down so as not to tip over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, robot_io::Settings)]
#[serde(default, deny_unknown_fields)]
pub struct MarginSettings {
    /// Angle to tipping over below which it drives slower [rad].
    #[setting(0.25, positive)]
    pub slow_angle: f64,
    /// Angle to tipping over at which it drives no more [rad].
    #[setting(0.1, not_negative, below = slow_angle)]
    pub stop_angle: f64,
    /// Share of the speed that is left even then, so that it can drive out of its trouble, 0 to 1.
    #[setting(0.2, share)]
    pub least_speed_share: f64,
}

/// What the joints that do not drive do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, robot_io::Settings)]
#[serde(default, deny_unknown_fields)]
pub struct PostureSettings {
    /// Pose that gives the feet their places.
    #[setting("stand".to_owned())]
    pub stance: String,
    /// Pose of the upper body; empty to hold it as it is at reset.
    #[setting(String::new())]
    pub upper_body: String,
    /// Highest rate of the upper body's joints on the way there [rad/s].
    #[setting(0.5, positive)]
    pub rate: f64,
    /// Rate of joints without end that are no wheels, such as the laser's [rad/s].
    #[setting(core::f64::consts::FRAC_PI_2, not_negative)]
    pub spin_rate: f64,
}
