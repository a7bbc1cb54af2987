//! Parameters of the local rollout.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of the local rollout.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct RolloutSettings {
    /// Highest speed; a goal may ask for less [m/s].
    #[setting(0.5, positive)]
    pub speed: f64,
    /// Highest turn rate [rad/s].
    #[setting(0.6, positive)]
    pub turn_rate: f64,
    /// Acceleration and deceleration [m/s²]; not more than the drive's.
    #[setting(0.35, positive)]
    pub acceleration: f64,
    /// Acceleration and deceleration of turning [rad/s²]; not more than the drive's.
    #[setting(0.6, positive)]
    pub turn_acceleration: f64,
    /// Rate at which wheel pairs turn to a new direction [rad/s].
    #[setting(2.0, positive)]
    pub steer_rate: f64,
    /// The drive stops to turn a wheel pair by more than this [rad].
    #[setting(0.5, positive)]
    pub steer_jump: f64,
    /// How far ahead rollouts look [s].
    #[setting(2.6, range = 2.0 * self.step..=64.0 * self.step)]
    pub horizon: f64,
    /// From one pose of a rollout to the next [s].
    #[setting(0.2, positive)]
    pub step: f64,
    /// From one choice to the next [s].
    #[setting(0.1, positive)]
    pub interval: f64,
    /// Time between seeing and braking that a rollout must have left before it hits something [s].
    #[setting(0.3, not_negative)]
    pub reaction: f64,
    /// How far ahead on the path the robot aims, at rest [m].
    #[setting(0.35, positive)]
    pub least_look_ahead: f64,
    /// How far ahead on the path the robot aims, as a time at its speed [s].
    #[setting(1.0, not_negative)]
    pub look_ahead_time: f64,
    /// Room that the footprint must have to what is forbidden [m].
    #[setting(0.04, not_negative)]
    pub room: f64,
    /// Room that it likes to have [m].
    #[setting(0.3, above = room)]
    pub comfortable_room: f64,
    /// Cost of ground that nobody has seen, 0 to 1.
    #[setting(0.4, share)]
    pub unknown_cost: f64,
    /// Share of the speed that is left on ground of cost 1, 0 to 1.
    #[setting(0.4, share)]
    pub least_speed_share: f64,
    /// Angle to tipping over below which a rollout is refused [rad].
    #[setting(0.12, not_negative)]
    pub least_margin: f64,
    /// Angle to tipping over that it likes to have [rad].
    #[setting(0.35, above = least_margin)]
    pub comfortable_margin: f64,
    /// Gain from heading error to turn rate [1/s].
    #[setting(1.2, positive)]
    pub heading_gain: f64,
    /// Gain from distance to speed close to the goal [1/s].
    #[setting(1.2, positive)]
    pub distance_gain: f64,
    /// A goal that moves by less than this keeps the latch [m].
    #[setting(0.1, not_negative)]
    pub same_goal_distance: f64,
    /// A goal that turns by less than this keeps the latch [rad].
    #[setting(0.1, not_negative)]
    pub same_goal_angle: f64,
    /// What counts how much.
    pub weights: Weights,
}

/// What counts how much in the choice of a rollout. The unit of the sum is a metre of progress.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Per metre of progress along the path.
    #[setting(1.0, positive)]
    pub progress: f64,
    /// Per metre beside the path.
    #[setting(0.6, not_negative)]
    pub beside: f64,
    /// Per radian away from the wanted heading [m/rad].
    #[setting(0.1, not_negative)]
    pub heading: f64,
    /// Per metre driven on ground of cost 1.
    #[setting(0.6, not_negative)]
    pub cost: f64,
    /// Per metre driven with no room at all.
    #[setting(0.6, not_negative)]
    pub room: f64,
    /// Per metre driven with no margin against tipping over at all.
    #[setting(1.5, not_negative)]
    pub margin: f64,
    /// Per second of the horizon that lies behind something forbidden [m/s].
    #[setting(0.5, not_negative)]
    pub blocked: f64,
    /// Per metre of room that is missing at the end: what comes too near pushes the robot away.
    #[setting(3.0, not_negative)]
    pub pushed: f64,
    /// Per change of velocity by 1 m/s [s].
    #[setting(0.12, not_negative)]
    pub smoothness: f64,
}

impl RolloutSettings {
    /// Poses of a rollout after the first.
    pub(crate) fn steps(&self) -> usize {
        (self.horizon / self.step).round() as usize
    }
}
