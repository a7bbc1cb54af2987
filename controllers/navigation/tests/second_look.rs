//! Before a goal is given up, what closes a way that was open is looked at again, if something has been moving.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "tests")]

mod puppet;

use std::cell::Cell;
use std::rc::Rc;

use navigation::{NavigationSettings, Status, Track};
use puppet::{Puppet, boxed, goal};
use robot_io::Pose2;

/// A room, a wall with one door, and a screen beside the door: from the place that is nearest to the goal the door is not seen. The door
/// is shut when the robot has seen it open, and opens again when the robot sees it no more.
fn behind_a_screen(something_moves: bool) -> (Puppet, bool) {
    let shut = Rc::new(Cell::new(false));
    let door = Rc::clone(&shut);
    let world = move |x: f64, y: f64, _: f64| {
        let wall = boxed(x, y, [1.9, -6.0], [2.2, 4.2], 1.0).max(boxed(x, y, [1.9, 5.8], [2.2, 9.0], 1.0));
        let screen = boxed(x, y, [-4.2, 1.0], [2.2, 1.3], 1.0);
        let leaf = if door.get() { boxed(x, y, [1.9, 4.2], [2.2, 5.8], 1.0) } else { 0.0 };
        let fence = boxed(x, y, [-6.0, 8.0], [7.0, 8.3], 1.0).max(boxed(x, y, [-6.0, -5.0], [7.0, -4.7], 1.0));
        let sides = boxed(x, y, [-6.0, -5.0], [-5.7, 8.3], 1.0).max(boxed(x, y, [6.7, -5.0], [7.0, 8.3], 1.0));
        wall.max(screen).max(leaf).max(fence).max(sides)
    };
    let start = Pose2 { x: -2.0, y: 4.0, yaw: 0.0 };
    let mut puppet = Puppet::new(Box::new(world), start, NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(5.0, -3.0, None)));
    puppet.run(5.0, |_| false);
    shut.set(true);
    // far away, but it moves
    let mut far = Track::default();
    (far.is_confirmed, far.half, far.time) = (true, 0.4, puppet.time);
    (far.position, far.velocity) = ([30.0, 30.0].into(), [0.5, 0.0].into());
    puppet.navigator.note_movers(something_moves.then_some(far).iter());
    puppet.run(2.0, |_| false);
    puppet.navigator.note_movers([].iter());
    puppet.run(120.0, |puppet| puppet.pose.y < -1.0);
    shut.set(false);
    let arrived = puppet
        .run(150.0, |puppet| matches!(puppet.guidance.status, Status::Arrived | Status::Unreachable(_)))
        && puppet.guidance.status == Status::Arrived;
    for event in &puppet.events {
        println!("  {:.2} {}", event.time.seconds(), event.describe(|_| None));
    }
    (puppet, arrived)
}

#[test]
fn a_way_that_was_open_is_looked_at_again_before_the_goal_is_given_up() {
    let (puppet, arrived) = behind_a_screen(true);
    assert!(puppet.told("looking again") > 0, "it went there on purpose");
    assert!(arrived, "{:?} at {:?}", puppet.guidance.status, puppet.pose);
}

#[test]
fn where_nothing_moves_a_goal_out_of_reach_is_said_at_once() {
    let (puppet, arrived) = behind_a_screen(false);
    assert!(!arrived && puppet.told("looking again") == 0);
}
