//! On random ground every plan can be walked, and every change keeps it so or is refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

mod grounds;

use footsteps::{FootstepSettings, Outcome, SearchSettings};
use grounds::{Case, assert_walkable, noise, settings, smooth};
use proptest::prelude::*;
use robot_io::Pose2;

fn quick() -> FootstepSettings {
    let search = SearchSettings { expansions: 300, ..SearchSettings::default() };
    FootstepSettings { search, ..settings() }
}

/// Blocks, waves, holes and what nobody knows; level where the robot begins.
fn ground(seed: u64, block: f64, wave: f64, holes: f64, unknown: f64) -> impl Fn(f64, f64) -> f64 {
    move |x: f64, y: f64| {
        if x.hypot(y) < 0.45 {
            return 0.0;
        }
        let height = block * (4.0 * noise(seed, x, y, 0.5)).floor() + wave * smooth(seed + 1, x, y, 0.3);
        let kind = noise(seed + 2, x, y, 0.4);
        if kind < holes {
            -0.8
        } else if kind > 1.0 - unknown {
            f64::NAN
        } else {
            height
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn what_is_planned_can_be_walked(
        seed in 0_u64..1000, block in 0.0..0.06, wave in 0.0..0.04, holes in 0.0..0.15, unknown in 0.0..0.1,
        x in -2.5..2.5, y in -1.5..1.5, yaw in -3.0..3.0, change in 0_usize..20, by in -0.15..0.15,
    ) {
        let mut case = Case::new("random", 2.0, ground(seed, block, wave, holes, unknown));
        case.goal = Pose2 { x, y, yaw };
        (case.low, case.high) = ([-3.5, -2.5], [3.5, 2.5]);
        let planner = case.planner(0.04, &quick());
        let plan = planner.plan(&case.query());
        match plan.outcome {
            Outcome::ToGoal => {
                assert_walkable("random", &plan, &case.goal);
                let parts = planner.parts();
                prop_assert_eq!(parts.check_steps(&plan.feet, plan.footsteps(), 0).unwrap(), plan.steps.clone());
                prop_assert!(plan.steps.iter().all(|step| step.support >= 0.8 && step.foot.position.z > -0.4));
                if let Some(step) = plan.steps.get(change) {
                    let foot = step.foot;
                    let to = Pose2 { x: foot.position.x + by, y: foot.position.y, yaw: foot.yaw };
                    if let Ok(moved) = plan.move_step(change, &to, 0, parts) {
                        let walkable = walking::Plan::new(moved.footsteps(), &moved.feet, &settings().reach);
                        prop_assert!(walkable.is_ok(), "{:?}", walkable);
                    }
                }
            }
            Outcome::Unreached { left, .. } => prop_assert!(left > 0.0 && plan.steps.is_empty()),
            Outcome::GoalRefused { .. } => prop_assert!(plan.steps.is_empty() && plan.expansions == 0),
            Outcome::None | Outcome::FeetRefused { .. } => prop_assert!(false, "{:?}", plan.outcome),
        }
    }
}
