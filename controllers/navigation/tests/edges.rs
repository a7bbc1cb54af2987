//! Edges as a robot sees them on its way there: over rough ground, with noise and shadows.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use navigation::{MapSettings, NavigationMap, Outcome, SearchSettings, plan};
use robot_io::{Manoeuvre, MapViews, StepEdge, Time};
use support::{ROOM, centaur, goal, pose, sight};

/// The arena's roughness in the small: ±1 cm.
fn rough(x: f64, y: f64) -> f64 {
    0.006 * libm::sin(11.0 * x + 2.0 * y) + 0.006 * libm::cos(3.0 * x - 12.0 * y)
}

/// What is mapped on the way from x = -4 to x = -0.5, of ground with a step at x = 1.2.
fn approach(rise: f64) -> NavigationMap {
    let ground = |x: f64, y: f64| rough(x, y) + if x > 1.2 { rise } else { 0.0 };
    let views = (0..6).map(|number| sight::view(number, -4.0 + 0.7 * number as f64, 0.0, ground)).collect();
    let robot = centaur(&pose(-0.5, 0.0, 0.0), ground(-0.5, 0.0));
    NavigationMap::build(&MapViews { revision: 1, views }, &robot, Time::ZERO, &MapSettings::default())
}

/// The edges that lead ahead, near the middle.
fn ahead(map: &NavigationMap) -> Vec<StepEdge> {
    map.edges.iter().filter(|edge| edge.pose.yaw.abs() < 0.5 && edge.pose.y.abs() < 2.0).copied().collect()
}

#[test]
fn steps_up_and_down_are_found_where_they_are() {
    for rise in [0.12, 0.15, 0.18, -0.12, -0.15] {
        let edges = ahead(&approach(rise));
        assert!(edges.len() >= 3, "{rise} m: {edges:?}");
        for edge in edges {
            assert!((edge.pose.x - 1.2).abs() < 0.08 && edge.pose.yaw.abs() < 0.1, "{rise} m: {edge:?}");
            assert!((edge.rise - rise).abs() < 0.02, "{rise} m: {edge:?}");
        }
    }
}

#[test]
fn rough_ground_and_high_steps_have_no_edges() {
    for rise in [0.0, 0.03, 0.3, -0.3] {
        assert!(ahead(&approach(rise)).is_empty(), "{rise} m: {:?}", ahead(&approach(rise)));
    }
}

#[test]
fn a_plan_steps_over_the_edge_and_drives_on() {
    for rise in [0.15, -0.15] {
        let map = approach(rise);
        let way = plan(&map, &pose(-0.5, 0.0, 0.0), &goal(4.0, 0.5), ROOM, &SearchSettings::default());
        assert_eq!(way.outcome, Outcome::ToGoal, "{rise} m");
        let manoeuvres: Vec<bool> = way.pieces.iter().map(|piece| piece.manoeuvre != Manoeuvre::Drive).collect();
        assert_eq!(manoeuvres, [false, true, false], "{rise} m");
    }
}
