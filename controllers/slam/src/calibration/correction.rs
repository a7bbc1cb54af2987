//! What is put right.

use nalgebra::{Isometry3, UnitQuaternion, Vector6};
use robot_io::{State, StateVisitor};

/// By how much laser and axis are taken to be elsewhere than drawn: translations [m], then rotations [rad].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Correction {
    /// The laser, in the frame that the axis turns.
    pub laser: Vector6<f64>,
    /// The cloud as drawn, in the base, seen from where it is.
    pub axis: Vector6<f64>,
}

impl Correction {
    /// Moves the laser as drawn to where it is, in the frame that the axis turns.
    pub(crate) fn of_laser(&self) -> Isometry3<f64> {
        pose(&self.laser)
    }

    /// Moves the axis as drawn to where it is, in the base.
    pub(crate) fn of_axis(&self) -> Isometry3<f64> {
        pose(&self.axis).inverse()
    }
}

fn pose(moved: &Vector6<f64>) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(moved.fixed_rows::<3>(3).into_owned());
    Isometry3::from_parts(moved.fixed_rows::<3>(0).into_owned().into(), turn)
}

impl State for Correction {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("laser", self.laser.as_mut_slice());
        visitor.field("axis", self.axis.as_mut_slice());
    }
}
