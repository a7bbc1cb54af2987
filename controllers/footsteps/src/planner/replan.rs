//! Planning anew while a plan is walked.

use walking::Side;

use super::{Planner, Query};
use crate::plan::{FootstepPlan, Outcome};

/// What has become of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Replanned {
    /// The whole plan from its first step on; its outcome is that of what comes after the steps that were kept.
    pub plan: FootstepPlan,
    /// So many steps at its beginning are the old ones; the others are for [`walking::Gait::change_plan`].
    pub kept: usize,
}

impl Planner {
    /// Plans anew from where the feet will be when `kept` steps of a plan are taken: those that have begun, and as many more as are walked until
    /// the new ones are there. What is left of the old plan stays if it leads to the same goal, can still be walked, and the new one
    /// costs no less.
    ///
    /// If there is no way on, the plan ends with the steps that were kept.
    pub fn replan(&self, old: &FootstepPlan, kept: usize, goal: &robot_io::Pose2) -> Replanned {
        let kept = kept.min(old.steps.len());
        let feet = old.feet_after(kept);
        let first = kept.checked_sub(1).map(|last| old.steps[last].foot.side.other());
        let new = self.plan(&Query { feet, first, goal: *goal });
        let rest = old.steps[kept..].iter().map(|step| step.foot);
        let mut left = Vec::new();
        let walkable = self.parts.check_until(&feet, rest, &mut left).is_none();
        let cost = left.iter().map(|step| step.cost).sum::<f64>();
        let stays = old.is_to_goal() && walkable && !left.is_empty() && self.ends_at(old, goal);
        let mut steps = old.steps[..kept].to_vec();
        if stays && (!new.is_to_goal() || cost <= new.cost) {
            steps.extend(left);
            // the bound of the new search holds for the old steps, too
            let least = new.cost / new.bound.max(1.0);
            let bound = if new.is_to_goal() { (cost / least.max(f64::MIN_POSITIVE)).max(1.0) } else { f64::INFINITY };
            let plan = FootstepPlan { feet: old.feet, steps, cost, bound, outcome: Outcome::ToGoal, ..new };
            return Replanned { plan, kept };
        }
        steps.extend(new.steps.iter().copied());
        Replanned { plan: FootstepPlan { feet: old.feet, steps, ..new }, kept }
    }

    /// Whether a plan ends with both feet at a goal.
    fn ends_at(&self, plan: &FootstepPlan, goal: &robot_io::Pose2) -> bool {
        const SAME: f64 = 1e-6;
        let feet = plan.feet_after(plan.steps.len());
        let stand = walking::Footstep::stand(nalgebra::Vector3::new(goal.x, goal.y, 0.0), goal.yaw, self.width);
        Side::BOTH.iter().all(|side| {
            let (is, shall) = (&feet[side.index()], &stand[side.index()]);
            let off = (is.position - shall.position).xy().norm();
            off.max(robot_io::math::wrap_angle(is.yaw - shall.yaw).abs()) < SAME
        })
    }
}
