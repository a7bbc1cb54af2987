//! The whole navigation drives a puppet through small worlds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "tests")]

mod puppet;

use navigation::{NavigationSettings, Reach, Status};
use puppet::{Puppet, boxed, goal, stone};
use robot_io::Pose2;

fn at(x: f64, y: f64, yaw: f64) -> Pose2 {
    Pose2 { x, y, yaw }
}

fn report(puppet: &Puppet, what: &str) {
    println!(
        "{what}: {:.1} s, {:.2} m, {} reversals, bump {:.3}, {:?} at {:?}",
        puppet.time, puppet.driven, puppet.reversals, puppet.worst_bump, puppet.guidance, puppet.pose
    );
    for event in &puppet.events {
        println!("  {:.2} {}", event.time.seconds(), event.describe(|_| None));
    }
}

#[test]
fn on_open_ground_it_drives_straight_and_turns_at_the_end() {
    let mut puppet = Puppet::new(Box::new(|_, _, _| 0.0), at(0.0, 0.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(4.0, 1.0, Some(2.0))));
    let arrived = puppet.arrives(60.0);
    report(&puppet, "open");
    assert!(arrived);
    assert!(puppet.pose.distance(&at(4.0, 1.0, 0.0)) < 0.2 && (puppet.pose.yaw - 2.0).abs() < 0.1);
    assert!(puppet.driven < 4.5 && puppet.time < 25.0, "{} m in {} s", puppet.driven, puppet.time);
    assert_eq!(puppet.reversals, 0);
}

#[test]
fn round_stones_to_the_goal() {
    let world = |x: f64, y: f64, _: f64| {
        let stones = [([2.0, 0.1], 0.5), ([3.8, -1.1], 0.5), ([3.9, 1.0], 0.4), ([5.4, 0.0], 0.45), ([1.9, 2.0], 0.4)];
        stones.iter().map(|(place, radius)| stone(x, y, *place, *radius, 0.5)).fold(0.0, f64::max)
    };
    let mut puppet = Puppet::new(Box::new(world), at(0.0, 0.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(7.0, 0.0, Some(0.0))));
    let arrived = puppet.arrives(90.0);
    report(&puppet, "stones");
    assert!(arrived);
    assert!(puppet.worst_bump < 0.05, "drove into a stone");
    assert!(puppet.driven < 9.5, "{} m", puppet.driven);
    assert!(puppet.reversals <= 1, "{}", puppet.reversals);
}

#[test]
fn through_a_gap_of_a_metre_and_twenty() {
    let world = |x: f64, y: f64, _: f64| {
        let low = boxed(x, y, [3.0, -8.0], [3.3, 0.4], 1.2);
        low.max(boxed(x, y, [3.0, 1.6], [3.3, 8.0], 1.2))
    };
    let mut puppet = Puppet::new(Box::new(world), at(0.0, 0.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(6.0, 0.0, None)));
    let arrived = puppet.arrives(90.0);
    report(&puppet, "gap");
    assert!(arrived);
    assert!(puppet.worst_bump < 0.05);
    assert!(puppet.driven < 8.0 && puppet.reversals == 0);
}

/// A box of half a metre that comes from the left into the way, stands there, and goes on after a while.
#[test]
fn it_stops_for_something_that_moves_into_the_way_and_goes_on() {
    let corridor = |y: f64| -> f64 { if (-1.2..1.2).contains(&y) { 0.0 } else { 1.5 } };
    let world = move |x: f64, y: f64, t: f64| {
        // it rolls along the corridor's cross section, wide enough to close it
        let front = if t < 6.0 {
            9.0
        } else if t < 14.0 {
            3.6
        } else {
            3.6 + 0.5 * (t - 14.0)
        };
        corridor(y).max(boxed(x, y, [front, -1.1], [front + 0.6, 1.1], 0.9))
    };
    let mut puppet = Puppet::new(Box::new(world), at(0.0, 0.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(6.0, 0.0, None)));
    let mut blocked = 0.0;
    let arrived = puppet.run(90.0, |puppet| {
        blocked += if puppet.guidance.status == Status::Blocked { puppet::DT } else { 0.0 };
        puppet.guidance.status == Status::Arrived
    });
    report(&puppet, "moving box");
    assert!(arrived, "blocked for {blocked} s");
    assert!(blocked > 1.0, "{blocked} s");
    assert!(puppet.worst_bump < 0.05, "ran into the box");
}

