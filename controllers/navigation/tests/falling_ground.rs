//! Drops, ditches, thin poles and goals out of reach: what the laser hardly sees or does not see at all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs, reason = "tests")]

mod puppet;

use navigation::{BarrierKind, NavigationSettings, Reach, Status};
use puppet::{Puppet, boxed, goal};
use robot_io::Pose2;
use robot_io::math::{cos, hypot, sin};

fn at(x: f64, y: f64, yaw: f64) -> Pose2 {
    Pose2 { x, y, yaw }
}

/// How far the deepest of the robot's feet is below the base's ground [m].
fn deepest_foot(puppet: &Puppet) -> f64 {
    let (s, c) = (sin(puppet.pose.yaw), cos(puppet.pose.yaw));
    let here = (puppet.world)(puppet.pose.x, puppet.pose.y, puppet.time);
    let height =
        |[x, y, _]: &[f64; 3]| (puppet.world)(puppet.pose.x + c * x - s * y, puppet.pose.y + s * x + c * y, 0.0);
    puppet.footprint.feet.iter().map(|foot| here - height(foot)).fold(0.0, f64::max)
}

/// Drives until it arrives or says that it cannot; returns the deepest fall of a foot on the way [m].
fn drive(puppet: &mut Puppet, seconds: f64) -> f64 {
    let mut deepest: f64 = 0.0;
    puppet.run(seconds, |puppet| {
        deepest = deepest.max(deepest_foot(puppet));
        matches!(puppet.guidance.status, Status::Arrived | Status::Unreachable(_) | Status::Stuck)
    });
    println!("{:.1} s, {:?} at {:?}", puppet.time, puppet.guidance, puppet.pose);
    for event in &puppet.events {
        println!("  {:.2} {}", event.time.seconds(), event.describe(|_| None));
    }
    deepest
}

fn puppet(world: impl Fn(f64, f64) -> f64 + 'static, x: f64, y: f64) -> Puppet {
    let world = Box::new(move |x: f64, y: f64, _: f64| world(x, y));
    Puppet::new(world, at(x, y, 0.0), NavigationSettings::default())
}

#[test]
fn edge_of_a_drop_in_the_lasers_shadow() {
    // the bottom right behind the edge lies in shadow; at 3 m depth nothing of it is seen at all
    for depth in [0.4, 0.8, 3.0] {
        for start in [-3.0, -0.6] {
            // a yard with walls, of which the far half is lower
            let world = move |x: f64, y: f64| {
                if y.abs() > 2.5 || x < -5.0 { 1.5 } else { boxed(x, y, [1.0, -9.0], [9.0, 9.0], -depth) }
            };
            let mut puppet = puppet(world, start, 0.0);
            puppet.navigator.set_goal(Some(goal(4.0, 0.0, None)));
            let deepest = drive(&mut puppet, 120.0);
            assert!(deepest < 0.01, "a drop of {depth} m from {start} m: a foot hung {deepest} m deep");
            let Status::Unreachable(Reach { nearest, barrier, .. }) = puppet.guidance.status else {
                panic!("{depth}: {:?}", puppet.guidance.status)
            };
            assert!((-0.3..0.8).contains(&nearest.x), "{nearest:?}");
            assert!(barrier.kind == BarrierKind::Drop && (0.7..1.4).contains(&barrier.at[0]), "{barrier:?}");
            assert!(puppet.time < 60.0, "said after {} s", puppet.time);
        }
    }
}

#[test]
fn over_a_bridge_past_a_pit() {
    let world = |x: f64, y: f64| if x.abs() < 1.2 && (y - 2.0).abs() > 0.9 { -0.7 } else { 0.0 };
    let mut puppet = puppet(world, -4.0, 0.0);
    puppet.navigator.set_goal(Some(goal(4.0, 0.0, None)));
    let deepest = drive(&mut puppet, 120.0);
    assert_eq!(puppet.guidance.status, Status::Arrived);
    assert!(deepest < 0.01, "a foot hung {deepest} m deep");
}

#[test]
fn a_trench_as_wide_as_a_wheel_is_gone_round() {
    // into less than this a wheel of 0.11 m radius hardly sinks
    for width in [0.2, 0.25, 0.3] {
        // it ends 2 m beside the straight way
        let world = move |x: f64, y: f64| boxed(x, y, [1.0, -6.0], [1.0 + width, 2.0], -0.25);
        let mut puppet = puppet(world, -3.0, 0.0);
        // close to each other within a scan plane, planes far apart
        puppet.rays = (136, 360);
        puppet.navigator.set_goal(Some(goal(4.0, 0.0, None)));
        let deepest = drive(&mut puppet, 120.0);
        assert_eq!(puppet.guidance.status, Status::Arrived, "{width} m");
        assert!(deepest < 0.01, "a trench of {width} m: a foot hung {deepest} m deep");
    }
}

