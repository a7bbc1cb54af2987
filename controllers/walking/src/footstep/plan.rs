//! Footsteps in the order in which they are taken.

use robot_io::State;

use super::{Footstep, Manner, Reach};
use crate::error::WalkingError;

/// A list of footsteps, left and right in turn. Those that have begun are fixed; the others can be changed while walking.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Plan {
    steps: Vec<Footstep>,
    /// How each of them is taken.
    manners: Vec<Manner>,
    begun: usize,
}

impl Plan {
    /// A plan that begins at `feet`; refused if a step is out of reach of the one before it.
    pub fn new(steps: Vec<Footstep>, feet: &[Footstep; 2], reach: &Reach) -> Result<Plan, WalkingError> {
        let plan = Plan { manners: vec![Manner::default(); steps.len()], steps, begun: 0 };
        plan.check(0, feet, reach)?;
        Ok(plan)
    }

    /// All its steps.
    pub fn steps(&self) -> &[Footstep] {
        &self.steps
    }

    /// How many steps have begun.
    pub fn begun(&self) -> usize {
        self.begun
    }

    /// The steps that have not begun.
    pub fn pending(&self) -> &[Footstep] {
        self.steps.get(self.begun..).unwrap_or_default()
    }

    /// How the step is taken that is `ahead` of the next one to begin.
    pub fn manner(&self, ahead: usize) -> Manner {
        self.manners.get(self.begun + ahead).copied().unwrap_or_default()
    }

    /// Steps from number `from` on are taken so, one after the other.
    pub fn set_manners(&mut self, from: usize, manners: &[Manner]) {
        for (manner, wanted) in self.manners.iter_mut().skip(from).zip(manners) {
            *manner = wanted.sound();
        }
    }

    /// Takes `steps` in place of all from number `from` on. Nothing is changed if they are refused. `feet` is where the feet
    /// stand, or will stand when the step in the air has landed.
    pub fn replace_from(
        &mut self,
        from: usize,
        steps: &[Footstep],
        feet: &[Footstep; 2],
        reach: &Reach,
    ) -> Result<(), WalkingError> {
        if from < self.begun || from > self.steps.len() {
            let expected = format!("{} to {}", self.begun, self.steps.len());
            return Err(WalkingError::Step { step: from, field: "number", expected, found: from.to_string() });
        }
        let mut changed = self.clone();
        changed.steps.truncate(from);
        changed.steps.extend_from_slice(steps);
        changed.manners.truncate(from);
        changed.manners.resize(changed.steps.len(), Manner::default());
        changed.check(from, feet, reach)?;
        *self = changed;
        Ok(())
    }

    /// Checks every step from number `from` on against the one before it.
    fn check(&self, from: usize, feet: &[Footstep; 2], reach: &Reach) -> Result<(), WalkingError> {
        for (number, step) in self.steps.iter().enumerate().skip(from) {
            let before = number.checked_sub(1).filter(|_| number > self.begun).map(|k| self.steps[k]);
            let stance = before.unwrap_or(feet[step.side.other().index()]);
            reach.check(number, &stance, step)?;
        }
        Ok(())
    }

    /// The steps that have not begun are `by` higher [m].
    pub(crate) fn raise(&mut self, by: f64) {
        self.steps.iter_mut().skip(self.begun).for_each(|step| step.position.z += by);
    }

    /// The next step begins.
    pub(crate) fn begin(&mut self) {
        self.begun = (self.begun + 1).min(self.steps.len());
    }
}
