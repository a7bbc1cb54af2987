//! How a robot on two feet is moved.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

use crate::steps_settings::StepsSettings;

/// Parameters of [`Walking`](crate::Walking).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct WalkingSettings {
    /// What the estimator believes about its sensors.
    pub estimation: estimation::LeggedSettings,
    /// How the robot steps.
    pub gait: walking::GaitSettings,
    /// How footsteps are planned and taken.
    pub steps: StepsSettings,
    /// How the whole body follows.
    pub body: BodySettings,
    /// How it falls.
    pub fall: crate::FallSettings,
    /// When a drive is taken to be broken.
    pub drives: DriveSettings,
}

/// When a drive is taken to be broken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct DriveSettings {
    /// False to watch nothing.
    #[setting(true)]
    pub watch: bool,
    /// A drive that says that it has a fault or is off is believed after this time [s].
    #[setting(0.05, not_negative)]
    pub status_time: f64,
    /// Torques are averaged over this time [s].
    #[setting(0.1, positive)]
    pub average: f64,
    /// What is felt may differ from what was asked by this share of it.
    #[setting(0.3, positive)]
    pub share: f64,
    /// … by this share of the peak effort …
    #[setting(0.03, not_negative)]
    pub floor: f64,
    /// … and by so many times the gear's friction.
    #[setting(1.3, not_negative)]
    pub friction: f64,
    /// A drive that gives nothing would explain what is felt so much better: its error is no more than this share of the other.
    #[setting(0.4, range = 0.01..=1.0)]
    pub dead: f64,
    /// For how long it must differ by more [s].
    #[setting(0.1, not_negative)]
    pub effort_time: f64,
}

/// How the whole body follows the gait.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct BodySettings {
    /// From one solution of the whole body to the next [s].
    #[setting(0.002, positive)]
    pub interval: f64,
    /// Friction that is counted on between soles and ground.
    #[setting(0.5, positive)]
    pub friction: f64,
    /// Pressure stays so far inside the edges of the soles [m].
    #[setting(0.01, not_negative)]
    pub inset: f64,
    /// How fast the servos' references are drawn to what is measured [1/s].
    #[setting(20.0, positive)]
    pub forget: f64,
    /// How fast the torque that is felt at a link is brought to what is wanted there [1/s]: friction is not known well.
    #[setting(5.0, not_negative)]
    pub trim: f64,
    /// Damping ratio that a rotor's swing on its spring is given by the torque that is felt there. A bus' delay allows no more.
    #[setting(0.2, not_negative)]
    pub resonance: f64,
    /// Share of the servos' own gains.
    #[setting(0.5, positive)]
    pub gains: f64,
    /// Share of it with which ankles hold a sole that has come down and does not lie yet.
    #[setting(0.1, positive)]
    pub landing_gains: f64,
    /// How long they do so at most [s].
    #[setting(0.25, not_negative)]
    pub landing: f64,
    /// Natural frequency of the centre of mass' height and of the trunk's attitude [rad/s].
    #[setting(12.0, positive)]
    pub trunk: f64,
    /// Natural frequency of a foot in the air, and of the head's joints [rad/s].
    #[setting(25.0, positive)]
    pub foot: f64,
    /// Natural frequency of the joints' places [rad/s].
    #[setting(8.0, positive)]
    pub posture: f64,
    /// Knees stay bent by this at least [rad], from where the way from the leg's first joint to the sole is longest.
    #[setting(0.2, not_negative)]
    pub knee_bend: f64,
    /// The head's joints turn against what turns the body, as far as it does so within this time [s].
    #[setting(0.5, range = 0.05..=10.0)]
    pub gaze_time: f64,
    /// How far each of them goes beside its place for that at most [rad]; with 0 the head goes with the body.
    #[setting(0.3, not_negative)]
    pub gaze_most: f64,
    /// How much the centre of mass counts across the ground, where a foot in the air counts 1.
    #[setting(100.0, positive)]
    pub com_weight: f64,
    /// How much its height counts. Less than the above: with feet wide apart legs are too short to keep it.
    #[setting(3.0, positive)]
    pub height_weight: f64,
    /// How much an upright trunk counts.
    #[setting(10.0, positive)]
    pub trunk_weight: f64,
    /// How much the place of each leg's joint counts: it decides only what nothing else does, for it pulls against the centre of mass.
    #[setting(0.001, positive)]
    pub leg_weight: f64,
    /// How much each joint's place counts that is in no leg.
    #[setting(0.1, positive)]
    pub posture_weight: f64,
}