#[test]
fn a_ditch_that_is_no_deeper_than_a_step_is_driven_through() {
    let world = |x: f64, y: f64| boxed(x, y, [1.0, -9.0], [1.2, 9.0], -0.05);
    let mut puppet = puppet(world, -2.0, 0.0);
    puppet.navigator.set_goal(Some(goal(4.0, 0.0, None)));
    drive(&mut puppet, 60.0);
    assert_eq!(puppet.guidance.status, Status::Arrived);
}

#[test]
fn a_crest_is_no_drop() {
    // 14 degrees up, level for a metre, 14 degrees down: what lies behind the crest is not seen from below
    let rise = |x: f64| 0.25 * (x.clamp(0.0, 3.0) - (x - 4.0).clamp(0.0, 3.0));
    let mut puppet = puppet(move |x, _| rise(x), -2.0, 0.0);
    puppet.navigator.set_goal(Some(goal(8.0, 0.0, None)));
    let begun = puppet.time;
    drive(&mut puppet, 120.0);
    assert_eq!(puppet.guidance.status, Status::Arrived);
    assert!(puppet.time - begun < 60.0 && puppet.reversals == 0, "{} s, {}", puppet.time, puppet.reversals);
}

#[test]
fn what_is_hidden_behind_a_wall_is_not_missing() {
    let world = |x: f64, y: f64| boxed(x, y, [1.5, -1.2], [1.7, 1.2], 0.9);
    let mut puppet = puppet(world, 0.0, 0.0);
    puppet.navigator.set_goal(Some(goal(3.0, 0.0, None)));
    drive(&mut puppet, 90.0);
    assert_eq!(puppet.guidance.status, Status::Arrived, "the goal lies in the wall's shadow at first");
}

#[test]
fn thin_poles_stay_on_the_map_though_few_beams_meet_them() {
    // rays 5.3 degrees apart, which meet a pole of 5 cm once in a while
    let poles = [[1.6, 0.1], [2.6, -0.7], [3.4, 0.5], [4.4, -0.1]];
    let world = move |x: f64, y: f64| {
        let hit = poles.iter().any(|pole| hypot(x - pole[0], y - pole[1]) < 0.025);
        if hit { 1.5 } else { 0.0 }
    };
    let mut least = f64::INFINITY;
    let mut puppet = puppet(world, -2.0, 0.0);
    puppet.rays = (136, 72);
    puppet.navigator.set_goal(Some(goal(6.0, 0.0, None)));
    let arrived = puppet.run(120.0, |puppet| {
        for pole in poles {
            let seen = at(pole[0], pole[1], 0.0).seen_from(&puppet.pose);
            let (x, y) = (seen.x, seen.y);
            let inside = puppet.footprint.contains(x, y);
            let away = hypot(x, y) - puppet.footprint.inscribed_radius();
            least = least.min(if inside { -1.0 } else { away });
        }
        puppet.guidance.status == Status::Arrived
    });
    assert!(arrived, "{:?} at {:?}", puppet.guidance, puppet.pose);
    assert!(least > 0.0, "a pole was under the robot: {least}");
}

#[test]
fn goal_out_of_reach_is_said_once_and_soon() {
    let world = |x: f64, y: f64| {
        let inside = (2.0..4.0).contains(&x) && y.abs() < 1.0;
        let wall = (1.8..4.2).contains(&x) && y.abs() < 1.2 && !inside;
        if wall { 1.2 } else { 0.0 }
    };
    let mut puppet = puppet(world, -2.0, 0.0);
    puppet.navigator.set_goal(Some(goal(3.0, 0.0, None)));
    drive(&mut puppet, 120.0);
    let Status::Unreachable(reach) = puppet.guidance.status else { panic!("{:?}", puppet.guidance.status) };
    assert!(puppet.time < 40.0, "said after {} s", puppet.time);
    assert_eq!(puppet.told("goal out of reach"), 1);
    let text = reach.to_string();
    assert!(text.contains("nearest reachable point (") && text.contains("blocked by an obstacle"), "{text}");
    // what is seen of a wall of 1.2 m from below its top
    assert!((0.7..1.3).contains(&reach.barrier.rise), "{text}");
    assert!(puppet.pose.distance(&reach.nearest) < 0.8 && (1.2..2.2).contains(&reach.distance), "{reach:?}");
}
