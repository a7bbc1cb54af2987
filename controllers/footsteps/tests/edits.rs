//! Plans that are changed, joined, looked at again and made anew on the way.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

mod grounds;

use std::sync::Arc;

use footsteps::{FootstepError, FootstepPlan, Outcome, Planner, Query, Reason, StitchSettings};
use grounds::{Case, assert_walkable, settings};
use robot_io::Pose2;
use walking::{Footstep, Side};

fn bump(x: f64, y: f64) -> f64 {
    0.05 * (-((x - 2.0).powi(2) + y * y) / 0.5).exp()
}

fn planned() -> (Case, Planner, FootstepPlan) {
    let case = Case::new("a low hill", 4.0, bump);
    let planner = case.planner(0.04, &settings());
    let plan = planner.plan(&case.query());
    assert!(plan.is_to_goal() && plan.steps.len() >= 8, "{:?}", plan.outcome);
    (case, planner, plan)
}

fn pose(foot: &Footstep) -> Pose2 {
    Pose2 { x: foot.position.x, y: foot.position.y, yaw: foot.yaw }
}

#[test]
fn a_step_that_is_moved_is_level_with_the_ground_there() {
    let (case, planner, plan) = planned();
    let foot = plan.steps[4].foot;
    let to =
        Pose2 { x: foot.position.x - 0.06, y: foot.position.y + 0.03 * foot.side.sign(), yaw: 0.1 * foot.side.sign() };
    let moved = plan.move_step(4, &to, 0, planner.parts()).unwrap();
    assert_eq!(pose(&moved.steps[4].foot), to);
    assert!((moved.steps[4].foot.position.z - bump(to.x, to.y)).abs() < 0.01);
    assert_eq!((moved.steps[3], moved.steps.len()), (plan.steps[3], plan.steps.len()));
    assert!(moved.cost > plan.cost - 1e-9 && moved.outcome == Outcome::ToGoal);
    assert_walkable("moved", &moved, &case.goal);
}

#[test]
fn a_change_out_of_reach_is_refused_with_the_step_and_the_figure() {
    let (_, planner, plan) = planned();
    let foot = plan.steps[4].foot;
    let far = Pose2 { x: foot.position.x + 0.6, ..pose(&foot) };
    let error = plan.move_step(4, &far, 0, planner.parts()).unwrap_err();
    assert!(error.to_string().starts_with("step 4: forward [m]: expected -0.45 to 0.7, found"), "{error}");
    // the step itself can be taken, and the next one not any more
    let back = Pose2 { x: plan.steps[3].foot.position.x - 0.3, ..pose(&foot) };
    let error = plan.move_step(4, &back, 0, planner.parts()).unwrap_err();
    assert!(error.to_string().starts_with("step 5: forward [m]"), "{error}");
    let across = Pose2 { y: -foot.position.y, ..pose(&foot) };
    let error = plan.move_step(4, &across, 0, planner.parts()).unwrap_err();
    assert!(matches!(error, FootstepError::Step { step: 4, refusal } if refusal.reason == Reason::Outward), "{error}");
    let error = plan.move_step(2, &pose(&plan.steps[2].foot), 3, planner.parts()).unwrap_err();
    assert!(matches!(error, FootstepError::Number { step: 2, first: 3, .. }), "{error}");
    let error = plan.move_step(99, &far, 0, planner.parts()).unwrap_err();
    assert!(error.to_string().starts_with("step 99: number: expected 0 to"), "{error}");
}

#[test]
fn steps_are_put_in_and_taken_out_in_pairs() {
    let (case, planner, plan) = planned();
    let parts = planner.parts();
    // on the spot
    let feet = plan.feet_after(4);
    let first = plan.steps[4].foot.side;
    let pair = [feet[first.index()], feet[first.other().index()]];
    let longer = plan.insert_steps(4, &pair, 0, parts).unwrap();
    assert_eq!(longer.steps.len(), plan.steps.len() + 2);
    assert_walkable("longer", &longer, &case.goal);
    let shorter = longer.remove_steps(4..6, 0, parts).unwrap();
    assert_eq!(shorter.footsteps(), plan.footsteps());
    assert!((shorter.cost - plan.cost).abs() < 1e-9);
    let error = plan.insert_steps(4, &pair[..1], 0, parts).unwrap_err();
    assert!(matches!(error, FootstepError::Step { step: 5, refusal } if refusal.reason == Reason::Side), "{error}");
    let error = plan.remove_steps(4..5, 0, parts).unwrap_err();
    assert!(matches!(error, FootstepError::Step { step: 4, refusal } if refusal.reason == Reason::Side), "{error}");
    let last = plan.steps.len();
    let cut = plan.remove_steps(last - 1..last, 0, parts).unwrap();
    assert!(!cut.is_to_goal(), "it no longer leads there");
    let error = plan.remove_steps(3..last + 1, 0, parts).unwrap_err();
    assert!(matches!(error, FootstepError::Number { .. }), "{error}");
}

