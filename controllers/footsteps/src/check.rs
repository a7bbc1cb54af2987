//! Whether steps can be taken on the ground as it is known now.

use robot_io::Pose2;
use walking::Footstep;

use crate::error::FootstepError;
use crate::parts::Parts;
use crate::plan::PlannedStep;
use crate::refusal::{Reason, Refusal};
use crate::standing::stand_at;

impl Parts {
    /// A foot as it would stand at a place: level with the ground there. Refused where it cannot stand.
    pub fn level(&self, foot: &Footstep) -> Result<Footstep, Refusal> {
        let pose = Pose2 { x: foot.position.x, y: foot.position.y, yaw: foot.yaw };
        stand_at(self, foot.side, &pose).map(|place| place.foot)
    }

    /// The step that sets a foot down there, level with the ground, while the feet are at `feet`. Refused if it cannot be taken.
    pub fn check_step(&self, feet: &[Footstep; 2], step: &Footstep) -> Result<PlannedStep, Refusal> {
        let pose = Pose2 { x: step.position.x, y: step.position.y, yaw: step.yaw };
        let place = stand_at(self, step.side, &pose)?;
        let (stance, start) = (&feet[step.side.other().index()], &feet[step.side.index()]);
        self.reach.check(stance, &place.foot)?;
        let lift = self.collision.step(&*self.terrain, None, stance, &place.foot)?;
        let clearance = self.collision.swing(&*self.terrain, start, &place.foot)?;
        Ok(PlannedStep {
            foot: place.foot,
            clearance,
            support: place.ground.support,
            unseen: place.ground.unknown + place.ground.assumed,
            cost: place.cost + self.cost.step(stance, &place.foot, lift),
        })
    }

    /// Steps that are taken one after the other from where the feet are, each level with the ground. Refused with the number of the
    /// first that cannot be taken, counted from `first`.
    pub fn check_steps(
        &self,
        feet: &[Footstep; 2],
        steps: impl IntoIterator<Item = Footstep>,
        first: usize,
    ) -> Result<Vec<PlannedStep>, FootstepError> {
        let mut checked = Vec::new();
        match self.check_until(feet, steps, &mut checked) {
            None => Ok(checked),
            Some(refusal) => Err(FootstepError::Step { step: first + checked.len(), refusal }),
        }
    }

    /// The same; what can be taken goes to `checked`, and what stops the rest is told.
    pub fn check_until(
        &self,
        feet: &[Footstep; 2],
        steps: impl IntoIterator<Item = Footstep>,
        checked: &mut Vec<PlannedStep>,
    ) -> Option<Refusal> {
        let (mut feet, mut before) = (*feet, None);
        for step in steps {
            if before == Some(step.side) {
                return Some(Refusal { reason: Reason::Side, expected: [1.0, 1.0], found: 0.0 });
            }
            match self.check_step(&feet, &step) {
                Ok(step) => {
                    feet[step.foot.side.index()] = step.foot;
                    before = Some(step.foot.side);
                    checked.push(step);
                }
                Err(refusal) => return Some(refusal),
            }
        }
        None
    }
}
