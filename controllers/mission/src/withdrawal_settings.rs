//! How a touched hand is drawn back.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// When a touch of the skin draws an arm back, how far, and how fast. The law's paper gives no figures: these are ours, and the same for every
/// robot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct WithdrawalSettings {
    /// False to feel touches and do nothing about them.
    #[setting(true)]
    pub reflex: bool,
    /// The law from touches to a displacement.
    pub law: LawSettings,
    /// An arm that is drawn back goes on until touches are weaker than this [N].
    #[setting(1.0, not_negative)]
    pub release: f64,
    /// How fast the touched place is drawn back at most [m/s].
    #[setting(0.6, positive)]
    pub speed: f64,
    /// How quickly it gets up to that speed [m/s²].
    #[setting(8.0, positive)]
    pub acceleration: f64,
    /// How far it goes at most while it is touched again and again [m].
    #[setting(0.3, positive)]
    pub farthest: f64,
    /// How long it stays away after the last touch [s].
    #[setting(1.5, not_negative)]
    pub rest: f64,
    /// How long the way back takes at least [s].
    #[setting(1.5, positive)]
    pub back: f64,
    /// A hand grips if one of its fingers is kept this far from where it is told to be [rad or m]; what it grips does not draw it back.
    #[setting(0.15, positive)]
    pub grip: f64,
}

/// The law from touches to a displacement.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct LawSettings {
    /// Weaker touches are left alone: the paper's δ [N].
    #[setting(4.0, not_negative)]
    pub threshold: f64,
    /// From this force on the way is as long as it gets: the inverse of the paper's φ [N].
    #[setting(10.0, positive)]
    pub full_force: f64,
    /// Radius r of a field of skin [m].
    #[setting(0.1, positive)]
    pub radius: f64,
    /// How far the middle of a field is drawn back: the paper's motion Θ, here of the touched place and not of joints [m].
    #[setting(0.2, positive)]
    pub way: f64,
}
