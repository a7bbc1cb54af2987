//! What the calibration believes beforehand.

use nalgebra::{SVector, Vector6};
use robot_io::{Settings, math};
use serde::{Deserialize, Serialize};

use super::motion::NUMBERS;

/// Parameters of [`Calibration`](crate::Calibration). Deviations are standard deviations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct CalibrationSettings {
    /// The robot is as drawn: nothing is estimated.
    #[setting(false)]
    pub is_off: bool,
    /// How far laser and axis may be from where they are drawn [m], [rad].
    #[setting([0.02, 0.02], positive)]
    pub prior: [f64; 2],
    /// By which share the wheels may be larger or smaller than drawn.
    #[setting(0.02, positive)]
    pub wheel_prior: f64,
    /// By how much later or earlier than told the scans may be stamped [s].
    #[setting(0.01, positive)]
    pub delay_prior: f64,
    /// By how much odometry itself may lag behind [s]: no delay is known better.
    #[setting(0.002, positive)]
    pub odometry_lag: f64,
    /// By how much a sweep as a whole errs in where it has the laser [m], [rad]: what odometry makes wrong within it.
    #[setting([0.004, 0.001], positive)]
    pub sweep_errs: [f64; 2],
    /// A sweep within which the robot turns farther says nothing about the laser [rad].
    #[setting(0.35, positive)]
    pub most_turn: f64,
    /// Surfaces that both sides of a sweep must have seen.
    #[setting(12, positive)]
    pub fewest_surfaces: usize,
    /// Sweeps before anything is put right.
    #[setting(4, not_negative)]
    pub fewest_sweeps: u64,
    /// A motion that does not go with what is known is left out; so many in a row, and what is known is doubted.
    #[setting(3, positive)]
    pub most_contradictions: u64,
    /// What is kept of what was known, from sweep to sweep: after 1/(1 − kept) sweeps it is old.
    #[setting(0.995, positive, up_to = 1.0)]
    pub kept: f64,
}

impl CalibrationSettings {
    pub(super) fn laser_prior(&self) -> Vector6<f64> {
        six(self.prior)
    }

    /// `turning` is by how much each second of delay moves the cloud, which lies elsewhere for that too.
    pub(super) fn axis_prior(&self, turning: &Vector6<f64>) -> SVector<f64, NUMBERS> {
        let placed = six(self.prior).zip_map(turning, |drawn, turning| math::hypot(drawn, turning * self.delay_prior));
        placed.push(self.wheel_prior).push(self.delay_prior)
    }

    /// Variances.
    pub(super) fn laser_errs(&self) -> Vector6<f64> {
        six(self.sweep_errs.map(|deviation| deviation * deviation))
    }
}

fn six([place, turn]: [f64; 2]) -> Vector6<f64> {
    Vector6::new(place, place, place, turn, turn, turn)
}
