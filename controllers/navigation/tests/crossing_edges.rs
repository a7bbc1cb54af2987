//! Edges that have to be stepped over: the navigator brings the robot there and goes on behind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "tests")]

mod puppet;

use navigation::{NavigationSettings, Status};
use puppet::{Puppet, goal};
use robot_io::Pose2;

/// A step up of 15 cm across the way, between walls.
fn terrace(x: f64, y: f64, _: f64) -> f64 {
    let wall = !(-3.0..3.0).contains(&y);
    if wall {
        2.0
    } else if x > 3.0 {
        0.15
    } else {
        0.0
    }
}

fn at_edge(puppet: &Puppet) -> bool {
    matches!(puppet.guidance.status, Status::AtEdge(_))
}

#[test]
fn it_stops_square_to_the_edge_and_goes_on_behind_it() {
    let mut puppet = Puppet::new(Box::new(terrace), Pose2 { x: 0.0, y: 0.8, yaw: 0.9 }, NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(6.0, 0.0, None)));
    let there = puppet.run(60.0, at_edge);
    println!("{:?} at {:?} {:?}", puppet.guidance, puppet.pose, puppet.events);
    assert!(there);
    let Status::AtEdge(edge) = puppet.guidance.status else { unreachable!() };
    assert!((edge.rise - 0.15).abs() < 0.04, "{edge:?}");
    assert!((puppet.pose.yaw - edge.pose.yaw).abs() < 0.08 && edge.pose.yaw.abs() < 0.15, "{:?}", puppet.pose);
    assert!(puppet.worst_bump < 0.05, "drove against the edge");
    puppet.run(1.0, |_| false);
    assert!(at_edge(&puppet) && puppet.twist.x.abs() < 0.02, "it waits");
    puppet.pose.x += 1.4;
    puppet.navigator.manoeuvre_done(true);
    assert!(puppet.arrives(60.0), "{:?} {:?}", puppet.guidance, puppet.events);
}

#[test]
fn an_edge_that_was_not_crossed_is_not_offered_again() {
    let mut puppet = Puppet::new(Box::new(terrace), Pose2::default(), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(6.0, 0.0, None)));
    assert!(puppet.run(60.0, at_edge));
    let Status::AtEdge(edge) = puppet.guidance.status else { unreachable!() };
    puppet.navigator.manoeuvre_done(false);
    puppet.step();
    assert!(!at_edge(&puppet));
    let again = puppet.run(60.0, at_edge);
    println!("{again} {:?} at {:?}", puppet.guidance, puppet.pose);
    if let Status::AtEdge(other) = puppet.guidance.status {
        assert!(other.pose.distance(&edge.pose) > 0.4, "{edge:?} {other:?}");
    }
    assert_eq!(puppet.told("the edge was not crossed"), 1);
}
