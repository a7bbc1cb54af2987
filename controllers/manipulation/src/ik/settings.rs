//! How long and how exactly is looked for.

use crate::error::{ManipulationError, check_number};

/// How an [`InverseKinematics`](super::InverseKinematics) looks.
#[derive(Clone, Debug, PartialEq)]
pub struct IkSettings {
    /// The tip is where it should be when it is no farther away than this [m].
    pub position_tolerance: f64,
    /// And turned by no more than this [rad].
    pub orientation_tolerance: f64,
    /// From so many places of the joints is begun: where they are, then places that are spread over their limits.
    pub most_starts: u32,
    /// So many answers are enough, the nearest of which is taken.
    pub answers: u32,
    /// Steps from one start after which another is tried.
    pub most_steps: u32,
}

impl Default for IkSettings {
    fn default() -> Self {
        IkSettings {
            position_tolerance: 1e-6,
            orientation_tolerance: 1e-6,
            most_starts: 60,
            answers: 2,
            most_steps: 30,
        }
    }
}

impl IkSettings {
    pub(crate) fn check(&self) -> Result<(), ManipulationError> {
        let part = "settings of inverse kinematics";
        check_number(part, "position_tolerance", (1e-9, 1.0), "m", self.position_tolerance)?;
        check_number(part, "orientation_tolerance", (1e-9, 3.0), "rad", self.orientation_tolerance)?;
        check_number(part, "most_starts", (1.0, 1e6), "starts", f64::from(self.most_starts))?;
        check_number(part, "answers", (1.0, 1e6), "answers", f64::from(self.answers))?;
        check_number(part, "most_steps", (1.0, 1e6), "steps", f64::from(self.most_steps))
    }
}
