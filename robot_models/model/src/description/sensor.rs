//! Sensors and where they sit.

use nalgebra::Isometry3;
use page::{Fault, Fields, Range};

use super::names;
use super::numbers::{RATE, SHARE, noise};
use crate::Tree;

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

impl ImuMount {
    pub(super) fn read(fields: &mut Fields<'_>, name: String, tree: &Tree) -> Result<ImuMount, Fault> {
        let (link, pose_in_link) = names::place(fields, tree)?;
        let gyroscope = TriadErrors {
            noise_density: fields.number("gyro_noise_density", noise("rad/s/√Hz"))?,
            bias_walk: fields.number("gyro_bias_walk", noise("rad/s²/√Hz"))?,
            turn_on_bias: fields.number("gyro_turn_on_bias", noise("rad/s"))?,
            scale_error: fields.number("scale_error", SHARE)?,
            misalignment: fields.number("misalignment", Range { unit: "rad", ..SHARE })?,
        };
        let accelerometer = TriadErrors {
            noise_density: fields.number("accel_noise_density", noise("m/s²/√Hz"))?,
            bias_walk: fields.number("accel_bias_walk", noise("m/s³/√Hz"))?,
            turn_on_bias: fields.number("accel_turn_on_bias", noise("m/s²"))?,
            ..gyroscope
        };
        let attitude_time = fields.number("attitude_time", Range::new(1e-4, 1e4, "s"))?;
        let rate_hz = fields.number("rate_hz", RATE)?;
        Ok(ImuMount { name, link, pose_in_link, gyroscope, accelerometer, attitude_time, rate_hz })
    }
}

impl ForceTorqueMount {
    pub(super) fn read(fields: &mut Fields<'_>, name: String, tree: &Tree) -> Result<ForceTorqueMount, Fault> {
        Ok(ForceTorqueMount {
            name,
            link: names::moved_or_fixed(&fields.need("joint", "the name of a joint")?, tree)?,
            force_noise: fields.number("force_noise", noise("N"))?,
            torque_noise: fields.number("torque_noise", noise("N·m"))?,
        })
    }
}

impl ContactMount {
    pub(super) fn read(fields: &mut Fields<'_>, name: String, tree: &Tree) -> Result<ContactMount, Fault> {
        Ok(ContactMount {
            name,
            link: names::link(&fields.need("link", "the name of a link")?, tree)?,
            threshold: fields.number("threshold", Range::new(0.0, 1e6, "N"))?,
            force_noise: fields.number("force_noise", noise("N"))?,
        })
    }
}

impl BatteryMount {
    pub(super) fn read(fields: &mut Fields<'_>, name: String) -> Result<BatteryMount, Fault> {
        Ok(BatteryMount {
            name,
            energy_wh: fields.number("energy_wh", Range::new(1e-6, 1e9, "W·h"))?,
            voltage: fields.number("voltage", Range::new(1e-3, 1e5, "V"))?,
            internal_resistance: fields.number("internal_resistance", Range::new(0.0, 1e4, "Ω"))?,
            idle_power_w: fields.number("idle_power_w", Range::new(0.0, 1e7, "W"))?,
        })
    }
}
