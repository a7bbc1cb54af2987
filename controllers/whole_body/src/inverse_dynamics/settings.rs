//! What holds whatever the tasks want.

use robot_model::GRAVITY_IN_WORLD;
use serde::{Deserialize, Serialize};

/// Numbers of the inverse dynamics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, robot_io::Settings)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Gravity in the world, along x, y, z [m/s²].
    #[setting([GRAVITY_IN_WORLD.x, GRAVITY_IN_WORLD.y, GRAVITY_IN_WORLD.z], range = -1000.0..=1000.0)]
    pub gravity_in_world: [f64; 3],
    /// The largest acceleration of a joint [rad/s² or m/s²]; what a joint is taken to be able to brake with.
    #[setting(200.0, range = 0.001..=1e6)]
    pub joint_acceleration: f64,
    /// How far ahead joints look for their limits of position and speed [s]: some control cycles.
    #[setting(0.02, range = 1e-5..=1.0)]
    pub look_ahead: f64,
    /// The share of the model's effort limits that may be used.
    #[setting(1.0, range = 0.001..=10.0)]
    pub effort_share: f64,
    /// The share of the model's speed limits that may be used.
    #[setting(1.0, range = 0.001..=10.0)]
    pub speed_share: f64,
    /// How near capsules that are kept apart may come to each other [m].
    #[setting(0.01, range = 0.0..=1.0)]
    pub least_distance: f64,
    /// With what they are taken to be able to brake before that [m/s²].
    #[setting(10.0, range = 0.001..=1e4)]
    pub distance_braking: f64,
    /// How fast a contact that moves though it should not is stopped [1/s].
    #[setting(20.0, range = 0.0..=1000.0)]
    pub contact_damping: f64,
    /// Singular values that are much smaller than this, relative to the longest row of their level, are not pursued.
    #[setting(1e-4, range = 1e-8..=0.1)]
    pub damping: f64,
}
