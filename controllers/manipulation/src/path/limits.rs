//! How fast a piece of a way may be gone along.

use robot_model::Tree;

use super::piece::Piece;
use crate::error::{ManipulationError, check_numbers};

/// What each joint may do, in the order of a way's joints.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionLimits {
    /// Highest speeds [rad/s or m/s].
    pub velocity: Vec<f64>,
    /// Highest accelerations [rad/s² or m/s²].
    pub acceleration: Vec<f64>,
    /// Highest jerks [rad/s³ or m/s³].
    pub jerk: Vec<f64>,
}

/// How fast a piece may be gone along: speed, acceleration and jerk of the length that is gone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pace {
    pub velocity: f64,
    pub acceleration: f64,
    pub jerk: f64,
}

impl MotionLimits {
    /// Those of some joints of a robot: a share of their speeds as the tree has them, reached within `rise` [s] at the joint's
    /// full acceleration, which is reached within a third of that. Refused is a joint without a speed.
    pub fn of_joints(tree: &Tree, joints: &[usize], share: f64, rise: f64) -> Result<MotionLimits, ManipulationError> {
        let mut limits = MotionLimits { velocity: Vec::new(), acceleration: Vec::new(), jerk: Vec::new() };
        for joint in joints {
            let found = tree.joints.get(*joint).map_or(0.0, |joint| joint.limits.velocity);
            let velocity = share * found;
            limits.velocity.push(velocity);
            limits.acceleration.push(velocity / rise);
            limits.jerk.push(3.0 * velocity / (rise * rise));
        }
        limits.check(joints.len())?;
        Ok(limits)
    }

    /// Refused unless there is a positive number of each for each of so many joints.
    pub fn check(&self, dof: usize) -> Result<(), ManipulationError> {
        let all = [("velocity", &self.velocity), ("acceleration", &self.acceleration), ("jerk", &self.jerk)];
        for (field, numbers) in all {
            check_numbers("limits of a motion", field, dof, numbers)?;
            if let Some(number) = numbers.iter().find(|number| **number <= 0.0) {
                return Err(ManipulationError::refused("limits of a motion", field, "positive numbers", number));
            }
        }
        Ok(())
    }

    /// How fast a piece may be gone along so that every joint keeps its limits everywhere on it.
    ///
    /// By the chain rule a joint's velocity is q′ ṡ, its acceleration q″ ṡ² + q′ s̈, its jerk q‴ ṡ³ + 3 q″ ṡ s̈ + q′ s⃛. The curve
    /// may use half the acceleration and a quarter of the jerk, and what couples it with s̈ another quarter; the rest is for
    /// s̈ and s⃛.
    pub(super) fn pace(&self, piece: &Piece) -> Pace {
        let dof = self.velocity.len();
        let bounds = || (0..dof).map(|joint| (joint, piece.bounds(joint)));
        let mut pace = Pace { velocity: f64::INFINITY, acceleration: f64::INFINITY, jerk: f64::INFINITY };
        for (joint, [first, second, third]) in bounds() {
            let (acceleration, jerk) = (self.acceleration[joint], self.jerk[joint]);
            let slowest = [
                self.velocity[joint] / first,
                (acceleration / (2.0 * second)).sqrt(),
                libm::cbrt(jerk / (4.0 * third)),
            ];
            pace.velocity = slowest.into_iter().filter(|speed| speed.is_finite()).fold(pace.velocity, f64::min);
        }
        let speed = pace.velocity;
        for (joint, [first, second, _]) in bounds() {
            let left = self.acceleration[joint] - second * speed * speed;
            let coupled = self.jerk[joint] / (12.0 * second * speed);
            let least = [left / first, coupled];
            pace.acceleration = least.into_iter().filter(|one| one.is_finite()).fold(pace.acceleration, f64::min);
        }
        for (joint, [first, second, third]) in bounds() {
            let used = third * speed * speed * speed + 3.0 * second * speed * pace.acceleration;
            let left = (self.jerk[joint] - used) / first;
            pace.jerk = if left.is_finite() { pace.jerk.min(left) } else { pace.jerk };
        }
        pace
    }
}
