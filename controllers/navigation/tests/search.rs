//! Ways over ground made from functions.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use navigation::{GlobalPlan, NavigationMap, Outcome, Refusal, SearchSettings, plan};
use robot_io::{Manoeuvre, Pose2};
use support::{ROOM, Scene, goal, map_of, pose};

fn way(map: &NavigationMap, from: &Pose2, x: f64, y: f64) -> GlobalPlan {
    plan(map, from, &goal(x, y), ROOM, &SearchSettings::default())
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

/// A step of 15 cm along y at x = 1, all across the map, with a ramp beside it from y = `ramp` on.
fn terrace(ramp: f64) -> impl Fn(f64, f64) -> f64 {
    move |x, y| {
        if y > ramp {
            0.15 * ((x - 0.2) / 1.6).clamp(0.0, 1.0)
        } else if x > 1.0 {
            0.15
        } else {
            0.0
        }
    }
}

#[test]
fn a_step_with_no_way_round_is_stepped_over_square_to_it() {
    let from = pose(-2.0, 0.3, 0.4);
    let map = map_of(&Scene::square(5.0), &from, terrace(f64::INFINITY));
    let plan = way(&map, &from, 4.0, 1.0);
    assert_eq!(plan.outcome, Outcome::ToGoal);
    let [before, step, after] = &plan.pieces[..] else { panic!("{:?}", plan.pieces) };
    let Manoeuvre::Step(edge) = step.manoeuvre else { panic!("{step:?}") };
    assert!((edge.pose.x - 1.0).abs() < 0.05 && edge.pose.yaw.abs() < 0.03, "{edge:?}");
    assert!((edge.rise - 0.15).abs() < 0.02 && edge.gap == 0.0, "{edge:?}");
    assert_eq!((before.path.poses.last(), after.path.poses[0]), (step.path.poses.first(), step.path.poses[1]));
    assert!((step.path.poses[0].x - 0.35).abs() < 0.06, "{:?}", step.path);
    assert!(plan.cost > length(&plan) + 9.0 && plan.cost < length(&plan) + 18.0, "{}", plan.cost);
}

#[test]
fn a_short_way_round_a_step_is_driven() {
    let from = pose(-2.0, 0.0, 0.0);
    let map = map_of(&Scene::square(5.0), &from, terrace(1.5));
    let plan = way(&map, &from, 4.0, 0.0);
    assert_eq!((plan.outcome, plan.pieces.len()), (Outcome::ToGoal, 1));
    assert!(length(&plan) < 10.0, "{} m", length(&plan));
}

#[test]
fn a_step_is_climbed_down_too_and_at_any_angle() {
    let from = pose(-2.0, -0.5, 0.0);
    let (s, c) = (libm::sin(0.4), libm::cos(0.4));
    let map = map_of(&Scene::square(5.0), &from, |x, y| if c * x + s * y > 0.8 { -0.12 } else { 0.0 });
    let plan = way(&map, &from, 3.5, 0.5);
    assert_eq!(plan.outcome, Outcome::ToGoal);
    let Manoeuvre::Step(edge) = plan.pieces[1].manoeuvre else { panic!("{:?}", plan.pieces) };
    assert!((edge.pose.yaw - 0.4).abs() < 0.04 && (edge.rise + 0.12).abs() < 0.02, "{edge:?}");
    assert!((c * edge.pose.x + s * edge.pose.y - 0.8).abs() < 0.05, "{edge:?}");
}

#[test]
fn a_trench_is_stepped_over_and_a_wider_one_is_not() {
    let from = pose(-2.0, 0.0, 0.0);
    let trench = |width: f64| move |x: f64, _: f64| if x > 1.0 && x < 1.0 + width { -0.4 } else { 0.0 };
    let plan = way(&map_of(&Scene::square(5.0), &from, trench(0.2)), &from, 4.0, 0.0);
    assert_eq!(plan.outcome, Outcome::ToGoal);
    let Manoeuvre::Step(edge) = plan.pieces[1].manoeuvre else { panic!("{:?}", plan.pieces) };
    assert!((edge.gap - 0.2).abs() < 0.06 && edge.rise == 0.0, "{edge:?}");
    assert!((edge.pose.x - 1.0).abs() < 0.06 && edge.pose.yaw.abs() < 0.03, "{edge:?}");
    let wide = way(&map_of(&Scene::square(5.0), &from, trench(0.6)), &from, 4.0, 0.0);
    assert!(matches!(wide.outcome, Outcome::ToNearest { refusal: Refusal::Enclosed, .. }), "{:?}", wide.outcome);
}

#[test]
fn a_step_of_30_cm_is_an_obstacle() {
    let from = pose(-2.0, 0.0, 0.0);
    let map = map_of(&Scene::square(5.0), &from, |x, _| if x > 1.0 { 0.3 } else { 0.0 });
    let Outcome::ToNearest { refusal, nearest } = way(&map, &from, 4.0, 0.0).outcome else { panic!("climbed 30 cm") };
    assert!(refusal == Refusal::Enclosed && nearest.x < 0.75 && nearest.x > 0.4, "{refusal:?} {nearest:?}");
}

/// Two walls along x with a passage of `width` [m] between them, and walls at the map's sides so that there is no other way.
fn passage(width: f64, angle: f64) -> impl Fn(f64, f64) -> f64 {
    let (s, c) = (libm::sin(angle), libm::cos(angle));
    move |x, y| {
        let (along, across) = (c * x + s * y, c * y - s * x);
        if along.abs() < 1.0 && across.abs() > 0.5 * width { 0.8 } else { 0.0 }
    }
}

#[test]
fn a_passage_that_is_wide_enough_for_the_outline_is_driven_lengthwise() {
    for angle in [0.0, 0.35, core::f64::consts::FRAC_PI_4] {
        let (s, c) = (libm::sin(angle), libm::cos(angle));
        let from = pose(-3.0 * c, -3.0 * s, 2.0);
        let map = map_of(&Scene::square(5.0), &from, passage(1.0, angle));
        let plan = way(&map, &from, 3.0 * c, 3.0 * s);
        assert_eq!(plan.outcome, Outcome::ToGoal, "{angle} rad");
        let poses = plan.pieces.iter().flat_map(|piece| &piece.path.poses);
        let within = poses.skip(1).filter(|pose| (c * pose.x + s * pose.y).abs() < 0.6);
        for pose in within {
            assert!(map.is_free(pose), "{pose:?} at {angle} rad");
            let off = robot_io::math::wrap_angle(2.0 * (pose.yaw - angle)).abs() / 2.0;
            assert!(off < 0.3, "lengthwise: {pose:?} at {angle} rad");
        }
        let narrow = map_of(&Scene::square(5.0), &from, passage(0.6, angle));
        let refused = way(&narrow, &from, 3.0 * c, 3.0 * s).outcome;
        assert!(matches!(refused, Outcome::ToNearest { refusal: Refusal::Enclosed, .. }), "{refused:?}");
    }
}

#[test]
fn a_robot_that_stands_too_near_to_an_obstacle_gets_free_first() {
    let from = pose(0.3, 0.0, 1.57);
    let mut map = map_of(&Scene::square(5.0), &from, |_, _| 0.0);
    map.raise_cost([0.8, 0.0], 0.3, 1.0);
    assert_eq!((map.cost_at(from.x, from.y), map.is_free(&from)), (Some(1.0), false), "it stands where it must not");
    let plan = way(&map, &from, 0.8, 3.0);
    assert_eq!(plan.outcome, Outcome::ToGoal);
    let clearances: Vec<f64> =
        plan.pieces[0].path.poses.iter().map(|pose| map.clearance_at(pose.x, pose.y).unwrap()).collect();
    let leaves = |pair: &[f64]| pair[1] >= pair[0] || pair[1] > 0.45;
    assert!(clearances[..5].windows(2).all(leaves), "away from it until it is free: {clearances:?}");
    assert!(clearances[5..].iter().all(|clearance| *clearance > 0.38), "{clearances:?}");
    // walled in all around it cannot get free
    let mut map = map_of(&Scene::square(5.0), &from, |_, _| 0.0);
    (0..32).for_each(|i| {
        let angle = f64::from(i) * 0.2;
        map.raise_cost([0.3 + 0.35 * libm::cos(angle), 0.35 * libm::sin(angle)], 0.1, 1.0);
    });
    let Outcome::ToNearest { refusal, nearest } = way(&map, &from, 0.8, 3.0).outcome else { panic!("flew") };
    assert_eq!((refusal, nearest), (Refusal::StartForbidden, from));
}

#[test]
fn goals_off_the_map_and_behind_walls_are_refused_with_the_nearest_place() {
    let from = pose(-2.0, 0.0, 0.0);
    let map = map_of(&Scene::square(5.0), &from, |x, _| if (x - 1.0).abs() < 0.2 { 0.8 } else { 0.0 });
    let Outcome::ToNearest { refusal, nearest } = way(&map, &from, -9.0, 0.0).outcome else { panic!("off the map") };
    assert!(refusal == Refusal::GoalOffMap && nearest.x < -4.4, "{refusal:?}, {nearest:?}");
    let Outcome::ToNearest { refusal, nearest } = way(&map, &from, 3.0, 1.0).outcome else { panic!("through a wall") };
    assert!(refusal == Refusal::Enclosed && (0.0..0.6).contains(&nearest.x), "{refusal:?}, {nearest:?}");
    assert!((nearest.y - 1.0).abs() < 0.11, "{nearest:?}");
    let off = way(&map, &pose(40.0, 0.0, 0.0), 0.0, 0.0).outcome;
    assert!(matches!(off, Outcome::ToNearest { refusal: Refusal::StartForbidden, .. }), "{off:?}");
}

#[test]
fn a_goal_with_a_heading_ends_at_it() {
    let from = pose(-2.0, 0.0, 0.0);
    let map = map_of(&Scene::square(5.0), &from, |_, _| 0.0);
    let mut goal = goal(2.0, 1.0);
    (goal.with_heading, goal.pose_in_map.yaw) = (true, -2.0);
    let plan = plan(&map, &from, &goal, ROOM, &SearchSettings::default());
    assert_eq!(plan.pieces[0].path.poses.last(), Some(&goal.pose_in_map));
}
