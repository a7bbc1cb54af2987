//! Coming to rest on the way, at any time.

use super::limits::MotionLimits;
use super::trajectory::{JointStates, Trajectory};
use crate::error::{ManipulationError, check_number};

/// A trajectory that is broken off: its time slows down until it stands still, so that the joints stay on their way.
///
/// Speeds are never higher than on the trajectory. An acceleration is at most what it would have been there and as much
/// again as the joint's limit: twice the limit for a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    /// When it begins, in the trajectory's time [s].
    begins: f64,
    /// How long the time slows down [s].
    lasts: f64,
}

impl Stop {
    /// Of a trajectory with these limits, from this time [s] on; refused if the time is not one of the trajectory's.
    pub fn new(trajectory: &Trajectory, limits: &MotionLimits, begins: f64) -> Result<Stop, ManipulationError> {
        limits.check(trajectory.path().dof())?;
        check_number("a stop", "begins", (0.0, trajectory.duration()), "s", begins)?;
        // the pace of time goes from 1 to 0 as 1 − 3 u² + 2 u³, which changes by 1.5 a whole at most
        let slow =
            limits.velocity.iter().zip(&limits.acceleration).map(|(velocity, acceleration)| velocity / acceleration);
        Ok(Stop { begins, lasts: 1.5 * slow.fold(0.0, f64::max) })
    }

    /// How long it takes until all joints rest [s].
    pub fn lasts(&self) -> f64 {
        self.lasts
    }

    /// Where on the trajectory it ends, in its time [s].
    pub fn ends(&self) -> f64 {
        self.begins + 0.5 * self.lasts
    }

    /// Where the joints are so long [s] after the stop has begun, and how they move, written to `states`.
    pub fn at(&self, trajectory: &Trajectory, since: f64, states: &mut JointStates) -> Result<(), ManipulationError> {
        let share = (since / self.lasts).clamp(0.0, 1.0);
        let (square, cube) = (share * share, share * share * share);
        let pace = 1.0 - 3.0 * square + 2.0 * cube;
        let change = (-6.0 * share + 6.0 * square) / self.lasts;
        let passed = self.lasts * (share - cube + 0.5 * square * square);
        let time = self.begins + passed;
        trajectory.at_pace(time, [pace, change], states)
    }
}
