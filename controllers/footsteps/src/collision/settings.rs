//! How large legs and body are.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// How large legs and body are, and how much room they want. The figures suit a robot of a person's size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct CollisionSettings {
    /// Half the length and half the width of the body, arms included [m].
    #[setting([0.2, 0.33], range = 0.0..=2.0)]
    pub body: [f64; 2],
    /// Room beside that [m]: the body sways over its feet, and arms swing.
    #[setting(0.08, range = 0.0..=1.0)]
    pub room: f64,
    /// What is lower over the feet than this does not touch the body [m].
    #[setting(0.55, positive)]
    pub bottom: f64,
    /// Height of the ankle over the sole [m].
    #[setting(0.1, not_negative)]
    pub ankle: f64,
    /// Height of the knee over the sole [m].
    #[setting(0.45, positive, above = ankle)]
    pub knee: f64,
    /// Half the thickness of a shin [m].
    #[setting(0.06, range = 0.0..=0.5)]
    pub shin: f64,
    /// How far shins lean forward [rad].
    #[setting(0.6, range = 0.0..=1.3)]
    pub lean: f64,
    /// Between a foot in the air and the ground [m].
    #[setting(0.01, range = 0.0..=0.2)]
    pub margin: f64,
    /// While it is set down or lifted, ground may reach so far into it [m]: a map is never so exact.
    #[setting(0.02, range = 0.0..=0.1)]
    pub bump: f64,
    /// The largest clearance that the gait may be asked for [m].
    #[setting(0.25, range = 0.0..=0.5)]
    pub clearance: f64,
}
