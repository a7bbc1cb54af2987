//! What the global search prefers.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of the global search. Costs are metres of easy ground.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// A metre of the worst ground that is not forbidden costs this many metres more than one of the best.
    #[setting(4.0, not_negative)]
    pub caution: f64,
    /// A metre sideways costs this many metres more than one forwards, where the place is too narrow to turn.
    #[setting(0.5, not_negative)]
    pub sideways: f64,
    /// A metre backwards costs this many metres more than one forwards, where the place is too narrow to turn.
    #[setting(0.3, not_negative)]
    pub backwards: f64,
    /// What a turn costs [m/rad], where the place is too narrow to turn freely.
    #[setting(0.2, not_negative)]
    pub turning: f64,
    /// A metre with no room beside the outline costs this many metres more, one with half of the room that the rollout asks for half as
    /// many: a longer way round is better.
    #[setting(20.0, not_negative)]
    pub squeezing: f64,
    /// How far a robot that stands where it must not may drive to get free [m].
    #[setting(1.0, not_negative)]
    pub escape: f64,
    /// A metre of such an escape costs this many metres.
    #[setting(20.0, not_negative)]
    pub escape_cost: f64,
    /// What it costs to step over an edge, beside the way itself [m].
    #[setting(10.0, not_negative)]
    pub edge: f64,
    /// Distance between the poses of a plan [m].
    #[setting(0.2, positive)]
    pub spacing: f64,
}
