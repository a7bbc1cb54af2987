//! "Map this arena": the explorer sends a puppet through a walled arena until nothing is left to see.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "tests")]

mod puppet;

use navigation::{ExplorationSettings, Explorer, ExplorerStatus, NavigationSettings, Region, next_best_view};
use puppet::{Puppet, boxed, centaur, stone};
use robot_io::{Pose2, Time};

/// Ten metres square inside its walls, with a wall across that leaves a door, and stones.
fn arena(x: f64, y: f64, _: f64) -> f64 {
    let outside = !(-5.0..5.0).contains(&x) || !(-5.0..5.0).contains(&y);
    let across = boxed(x, y, [0.8, -5.0], [1.1, 2.6], 1.6).max(boxed(x, y, [0.8, 4.2], [1.1, 5.0], 1.6));
    let stones = stone(x, y, [-2.5, 1.5], 0.5, 0.7).max(stone(x, y, [3.2, -1.0], 0.6, 0.7));
    if outside { 1.6 } else { across.max(stones) }
}

#[test]
fn a_walled_arena_is_explored_completely() {
    let start = Pose2 { x: -3.5, y: -3.5, yaw: 0.0 };
    let mut puppet = Puppet::new(Box::new(arena), start, NavigationSettings::default());
    let mut explorer = Explorer::new(&centaur().layout(), ExplorationSettings::default()).unwrap();
    let region = Region::rectangle([-5.0, -5.0], [5.0, 5.0]);
    explorer.begin(Time::ZERO, region);
    puppet.explorer = Some(explorer);
    let done = puppet.run(300.0, |puppet| {
        puppet.explorer.as_ref().is_some_and(|explorer| explorer.status() == ExplorerStatus::Done)
    });
    let explorer = puppet.explorer.as_ref().unwrap();
    println!(
        "{:.1} s, {:.1} m, {} views, {:.1} m², bump {:.3}, {:?}",
        puppet.time,
        puppet.driven,
        explorer.views(),
        explorer.area(),
        puppet.worst_bump,
        explorer.view()
    );
    for event in &puppet.events {
        println!("  {:.2} {}", event.time.seconds(), event.describe(|_| None));
    }
    assert!(done);
    assert!(puppet.worst_bump < 0.05);
    let map = puppet.navigator.map();
    let (mut ground, mut known) = (0, 0);
    for row in -48..48 {
        for column in -48..48 {
            let (x, y) = (0.1 * f64::from(column) + 0.05, 0.1 * f64::from(row) + 0.05);
            if arena(x, y, 0.0) == 0.0 {
                ground += 1;
                known += usize::from(map.height_at(x, y).is_some());
            }
        }
    }
    assert!(known as f64 > 0.97 * f64::from(ground), "{known} of {ground} cells");
    assert!((80.0..105.0).contains(&explorer.area()), "{}", explorer.area());
    assert!(explorer.views() < 25 && puppet.driven < 80.0);
}

/// A yard whose far half lies behind a wall without a door: what cannot be reached is left, and exploring ends.
#[test]
fn what_cannot_be_reached_does_not_keep_it_busy() {
    let world = |x: f64, y: f64, t: f64| arena(x, y, t).max(boxed(x, y, [0.8, 2.0], [1.1, 4.8], 0.6));
    let start = Pose2 { x: -3.5, y: -3.5, yaw: 0.0 };
    let mut puppet = Puppet::new(Box::new(world), start, NavigationSettings::default());
    let mut explorer = Explorer::new(&centaur().layout(), ExplorationSettings::default()).unwrap();
    explorer.begin(Time::ZERO, Region::rectangle([-5.0, -5.0], [5.0, 5.0]));
    puppet.explorer = Some(explorer);
    let done = puppet.run(300.0, |puppet| {
        puppet.explorer.as_ref().is_some_and(|explorer| explorer.status() == ExplorerStatus::Done)
    });
    let explorer = puppet.explorer.as_ref().unwrap();
    println!("{:.1} s, {:.1} m, {} views, {:.1} m²", puppet.time, puppet.driven, explorer.views(), explorer.area());
    assert!(done);
    assert!(puppet.pose.x < 0.8 && puppet.worst_bump < 0.05);
    assert!((50.0..100.0).contains(&explorer.area()), "{}", explorer.area());
}

#[test]
fn the_same_map_gives_the_same_view_and_a_given_up_one_is_not_given_again() {
    let start = Pose2 { x: -3.5, y: -3.5, yaw: 0.0 };
    let mut puppet = Puppet::new(Box::new(arena), start, NavigationSettings::default());
    puppet.run(3.0, |_| false);
    let (map, settings) = (puppet.navigator.map().clone(), ExplorationSettings::default());
    let region = Region::rectangle([-5.0, -5.0], [5.0, 5.0]);
    let view = |given_up: &[[f64; 2]]| next_best_view(&map, &start, &region, given_up, &settings);
    let first = view(&[]).unwrap();
    assert_eq!(view(&[]), Some(first));
    assert!(first.gain > settings.least_gain && first.cost > 0.0, "{first:?}");
    assert!(map.cost_at(first.pose.x, first.pose.y).unwrap() < 1.0, "the robot fits there");
    let given_up = [first.pose.x, first.pose.y];
    if let Some(second) = view(&[given_up]) {
        assert!(second.pose.distance(&first.pose) >= settings.blacklist_radius);
    }
    let elsewhere = Region::rectangle([20.0, 20.0], [30.0, 30.0]);
    assert_eq!(next_best_view(&map, &start, &elsewhere, &[], &settings), None, "nothing of it can be seen from here");
}
