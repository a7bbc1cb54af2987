//! Ways over ground made from functions.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use navigation::{GlobalPlan, NavigationMap, Outcome, Refusal, SearchSettings, plan};
use robot_io::Pose2;
use support::{Scene, goal, map_of, pose};

fn way(map: &NavigationMap, from: &Pose2, x: f64, y: f64) -> GlobalPlan {
    plan(map, from, &goal(x, y), &SearchSettings::default())
}

fn length(plan: &GlobalPlan) -> f64 {
    plan.pieces.iter().map(|piece| piece.path.length()).sum()
}

#[test]
fn over_flat_ground_the_way_is_straight() {
    let from = pose(-4.0, -3.0, 0.0);
    let map = map_of(&Scene::square(6.0), &from, |_, _| 0.0);
    let plan = way(&map, &from, 4.0, 2.0);
    assert_eq!(plan.outcome, Outcome::ToGoal);
    assert!((length(&plan) - libm::hypot(8.0, 5.0)).abs() < 0.05, "{} m", length(&plan));
    let last = plan.pieces[0].path.poses.last().unwrap();
    assert!((last.yaw - libm::atan2(5.0, 8.0)).abs() < 0.05, "faces the direction of travel: {last:?}");
}

#[test]
fn a_goal_inside_a_rock_is_refused_with_the_nearest_place() {
    let from = pose(-4.0, 0.0, 0.0);
    let map = map_of(&Scene::square(6.0), &from, |x, y| if libm::hypot(x - 2.0, y) < 0.5 { 0.6 } else { 0.0 });
    let Outcome::ToNearest { refusal, nearest } = way(&map, &from, 2.0, 0.0).outcome else { panic!("reached a rock") };
    assert_eq!(refusal, Refusal::GoalForbidden);
    let distance = nearest.distance(&pose(2.0, 0.0, 0.0));
    assert!((0.8..1.1).contains(&distance), "{distance} m from its middle");
}
