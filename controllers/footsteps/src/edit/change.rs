//! Steps that are moved, put in, taken out or replaced.

use core::ops::Range;

use robot_io::Pose2;
use walking::Footstep;

use crate::error::FootstepError;
use crate::parts::Parts;
use crate::plan::{FootstepPlan, Outcome};

impl FootstepPlan {
    /// The plan with other steps in place of some. Heights and normals of the new steps are those of the ground; the first
    /// `begun` steps of the plan stay. Refused with the number of the first step that cannot be taken then.
    pub fn with_steps(
        &self,
        range: Range<usize>,
        steps: &[Footstep],
        begun: usize,
        parts: &Parts,
    ) -> Result<FootstepPlan, FootstepError> {
        let count = self.steps.len();
        for number in [range.start, range.end] {
            if number < begun || number > count || range.start > range.end {
                return Err(FootstepError::Number { step: number, first: begun.min(count), last: count });
            }
        }
        // what is before the change is as it was, and what is behind it may be out of reach now
        let kept = &self.steps[..range.start];
        let changed = steps.iter().copied().chain(self.steps[range.end..].iter().map(|step| step.foot));
        let feet = self.feet_after(range.start);
        let before = kept.last().map(|step| step.foot.side);
        if let (Some(before), Some(step)) = (before, changed.clone().next())
            && before == step.side
        {
            let refusal = crate::Refusal { reason: crate::Reason::Side, expected: [1.0, 1.0], found: 0.0 };
            return Err(FootstepError::Step { step: range.start, refusal });
        }
        let checked = parts.check_steps(&feet, changed, range.start)?;
        let steps: Vec<_> = kept.iter().copied().chain(checked).collect();
        let cost = steps.iter().map(|step| step.cost).sum();
        let least = self.cost / self.bound.max(1.0);
        let bound = if least > 0.0 { f64::max(cost / least, 1.0) } else { f64::INFINITY };
        let same_end = steps.last().map(|step| step.foot) == self.steps.last().map(|step| step.foot);
        let outcome = if same_end { self.outcome } else { Outcome::None };
        Ok(FootstepPlan { steps, cost, bound, outcome, ..self.clone() })
    }

    /// Sets one step down elsewhere.
    pub fn move_step(
        &self,
        step: usize,
        to: &Pose2,
        begun: usize,
        parts: &Parts,
    ) -> Result<FootstepPlan, FootstepError> {
        let last = self.steps.len().saturating_sub(1);
        let moved = self.steps.get(step).ok_or(FootstepError::Number { step, first: begun, last })?.foot;
        let position = nalgebra::Vector3::new(to.x, to.y, moved.position.z);
        let foot = Footstep { position, yaw: to.yaw, ..moved };
        self.with_steps(step..step + 1, &[foot], begun, parts)
    }

    /// Puts steps in before number `at`; feet take turns, so that it takes an even number of them.
    pub fn insert_steps(
        &self,
        at: usize,
        steps: &[Footstep],
        begun: usize,
        parts: &Parts,
    ) -> Result<FootstepPlan, FootstepError> {
        self.with_steps(at..at, steps, begun, parts)
    }

    /// Takes steps out; feet take turns, so that it takes an even number of them, or those at the end.
    pub fn remove_steps(
        &self,
        range: Range<usize>,
        begun: usize,
        parts: &Parts,
    ) -> Result<FootstepPlan, FootstepError> {
        self.with_steps(range, &[], begun, parts)
    }
}
