//! Sensors and where they sit.

use nalgebra::Isometry3;

/// An inertial measurement unit.
#[derive(Clone, Debug, PartialEq)]
pub struct ImuMount {
    /// Its name.
    pub name: String,
    /// The link that carries it.
    pub link: usize,
    /// Pose of the sensor's frame in the link's frame (file: `xyz` [m], `rpy` [rad]).
    pub pose_in_link: Isometry3<f64>,
    /// White noise of the gyroscope [rad/s/√Hz].
    pub gyro_noise_density: f64,
    /// Random walk of the gyroscope's bias [rad/s²/√Hz].
    pub gyro_bias_walk: f64,
    /// White noise of the accelerometer [m/s²/√Hz].
    pub accel_noise_density: f64,
    /// Random walk of the accelerometer's bias [m/s³/√Hz].
    pub accel_bias_walk: f64,
    /// Standard deviation of the unit's own attitude estimate, about each axis [rad].
    pub attitude_noise: f64,
    /// Samples per second [Hz].
    pub rate_hz: f64,
}

/// A force/torque sensor.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceTorqueMount {
    /// Its name.
    pub name: String,
    /// The joint whose reaction it measures, in the frame of the joint's child link.
    pub joint: usize,
    /// Standard deviation of one force reading, each axis [N].
    pub force_noise: f64,
    /// Standard deviation of one torque reading, each axis [N·m].
    pub torque_noise: f64,
}

/// A contact switch.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactMount {
    /// Its name.
    pub name: String,
    /// The link whose contacts it feels.
    pub link: usize,
    /// Normal force from which it closes [N].
    pub threshold: f64,
    /// Standard deviation of one force reading [N].
    pub force_noise: f64,
}

/// A battery.
#[derive(Clone, Debug, PartialEq)]
pub struct BatteryMount {
    /// Its name.
    pub name: String,
    /// Energy when full [W·h].
    pub energy_wh: f64,
    /// Open-circuit voltage [V].
    pub voltage: f64,
    /// Internal resistance [Ω].
    pub internal_resistance: f64,
    /// Drawn by computers, sensors and idle drives [W].
    pub idle_power_w: f64,
}
