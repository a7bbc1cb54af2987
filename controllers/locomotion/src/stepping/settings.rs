//! How a robot steps over an edge.

use serde::{Deserialize, Serialize};

use crate::LocomotionError;
use crate::error::check_all;

/// Parameters of crossing an edge one leg at a time. All are chosen for a robot of Momaro's size and measured in
/// `tests/crossing.rs`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SteppingSettings {
    /// No foot is lifted if the centre of mass would come nearer than this to the edge of the polygon of the wheels that
    /// stay on the ground [m].
    pub least_margin: f64,
    /// A margin that is large enough: more is not worth a way [m].
    pub good_margin: f64,
    /// Distance that a wheel keeps from the edge before it is lifted and after it has been put down [m]; the edge's place
    /// may be wrong by about as much.
    pub edge_distance: f64,
    /// How far a lifted foot clears the higher ground [m].
    pub clearance: f64,
    /// Highest step, up or down [m].
    pub highest_rise: f64,
    /// Widest gap [m].
    pub widest_gap: f64,
    /// Share of its highest effort that no hip or knee of a supporting leg shall need, 0 to 1.
    pub effort_share: f64,
    /// Speed of driving between steps [m/s].
    pub drive_speed: f64,
    /// Acceleration of driving between steps [m/s²].
    pub drive_acceleration: f64,
    /// Highest speed of shifting the base over its feet [m/s].
    pub shift_speed: f64,
    /// Highest speed of a foot in the air [m/s].
    pub swing_speed: f64,
    /// Speed with which a foot is put down [m/s].
    pub lower_speed: f64,
    /// How long a leg takes to give its load to the others, and to take it back [s].
    pub transfer_time: f64,
    /// Force under a foot that counts as a touch [N].
    pub touch_force: f64,
    /// How much deeper than expected a foot is put down before the ground is said to be missing [m].
    pub search_depth: f64,
    /// A lifted foot is put down if the base tilts by more than this beyond its set-point [rad].
    pub largest_tilt: f64,
    /// Largest angle between the robot's heading and the way square to the edge at the start [rad].
    pub largest_heading_error: f64,
    /// Largest distance of the front wheels from where they are lifted at the start [m].
    pub largest_approach: f64,
    /// How far the rear wheels drive on behind the edge, so that nothing is near it [m].
    pub clear_distance: f64,
}

impl Default for SteppingSettings {
    fn default() -> Self {
        SteppingSettings {
            least_margin: 0.025,
            good_margin: 0.08,
            edge_distance: 0.04,
            clearance: 0.035,
            highest_rise: 0.22,
            widest_gap: 0.27,
            effort_share: 0.9,
            drive_speed: 0.15,
            drive_acceleration: 0.2,
            shift_speed: 0.12,
            swing_speed: 0.25,
            lower_speed: 0.03,
            transfer_time: 0.6,
            touch_force: 20.0,
            search_depth: 0.05,
            largest_tilt: 0.1,
            largest_heading_error: 0.15,
            largest_approach: 1.0,
            clear_distance: 0.2,
        }
    }
}

impl SteppingSettings {
    pub(crate) fn check(&self) -> Result<(), LocomotionError> {
        let fields = [
            ("stepping.least_margin", self.least_margin),
            ("stepping.good_margin", self.good_margin),
            ("stepping.edge_distance", self.edge_distance),
            ("stepping.clearance", self.clearance),
            ("stepping.highest_rise", self.highest_rise),
            ("stepping.widest_gap", self.widest_gap),
            ("stepping.effort_share", self.effort_share),
            ("stepping.drive_speed", self.drive_speed),
            ("stepping.drive_acceleration", self.drive_acceleration),
            ("stepping.shift_speed", self.shift_speed),
            ("stepping.swing_speed", self.swing_speed),
            ("stepping.lower_speed", self.lower_speed),
            ("stepping.transfer_time", self.transfer_time),
            ("stepping.touch_force", self.touch_force),
            ("stepping.search_depth", self.search_depth),
            ("stepping.largest_tilt", self.largest_tilt),
            ("stepping.largest_heading_error", self.largest_heading_error),
            ("stepping.largest_approach", self.largest_approach),
            ("stepping.clear_distance", self.clear_distance),
        ];
        check_all(&fields, "a positive number", |value| value > 0.0)
    }
}