/// A wall all around (5.5, 0) m.
fn walled_in(x: f64, y: f64, _: f64) -> f64 {
    let inside = (4.0..7.0).contains(&x) && (-1.5..1.5).contains(&y);
    let wall = (3.8..7.2).contains(&x) && (-1.7..1.7).contains(&y);
    if wall && !inside { 1.0 } else { 0.0 }
}

#[test]
fn held_fast_on_the_way_to_the_nearest_place_it_says_that_the_goal_is_out_of_reach() {
    let mut puppet = Puppet::new(Box::new(walled_in), at(0.0, 0.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(5.5, 0.0, None)));
    assert!(puppet.run(20.0, |puppet| puppet.told("no way to the goal") > 0));
    puppet.held_fast = true;
    let refused = puppet.run(60.0, |puppet| matches!(puppet.guidance.status, Status::Unreachable { .. }));
    report(&puppet, "held fast before a wall");
    assert!(refused && puppet.told("no progress") == 1 && puppet.told("going back") == 0);
}

#[test]
fn a_walled_in_goal_is_refused_with_the_nearest_place() {
    let mut puppet = Puppet::new(Box::new(walled_in), at(0.0, 0.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(5.5, 0.0, None)));
    let refused = puppet.run(150.0, |puppet| matches!(puppet.guidance.status, Status::Unreachable { .. }));
    report(&puppet, "walled in");
    assert!(refused);
    let Status::Unreachable(Reach { nearest, .. }) = puppet.guidance.status else { unreachable!() };
    let distance = nearest.distance(&at(5.5, 0.0, 0.0));
    assert!((2.0..3.2).contains(&distance), "{nearest:?}");
    assert!(puppet.worst_bump < 0.05);
}

#[test]
fn held_fast_it_tries_everything_and_gives_up() {
    let mut puppet = Puppet::new(Box::new(|_, _, _| 0.0), at(0.0, 0.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(6.0, 0.0, None)));
    puppet.run(6.0, |_| false);
    puppet.held_fast = true;
    let stuck = puppet.run(200.0, |puppet| puppet.guidance.status == Status::Stuck);
    report(&puppet, "held fast");
    assert!(stuck);
    for what in ["no progress", "another way", "going back", "stepping aside", "stuck for good"] {
        assert!(puppet.told(what) > 0, "{what}");
    }
}

#[test]
fn caught_on_something_unseen_it_finds_another_way() {
    let mut puppet = Puppet::new(Box::new(|_, _, _| 0.0), at(0.0, 0.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(6.0, 0.0, None)));
    puppet.snag = Some([3.0, 0.0]);
    let arrived = puppet.arrives(150.0);
    report(&puppet, "caught");
    assert!(arrived);
    assert!(puppet.told("no progress") > 0 && puppet.told("stuck for good") == 0);
}

#[test]
fn it_finds_a_way_round_something_that_comes_and_stays() {
    let world = |x: f64, y: f64, t: f64| {
        let there = if t > 5.0 { 0.9 } else { 0.0 };
        boxed(x, y, [3.2, -0.6], [3.9, 0.9], there)
    };
    let mut puppet = Puppet::new(Box::new(world), at(0.0, 0.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(6.5, 0.0, None)));
    let arrived = puppet.arrives(90.0);
    report(&puppet, "came and stays");
    assert!(arrived && puppet.worst_bump < 0.05);
    assert!(puppet.time < 45.0 && puppet.reversals <= 2);
}

/// A slope of 16 degrees with a stone on it: up, round the stone, and down on the other side.
#[test]
fn over_a_hill_and_round_a_stone_on_it() {
    let world = |x: f64, y: f64, _: f64| {
        let hill = (0.28 * (x - 2.0)).clamp(0.0, 0.7).min((0.28 * (10.0 - x)).clamp(0.0, 0.7));
        hill + stone(x, y, [3.4, 0.1], 0.35, 0.4)
    };
    let mut puppet = Puppet::new(Box::new(world), at(0.0, 0.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(11.5, 0.0, None)));
    let arrived = puppet.arrives(90.0);
    report(&puppet, "hill");
    assert!(arrived);
    // half a footprint of slope, and no stone
    assert!(puppet.worst_bump < 0.25, "{}", puppet.worst_bump);
}
