//! How grasps are looked for.

use crate::error::{ManipulationError, check_number};

/// How grasps are looked for. All numbers are chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct GraspSettings {
    /// So far the hand stays away from the object until it closes [m]: what perception, and arms that sag, may be wrong by.
    pub clearance: f64,
    /// Fingers meet the object squarely also if the hand is so far behind or to a side of where it is to be [m].
    pub tolerance: f64,
    /// On either side the fingers are open by so much more than the object is wide, where they can [m].
    pub room: f64,
    /// The hand comes straight along its approach for so long [m].
    pub approach: f64,
    /// So many directions of approach are tried around the opening direction, and of opening directions around what is round.
    pub directions: u32,
    /// Places along a part, and depths, are so far apart [m].
    pub step: f64,
    /// A finger presses if the surface under it is turned from the opening direction by no more than this [rad]: less than friction holds, which
    /// is 19° for a coefficient of 0.35.
    pub slant: f64,
    /// At most so many are told, the best.
    pub most: usize,
}

impl Default for GraspSettings {
    fn default() -> Self {
        GraspSettings {
            clearance: 0.008,
            tolerance: 0.006,
            room: 0.02,
            approach: 0.12,
            directions: 12,
            step: 0.015,
            slant: 0.3,
            most: 5000,
        }
    }
}

impl GraspSettings {
    pub(super) fn check(&self) -> Result<(), ManipulationError> {
        let part = "settings of grasps";
        check_number(part, "clearance", (0.0, 0.1), "m", self.clearance)?;
        check_number(part, "tolerance", (0.0, 0.1), "m", self.tolerance)?;
        check_number(part, "room", (0.0, 0.5), "m", self.room)?;
        check_number(part, "approach", (0.0, 1.0), "m", self.approach)?;
        check_number(part, "directions", (1.0, 360.0), "directions", f64::from(self.directions))?;
        check_number(part, "step", (1e-3, 1.0), "m", self.step)?;
        check_number(part, "slant", (0.0, 1.5), "rad", self.slant)
    }
}
