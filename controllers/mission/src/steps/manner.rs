//! How each step of a plan is taken: slower where it leads up, down or over something.

use footsteps::FootstepPlan;
use walking::{GaitSettings, Manner};

use crate::steps_settings::StepsSettings;

/// A foot's way that takes no longer than the gait's own time [m].
const EASY: f64 = 0.5;

/// The manners of a plan's steps from number `from` on.
pub(super) fn manners(plan: &FootstepPlan, from: usize, gait: &GaitSettings, settings: &StepsSettings) -> Vec<Manner> {
    let mut feet = plan.feet_after(from);
    let of = |step: &footsteps::PlannedStep| {
        let (start, stance) = (feet[step.foot.side.index()], feet[step.foot.side.other().index()]);
        let climbs = (step.foot.position.z - start.position.z).abs();
        let rises = (step.foot.position.z - stance.position.z).abs();
        let way = (step.foot.position - start.position).xy().norm();
        let aside = settings.side_time * (step.foot.stride_from(&stance).outward - gait.width).abs();
        let lifts = climbs + (step.clearance - gait.swing.clearance).max(0.0);
        feet[step.foot.side.index()] = step.foot;
        Manner {
            clearance: step.clearance,
            single: gait.single + aside + settings.lift_time * lifts + settings.way_time * (way - EASY).max(0.0),
            both: gait.both + aside + settings.rise_time * rises,
            earliest: settings.earliest,
            farthest: settings.astray,
        }
    };
    plan.steps.iter().skip(from).map(of).collect()
}

#[cfg(test)]
#[allow(clippy::panic, reason = "tests")]
mod tests {
    use super::*;
    use footsteps::PlannedStep;
    use nalgebra::Vector3;
    use walking::{Footstep, Side};

    #[test]
    fn a_step_up_takes_longer_than_one_on_level_ground() {
        let (gait, settings) = (GaitSettings::default(), StepsSettings::default());
        let feet = Footstep::stand(Vector3::zeros(), 0.0, gait.width);
        let step = |side: Side, x: f64, z: f64| PlannedStep {
            foot: Footstep::flat(side, Vector3::new(x, 0.14 * side.sign(), z), 0.0),
            clearance: gait.swing.clearance,
            ..PlannedStep::default()
        };
        let steps = vec![step(Side::Left, 0.2, 0.0), step(Side::Right, 0.4, 0.2), step(Side::Left, 0.4, 0.2)];
        let plan = FootstepPlan { feet, steps, ..FootstepPlan::default() };
        let [level, up, beside] = manners(&plan, 0, &gait, &settings)[..] else { panic!("three steps") };
        assert_eq!((level.single, level.both), (gait.single, gait.both));
        assert!(up.single > level.single + 0.1 && up.both > level.both + 0.1, "{up:?}");
        assert!(beside.single > level.single + 0.1 && beside.both == level.both, "{beside:?}");
        assert_eq!(manners(&plan, 2, &gait, &settings), [beside]);
    }
}
