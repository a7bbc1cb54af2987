//! How a robot steps over an edge.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of crossing an edge one leg at a time. All are chosen for a robot of Momaro's size and measured in
/// `tests/crossing.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct SteppingSettings {
    /// No foot is lifted if the centre of mass would come nearer than this to the edge of the polygon of the wheels that
    /// stay on the ground [m].
    #[setting(0.025, positive)]
    pub least_margin: f64,
    /// A margin that is large enough: more is not worth a way [m].
    #[setting(0.08, positive)]
    pub good_margin: f64,
    /// Distance that a wheel keeps from the edge before it is lifted and after it has been put down [m]; the edge's place
    /// may be wrong by about as much.
    #[setting(0.04, positive)]
    pub edge_distance: f64,
    /// How far a lifted foot clears the higher ground [m].
    #[setting(0.035, positive)]
    pub clearance: f64,
    /// Highest step, up or down [m].
    #[setting(0.22, positive)]
    pub highest_rise: f64,
    /// Widest gap [m].
    #[setting(0.27, positive)]
    pub widest_gap: f64,
    /// Share of its highest effort that no hip or knee of a supporting leg shall need, 0 to 1.
    #[setting(0.9, positive, up_to = 1.0)]
    pub effort_share: f64,
    /// Speed of driving between steps [m/s].
    #[setting(0.15, positive)]
    pub drive_speed: f64,
    /// Acceleration of driving between steps [m/s²].
    #[setting(0.2, positive)]
    pub drive_acceleration: f64,
    /// Highest speed of shifting the base over its feet [m/s].
    #[setting(0.12, positive)]
    pub shift_speed: f64,
    /// Highest speed of a foot in the air [m/s].
    #[setting(0.25, positive)]
    pub swing_speed: f64,
    /// Speed with which a foot is put down [m/s].
    #[setting(0.03, positive)]
    pub lower_speed: f64,
    /// How long a leg takes to give its load to the others, and to take it back [s].
    #[setting(0.6, positive)]
    pub transfer_time: f64,
    /// Force under a foot that counts as a touch [N].
    #[setting(20.0, positive)]
    pub touch_force: f64,
    /// How much deeper than expected a foot is put down before the ground is said to be missing [m].
    #[setting(0.05, positive)]
    pub search_depth: f64,
    /// A lifted foot is put down if the base tilts by more than this beyond its set-point [rad].
    #[setting(0.1, positive)]
    pub largest_tilt: f64,
    /// Largest angle between the robot's heading and the way square to the edge at the start [rad].
    #[setting(0.15, positive)]
    pub largest_heading_error: f64,
    /// Largest distance of the front wheels from where they are lifted at the start [m].
    #[setting(1.0, positive)]
    pub largest_approach: f64,
    /// How far the rear wheels drive on behind the edge, so that nothing is near it [m].
    #[setting(0.2, positive)]
    pub clear_distance: f64,
}
