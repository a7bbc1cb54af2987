//! Looking ahead while a trajectory is gone along.

use super::joint_path::Collision;
use super::trajectory::Trajectory;
use crate::checker::Checker;
use crate::error::{ManipulationError, check_number, check_numbers};

impl Trajectory {
    /// What the joints will meet within `horizon` [s] of `time` [s] on the trajectory, on from `measured`, where they really
    /// are: between there and where they should be, then along the way. `None` if that is free.
    ///
    /// The checker may know another scene than that in which the trajectory was made. Nothing is allocated. Refused are
    /// positions or a checker that do not fit, and times that are no numbers.
    pub fn collision_ahead(
        &self,
        checker: &mut Checker,
        [time, horizon]: [f64; 2],
        measured: &[f64],
    ) -> Result<Option<Collision>, ManipulationError> {
        let (part, path) = ("a look ahead", self.path());
        check_number(part, "time", (-1e9, 1e9), "s", time)?;
        check_number(part, "horizon", (0.0, 1e9), "s", horizon)?;
        check_numbers(part, "measured", path.dof(), measured)?;
        if checker.joints().len() != path.dof() {
            return Err(ManipulationError::refused(part, "checker", path.dof(), checker.joints().len()));
        }
        let [here, there] = [time, time + horizon].map(|time| self.along(time)[0]);
        let wanted = |joint: usize| path.position(here, joint);
        let moved = checker.moved_by(|joint| (wanted(joint) - measured[joint]).abs());
        let hit = checker.hit_again_on_curve(0.0, |_, joint| measured[joint]).or_else(|| {
            checker
                .hit_again_on_curve(moved, |share, joint| measured[joint] + share * (wanted(joint) - measured[joint]))
        });
        match hit {
            Some(hit) => Ok(Some(Collision { hit, between: [here, here] })),
            None => path.collision(checker, Some([here, there])),
        }
    }
}
