//! Two plans made one.

use robot_io::Settings;
use robot_io::math::wrap_angle;
use serde::{Deserialize, Serialize};

use crate::error::FootstepError;
use crate::parts::Parts;
use crate::plan::FootstepPlan;

/// How well two plans have to fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct StitchSettings {
    /// Between where a foot ends and where it begins [m].
    #[setting(0.05, not_negative)]
    pub apart: f64,
    /// The same of its heading [rad].
    #[setting(0.1, not_negative)]
    pub turned: f64,
}

impl FootstepPlan {
    /// This plan and then another one, which begins where this one ends. If the same foot would take two steps in a row, the other one
    /// steps on the spot between them. All steps of the other plan are checked from where the feet really are then.
    pub fn stitch(
        &self,
        next: &FootstepPlan,
        parts: &Parts,
        settings: &StitchSettings,
    ) -> Result<FootstepPlan, FootstepError> {
        settings.check()?;
        let feet = self.feet_after(self.steps.len());
        for (is, shall) in feet.iter().zip(&next.feet) {
            let apart = (is.position - shall.position).norm();
            let turned = wrap_angle(is.yaw - shall.yaw).abs();
            let figures = [
                ("position of a foot [m]", apart, settings.apart),
                ("heading of a foot [rad]", turned, settings.turned),
            ];
            for (field, found, most) in figures {
                if found.is_nan() || found > most {
                    return Err(FootstepError::Stitch { field, most, found });
                }
            }
        }
        let mut steps: Vec<_> = next.footsteps();
        if let (Some(last), Some(first)) = (self.steps.last(), steps.first())
            && last.foot.side == first.side
        {
            steps.insert(0, feet[first.side.other().index()]);
        }
        let checked = parts.check_steps(&feet, steps, self.steps.len())?;
        let steps: Vec<_> = self.steps.iter().copied().chain(checked).collect();
        let cost = steps.iter().map(|step| step.cost).sum();
        let (expansions, outcome) = (self.expansions + next.expansions, next.outcome);
        // a way that need not lead over the joint may be better by any factor
        Ok(FootstepPlan { feet: self.feet, steps, cost, bound: f64::INFINITY, expansions, outcome })
    }
}
