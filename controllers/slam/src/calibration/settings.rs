//! What the calibration believes beforehand.

use nalgebra::{SVector, Vector6};
use robot_io::math;
use serde::{Deserialize, Serialize};

use super::motion::NUMBERS;
use crate::SlamError;
use crate::error::check_positive;

/// Parameters of [`Calibration`](crate::Calibration). Deviations are standard deviations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CalibrationSettings {
    /// The robot is as drawn: nothing is estimated.
    pub is_off: bool,
    /// How far laser and axis may be from where they are drawn [m], [rad].
    pub prior: [f64; 2],
    /// By which share the wheels may be larger or smaller than drawn.
    pub wheel_prior: f64,
    /// By how much later or earlier than told the scans may be stamped [s].
    pub delay_prior: f64,
    /// By how much odometry itself may lag behind [s]: no delay is known better.
    pub odometry_lag: f64,
    /// By how much a sweep as a whole errs in where it has the laser [m], [rad]: what odometry makes wrong within it.
    pub sweep_errs: [f64; 2],
    /// A sweep within which the robot turns farther says nothing about the laser [rad].
    pub most_turn: f64,
    /// Surfaces that both sides of a sweep must have seen.
    pub fewest_surfaces: usize,
    /// Sweeps before anything is put right.
    pub fewest_sweeps: u64,
    /// A motion that does not go with what is known is left out; so many in a row, and what is known is doubted.
    pub most_contradictions: u64,
    /// What is kept of what was known, from sweep to sweep: after 1/(1 − kept) sweeps it is old.
    pub kept: f64,
}

impl Default for CalibrationSettings {
    fn default() -> Self {
        CalibrationSettings {
            is_off: false,
            prior: [0.02, 0.02],
            wheel_prior: 0.02,
            delay_prior: 0.01,
            odometry_lag: 0.002,
            sweep_errs: [0.004, 0.001],
            most_turn: 0.35,
            fewest_surfaces: 12,
            fewest_sweeps: 4,
            most_contradictions: 3,
            kept: 0.995,
        }
    }
}

impl CalibrationSettings {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), SlamError> {
        check_positive(&[
            ("calibration.prior[0] [m]", self.prior[0]),
            ("calibration.prior[1] [rad]", self.prior[1]),
            ("calibration.wheel_prior", self.wheel_prior),
            ("calibration.delay_prior [s]", self.delay_prior),
            ("calibration.odometry_lag [s]", self.odometry_lag),
            ("calibration.sweep_errs[0] [m]", self.sweep_errs[0]),
            ("calibration.sweep_errs[1] [rad]", self.sweep_errs[1]),
            ("calibration.most_turn [rad]", self.most_turn),
            ("calibration.kept", self.kept),
        ])?;
        if self.kept > 1.0 {
            return Err(SlamError::Setting { field: "calibration.kept", expected: "at most 1", found: self.kept });
        }
        Ok(())
    }

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