#[test]
fn two_plans_are_stitched_where_feet_meet() {
    let case = Case::new("flat", 6.0, |_, _| 0.0);
    let planner = case.planner(0.04, &settings());
    let middle = Pose2 { x: 3.0, y: 0.3, yaw: 0.3 };
    let first = planner.plan(&Query { goal: middle, ..case.query() });
    let feet = first.feet_after(first.steps.len());
    for side in [None, Some(Side::Left), Some(Side::Right)] {
        let second = planner.plan(&Query { feet, first: side, goal: case.goal });
        assert!(side.is_none_or(|side| second.steps[0].foot.side == side));
        let whole = first.stitch(&second, planner.parts(), &StitchSettings::default()).unwrap();
        let same = first.steps.last().unwrap().foot.side == second.steps[0].foot.side;
        assert_eq!(whole.steps.len(), first.steps.len() + second.steps.len() + usize::from(same));
        assert_walkable("stitched", &whole, &case.goal);
    }
    let error = first.stitch(&first, planner.parts(), &StitchSettings::default()).unwrap_err();
    assert!(
        error.to_string().starts_with("stitch: position of a foot [m]: expected at most 0.05, found 2.9"),
        "{error}"
    );
}

#[test]
fn a_plan_is_looked_at_again_when_the_ground_is_known_better() {
    let (case, planner, plan) = planned();
    let same = plan.revalidate(0, planner.parts());
    assert_eq!((same.broken, same.moved, &same.plan.steps), (None, 0.0, &plan.steps));
    let higher = Case::new("higher", 4.0, |x, y| bump(x, y) + if x > 1.0 { 0.03 } else { 0.0 });
    let raised = plan.revalidate(2, planner.on(Arc::new(higher.terrain(0.04))).parts());
    assert!(raised.broken.is_none() && (raised.moved - 0.03).abs() < 0.005, "{raised:?}");
    assert_walkable("raised", &raised.plan, &case.goal);
    let hole = Case::new("hole", 4.0, |x, y| if (2.0..3.0).contains(&x) { -1.0 } else { bump(x, y) });
    let broken = plan.revalidate(2, planner.on(Arc::new(hole.terrain(0.04))).parts());
    let (step, refusal) = broken.broken.unwrap();
    assert_eq!(broken.plan.steps.len(), step);
    assert!((1.8..3.0).contains(&plan.steps[step].foot.position.x), "step {step}: {refusal}");
}

#[test]
fn a_walk_goes_on_by_a_new_plan_whose_beginning_is_the_old_one() {
    let (case, planner, plan) = planned();
    // nothing has changed: it keeps the plan
    let same = planner.replan(&plan, 3, &case.goal);
    assert_eq!(same.kept, 3);
    assert!(same.plan.cost.is_finite() && same.plan.is_to_goal());
    assert_eq!(same.plan.steps[..3], plan.steps[..3]);
    assert_walkable("same", &same.plan, &case.goal);
    // a wall comes into sight
    let wall = |x: f64, y: f64| if (2.4..2.5).contains(&x) && y > -0.5 { 1.5 } else { bump(x, y) };
    let walled = planner.on(Arc::new(Case::new("wall", 4.0, wall).terrain(0.04)));
    let mut gait = walking::Gait::new(
        walking::GaitSettings { reach: settings().reach, ..walking::GaitSettings::default() },
        plan.feet,
    )
    .unwrap();
    gait.follow(plan.footsteps()).unwrap();
    let new = walled.replan(&plan, 3, &case.goal);
    assert!(new.plan.is_to_goal(), "{:?}", new.plan.outcome);
    assert_eq!(new.plan.steps[..3], plan.steps[..3]);
    assert!(new.plan.steps.iter().all(|step| wall(step.foot.position.x, step.foot.position.y) < 0.2));
    gait.change_plan(new.kept, &new.plan.footsteps()[new.kept..]).unwrap();
    assert_eq!(gait.plan().steps(), new.plan.footsteps());
    // there is no way: it ends with the steps that are taken
    let closed = planner
        .on(Arc::new(Case::new("closed", 4.0, |x, _| if x > 2.4 && x < 3.4 { -2.0 } else { 0.0 }).terrain(0.04)));
    let none = closed.replan(&plan, 3, &case.goal);
    assert!(!none.plan.is_to_goal() && none.plan.steps.len() == 3);
    // and to another goal the old plan is of no use
    let other = Pose2 { x: 2.0, y: 1.0, yaw: 1.0 };
    let turned = planner.replan(&plan, 2, &other);
    assert_walkable("turned", &turned.plan, &other);
}
