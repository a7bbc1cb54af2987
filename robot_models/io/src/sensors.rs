//! What the sensors beside the joints report, each in its own frame.

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::{State, Time};

/// An inertial measurement unit's sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State)]
pub struct Imu {
    /// When it was measured.
    pub stamp: Time,
    /// The unit's own attitude estimate: rotates vectors from the IMU frame to a Z-up frame of arbitrary yaw.
    pub orientation: UnitQuaternion<f64>,
    /// Angular velocity of the IMU, in the IMU frame [rad/s].
    pub angular_velocity: Vector3<f64>,
    /// Specific force, in the IMU frame [m/s²]; at rest it points up with 9.81 m/s².
    pub linear_acceleration: Vector3<f64>,
}

impl Default for Imu {
    fn default() -> Self {
        Imu {
            stamp: Time::ZERO,
            orientation: UnitQuaternion::identity(),
            angular_velocity: Vector3::zeros(),
            linear_acceleration: Vector3::zeros(),
        }
    }
}

/// A force/torque sensor's sample: what the far side does to the near side, in the sensor frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State)]
pub struct ForceTorque {
    /// When it was measured.
    pub stamp: Time,
    /// Force [N].
    pub force: Vector3<f64>,
    /// Torque about the sensor's origin [N·m].
    pub torque: Vector3<f64>,
}

impl Default for ForceTorque {
    fn default() -> Self {
        ForceTorque { stamp: Time::ZERO, force: Vector3::zeros(), torque: Vector3::zeros() }
    }
}

/// A contact switch's sample: whether a link touches the ground, and how hard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct Contact {
    /// When it was measured.
    pub stamp: Time,
    /// True while the link touches something.
    pub touching: bool,
    /// The normal force [N].
    pub force: f64,
}

/// A battery monitor's sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct Battery {
    /// When it was measured.
    pub stamp: Time,
    /// Terminal voltage [V].
    pub voltage: f64,
    /// Current drawn [A].
    pub current: f64,
    /// Charge left, 0 to 1.
    pub charge: f64,
}
