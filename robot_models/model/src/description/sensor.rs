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
    /// Its gyroscopes: rates in rad/s.
    pub gyroscope: TriadErrors,
    /// Its accelerometers: specific forces in m/s².
    pub accelerometer: TriadErrors,
    /// Time constant in which the unit's own attitude filter levels itself by its accelerometers [s].
    pub attitude_time: f64,
    /// Samples per second [Hz].
    pub rate_hz: f64,
}

/// What is wrong with three gyroscopes or accelerometers, in the unit u of what they measure.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TriadErrors {
    /// White noise [u/√Hz].
    pub noise_density: f64,
    /// Random walk of the bias [u/s/√Hz].
    pub bias_walk: f64,
    /// Standard deviation of the bias when switched on, each axis [u].
    pub turn_on_bias: f64,
    /// Standard deviation of an axis' scale, as a share of what it measures [1].
    pub scale_error: f64,
    /// Standard deviation of how far an axis points towards each of the others [rad].
    pub misalignment: f64,
}

/// A force/torque sensor.
#[derive(Clone, Debug, PartialEq)]
pub struct ForceTorqueMount {
    /// Its name.
    pub name: String,
    /// The link on the far side of the joint in which it sits, fixed or moving (file: `joint`); it measures in this link's frame.
    pub link: usize,
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
