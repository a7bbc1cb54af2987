//! What the sensors beside the joints report, each in its own frame.

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::{State, StateVisitor, Time};

/// An inertial measurement unit's sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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

impl State for Imu {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("stamp", &mut self.stamp);
        visitor.field("orientation", &mut self.orientation);
        visitor.field("angular_velocity", &mut self.angular_velocity);
        visitor.field("linear_acceleration", &mut self.linear_acceleration);
    }
}

/// A force/torque sensor's sample: what the far side does to the near side, in the sensor frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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

impl State for ForceTorque {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("stamp", &mut self.stamp);
        visitor.field("force", &mut self.force);
        visitor.field("torque", &mut self.torque);
    }
}

/// A contact switch's sample: whether a link touches the ground, and how hard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contact {
    /// When it was measured.
    pub stamp: Time,
    /// True while the link touches something.
    pub touching: bool,
    /// The normal force [N].
    pub force: f64,
}

impl State for Contact {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("stamp", &mut self.stamp);
        visitor.field("touching", &mut self.touching);
        visitor.field("force", &mut self.force);
    }
}

/// A battery monitor's sample.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
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

impl State for Battery {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("stamp", &mut self.stamp);
        visitor.field("voltage", &mut self.voltage);
        visitor.field("current", &mut self.current);
        visitor.field("charge", &mut self.charge);
    }
}
