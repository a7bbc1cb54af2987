//! Parameters of the local rollout.

use serde::{Deserialize, Serialize};

use crate::NavigationError;
use crate::error::check_all;

/// Parameters of the local rollout.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RolloutSettings {
    /// Highest speed; a goal may ask for less [m/s].
    pub speed: f64,
    /// Highest turn rate [rad/s].
    pub turn_rate: f64,
    /// Acceleration and deceleration [m/s²]; not more than the drive's.
    pub acceleration: f64,
    /// Acceleration and deceleration of turning [rad/s²]; not more than the drive's.
    pub turn_acceleration: f64,
    /// Rate at which wheel pairs turn to a new direction [rad/s].
    pub steer_rate: f64,
    /// The drive stops to turn a wheel pair by more than this [rad].
    pub steer_jump: f64,
    /// How far ahead rollouts look [s].
    pub horizon: f64,
    /// From one pose of a rollout to the next [s].
    pub step: f64,
    /// From one choice to the next [s].
    pub interval: f64,
    /// Time between seeing and braking that a rollout must have left before it hits something [s].
    pub reaction: f64,
    /// How far ahead on the path the robot aims, at rest [m].
    pub least_look_ahead: f64,
    /// How far ahead on the path the robot aims, as a time at its speed [s].
    pub look_ahead_time: f64,
    /// Room that the footprint must have to what is forbidden [m].
    pub room: f64,
    /// Room that it likes to have [m].
    pub comfortable_room: f64,
    /// Cost of ground that nobody has seen, 0 to 1.
    pub unknown_cost: f64,
    /// Share of the speed that is left on ground of cost 1, 0 to 1.
    pub least_speed_share: f64,
    /// Angle to tipping over below which a rollout is refused [rad].
    pub least_margin: f64,
    /// Angle to tipping over that it likes to have [rad].
    pub comfortable_margin: f64,
    /// Gain from heading error to turn rate [1/s].
    pub heading_gain: f64,
    /// Gain from distance to speed close to the goal [1/s].
    pub distance_gain: f64,
    /// A goal that moves by less than this keeps the latch [m].
    pub same_goal_distance: f64,
    /// A goal that turns by less than this keeps the latch [rad].
    pub same_goal_angle: f64,
    /// What counts how much.
    pub weights: Weights,
}

/// What counts how much in the choice of a rollout. The unit of the sum is a metre of progress.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Weights {
    /// Per metre of progress along the path.
    pub progress: f64,
    /// Per metre beside the path.
    pub beside: f64,
    /// Per radian away from the wanted heading [m/rad].
    pub heading: f64,
    /// Per metre driven on ground of cost 1.
    pub cost: f64,
    /// Per metre driven with no room at all.
    pub room: f64,
    /// Per metre driven with no margin against tipping over at all.
    pub margin: f64,
    /// Per second of the horizon that lies behind something forbidden [m/s].
    pub blocked: f64,
    /// Per metre of room that is missing at the end: what comes too near pushes the robot away.
    pub pushed: f64,
    /// Per change of velocity by 1 m/s [s].
    pub smoothness: f64,
}

impl Default for RolloutSettings {
    fn default() -> Self {
        RolloutSettings {
            speed: 0.5,
            turn_rate: 0.6,
            acceleration: 0.35,
            turn_acceleration: 0.6,
            steer_rate: 2.0,
            steer_jump: 0.5,
            horizon: 2.6,
            step: 0.2,
            interval: 0.1,
            reaction: 0.3,
            least_look_ahead: 0.35,
            look_ahead_time: 1.0,
            room: 0.04,
            comfortable_room: 0.3,
            unknown_cost: 0.4,
            least_speed_share: 0.4,
            least_margin: 0.12,
            comfortable_margin: 0.35,
            heading_gain: 1.2,
            distance_gain: 1.2,
            same_goal_distance: 0.1,
            same_goal_angle: 0.1,
            weights: Weights::default(),
        }
    }
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            progress: 1.0,
            beside: 0.6,
            heading: 0.1,
            cost: 0.6,
            room: 0.6,
            margin: 1.5,
            blocked: 0.5,
            pushed: 3.0,
            smoothness: 0.12,
        }
    }
}

impl RolloutSettings {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), NavigationError> {
        let positive = [
            ("rollout.speed [m/s]", self.speed),
            ("rollout.turn_rate [rad/s]", self.turn_rate),
            ("rollout.acceleration [m/s²]", self.acceleration),
            ("rollout.turn_acceleration [rad/s²]", self.turn_acceleration),
            ("rollout.steer_rate [rad/s]", self.steer_rate),
            ("rollout.steer_jump [rad]", self.steer_jump),
            ("rollout.step [s]", self.step),
            ("rollout.interval [s]", self.interval),
            ("rollout.least_look_ahead [m]", self.least_look_ahead),
            ("rollout.comfortable_room - room [m]", self.comfortable_room - self.room),
            ("rollout.comfortable_margin - least_margin [rad]", self.comfortable_margin - self.least_margin),
            ("rollout.heading_gain [1/s]", self.heading_gain),
            ("rollout.distance_gain [1/s]", self.distance_gain),
            ("rollout.weights.progress", self.weights.progress),
        ];
        let not_negative = [
            ("rollout.reaction [s]", self.reaction),
            ("rollout.look_ahead_time [s]", self.look_ahead_time),
            ("rollout.room [m]", self.room),
            ("rollout.least_margin [rad]", self.least_margin),
            ("rollout.same_goal_distance [m]", self.same_goal_distance),
            ("rollout.same_goal_angle [rad]", self.same_goal_angle),
            ("rollout.weights.beside", self.weights.beside),
            ("rollout.weights.heading [m/rad]", self.weights.heading),
            ("rollout.weights.cost", self.weights.cost),
            ("rollout.weights.room", self.weights.room),
            ("rollout.weights.margin", self.weights.margin),
            ("rollout.weights.blocked [m/s]", self.weights.blocked),
            ("rollout.weights.pushed", self.weights.pushed),
            ("rollout.weights.smoothness [s]", self.weights.smoothness),
        ];
        let shares =
            [("rollout.unknown_cost", self.unknown_cost), ("rollout.least_speed_share", self.least_speed_share)];
        check_all(&positive, "a positive number", |value| value > 0.0)?;
        check_all(&not_negative, "a number of at least 0", |value| value >= 0.0)?;
        check_all(&shares, "a number from 0 to 1", |value| (0.0..=1.0).contains(&value))?;
        let steps = [("rollout.horizon / step", self.horizon / self.step)];
        check_all(&steps, "2 to 64", |value| (2.0..=64.0).contains(&value))
    }

    /// Poses of a rollout after the first.
    pub(crate) fn steps(&self) -> usize {
        (self.horizon / self.step).round() as usize
    }
}
