//! Numbers of the gait.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

use crate::adjust::AdjustSettings;
use crate::balance::TrackSettings;
use crate::footstep::Reach;
use crate::swing::SwingSettings;

/// How the robot walks. The figures are ours, for a robot of a person's size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct GaitSettings {
    /// Cycle time [s].
    #[setting(0.001, range = 1e-4..=0.02)]
    pub cycle: f64,
    /// Height of the centre of mass over the soles [m].
    #[setting(0.95, range = 0.1..=3.0)]
    pub com_height: f64,
    /// Lowest and highest that it can be asked for [m].
    #[setting([0.6, 1.0], range = 0.1..=3.0)]
    pub heights: [f64; 2],
    /// How fast it changes while standing [m/s].
    #[setting(0.1, positive)]
    pub height_speed: f64,
    /// Between the middles of the soles [m].
    #[setting(0.28, range = 0.05..=1.0)]
    pub width: f64,
    /// Time on one foot [s].
    #[setting(0.5, range = 0.1..=5.0)]
    pub single: f64,
    /// Time on both feet between two steps [s].
    #[setting(0.12, range = 0.02..=5.0)]
    pub both: f64,
    /// Time from standing to the first step, and from the last step to standing [s].
    #[setting(0.6, range = 0.05..=5.0)]
    pub shift: f64,
    /// The same before a step that a push makes necessary [s].
    #[setting(0.06, range = 0.01..=1.0)]
    pub hurry: f64,
    /// Highest velocity: forward [m/s], sideways [m/s], turning [rad/s].
    #[setting([0.8, 0.25, 0.5], not_negative)]
    pub fastest: [f64; 3],
    /// How fast the velocity changes [m/s²], [rad/s²].
    #[setting(0.5, positive)]
    pub acceleration: f64,
    /// Feet that stand so near to where they are sent stay there [m] …
    #[setting(0.01, range = 0.001..=0.1)]
    pub near: f64,
    /// … and turned so [rad].
    #[setting(0.015, range = 0.001..=0.1)]
    pub near_turned: f64,
    /// Pressure stays so far inside the edges of the soles [m].
    #[setting(0.008, range = 0.0..=0.1)]
    pub inset: f64,
    /// A foot that lands with the DCM farther off than this takes another step before the robot stands [m].
    #[setting(0.04, positive)]
    pub calm: f64,
    /// No foot is lifted while the DCM is nearer to it than planned by more than this, and both feet can hold it [m].
    #[setting(0.03, positive)]
    pub inward: f64,
    /// A robot that shall stop and lands with the DCM so far inside its soles' outline first comes to rest as it stands [m].
    #[setting(0.04, positive)]
    pub rest: f64,
    /// A foot with more than this touches ground [N].
    #[setting(60.0, positive)]
    pub touch: f64,
    /// Where feet can stand.
    pub reach: Reach,
    /// How steps are adjusted.
    pub adjust: AdjustSettings,
    /// How feet swing.
    pub swing: SwingSettings,
    /// How the DCM is followed.
    pub track: TrackSettings,
}
