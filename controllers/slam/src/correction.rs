//! What is put right.

use nalgebra::{Isometry3, UnitQuaternion, Vector6};
use robot_io::State;

/// By how much laser and axis are taken to be elsewhere than drawn, translations [m], then rotations [rad]; and how late the scans'
/// stamps are taken to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Correction {
    /// The laser, in the frame that the axis turns.
    pub laser: Vector6<f64>,
    /// The cloud as drawn and with the stamps as told, in the base, seen from where it is.
    pub axis: Vector6<f64>,
    /// By how much later than told the scans are stamped [s].
    pub delay: f64,
    /// By how much each second of delay moves the cloud, because the axis turns: the delay's share of `axis` [m/s], [rad/s].
    pub turning: Vector6<f64>,
}

impl Correction {
    /// Moves the laser as drawn to where it is, in the frame that the axis turns.
    pub(crate) fn of_laser(&self) -> Isometry3<f64> {
        pose(&self.laser)
    }

    /// Moves the axis as drawn to where it is, in the base.
    pub(crate) fn of_axis(&self) -> Isometry3<f64> {
        pose(&self.of_drawing()).inverse()
    }

    /// What of `axis` is no delay.
    pub(crate) fn of_drawing(&self) -> Vector6<f64> {
        self.axis - self.turning * self.delay
    }

    /// Moves a cloud made with `before` to where this correction has it, in the base.
    pub(crate) fn since(&self, before: &Correction) -> Isometry3<f64> {
        pose(&self.axis).inv_mul(&pose(&before.axis))
    }
}

fn pose(moved: &Vector6<f64>) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(moved.fixed_rows::<3>(3).into_owned());
    Isometry3::from_parts(moved.fixed_rows::<3>(0).into_owned().into(), turn)
}
