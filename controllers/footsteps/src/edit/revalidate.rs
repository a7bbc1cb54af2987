//! A plan on ground that is known better by now.

use crate::parts::Parts;
use crate::plan::FootstepPlan;
use crate::refusal::Refusal;

/// What of a plan can still be walked.
#[derive(Clone, Debug, PartialEq)]
pub struct Revalidated {
    /// Its steps up to the first that cannot be taken any more, level with the ground as it is known now. The bound is that of the old map.
    pub plan: FootstepPlan,
    /// The first step that cannot be taken any more, and why.
    pub broken: Option<(usize, Refusal)>,
    /// The largest change of a step's height [m].
    pub moved: f64,
}

impl FootstepPlan {
    /// Looks at all steps that have not begun on the ground of `parts`, which may be known better by now.
    pub fn revalidate(&self, begun: usize, parts: &Parts) -> Revalidated {
        let begun = begun.min(self.steps.len());
        let feet = self.feet_after(begun);
        let mut steps = self.steps[..begun].to_vec();
        let mut checked = Vec::new();
        let rest = self.steps[begun..].iter().map(|step| step.foot);
        let refusal = parts.check_until(&feet, rest, &mut checked);
        let changes = checked.iter().zip(&self.steps[begun..]);
        let moved = changes.map(|(new, old)| (new.foot.position.z - old.foot.position.z).abs()).fold(0.0, f64::max);
        steps.extend(checked);
        let broken = refusal.map(|refusal| (steps.len(), refusal));
        let cost = steps.iter().map(|step| step.cost).sum();
        Revalidated { plan: FootstepPlan { steps, cost, ..self.clone() }, broken, moved }
    }
}
