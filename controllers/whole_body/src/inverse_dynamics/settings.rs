//! What holds whatever the tasks want.

use nalgebra::Vector3;
use robot_model::GRAVITY_IN_WORLD;
use serde::{Deserialize, Serialize};

use crate::error::{WholeBodyError, check_number};

/// Numbers of the inverse dynamics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Gravity in the world [m/s²].
    pub gravity_in_world: Vector3<f64>,
    /// The largest acceleration of a joint [rad/s² or m/s²]; what a joint is taken to be able to brake with.
    pub joint_acceleration: f64,
    /// How far ahead joints look for their limits of position and speed [s]: some control cycles.
    pub look_ahead: f64,
    /// The share of the model's effort limits that may be used [1].
    pub effort_share: f64,
    /// The share of the model's speed limits that may be used [1].
    pub speed_share: f64,
    /// How near capsules that are kept apart may come to each other [m].
    pub least_distance: f64,
    /// With what they are taken to be able to brake before that [m/s²].
    pub distance_braking: f64,
    /// How fast a contact that moves though it should not is stopped [1/s].
    pub contact_damping: f64,
    /// Singular values that are much smaller than this, relative to the longest row of their level, are not pursued [1].
    pub damping: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            gravity_in_world: GRAVITY_IN_WORLD,
            joint_acceleration: 200.0,
            look_ahead: 0.02,
            effort_share: 1.0,
            speed_share: 1.0,
            least_distance: 0.01,
            distance_braking: 10.0,
            contact_damping: 20.0,
            damping: 1e-4,
        }
    }
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), WholeBodyError> {
        let part = "settings";
        let gravity = self.gravity_in_world.norm();
        check_number(part, "gravity_in_world", (0.0, 1e3), "m/s²", gravity)?;
        check_number(part, "joint_acceleration", (1e-3, 1e6), "rad/s²", self.joint_acceleration)?;
        check_number(part, "look_ahead", (1e-5, 1.0), "s", self.look_ahead)?;
        check_number(part, "effort_share", (1e-3, 10.0), "1", self.effort_share)?;
        check_number(part, "speed_share", (1e-3, 10.0), "1", self.speed_share)?;
        check_number(part, "least_distance", (0.0, 1.0), "m", self.least_distance)?;
        check_number(part, "distance_braking", (1e-3, 1e4), "m/s²", self.distance_braking)?;
        check_number(part, "contact_damping", (0.0, 1e3), "1/s", self.contact_damping)?;
        check_number(part, "damping", (1e-8, 0.1), "1", self.damping)
    }
}
