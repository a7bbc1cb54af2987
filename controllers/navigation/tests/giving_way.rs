//! Things that move are given way to in time, and the goal is reached afterwards.
#![allow(clippy::unwrap_used, reason = "tests")]

mod puppet;

use nalgebra::Vector2;
use navigation::{NavigationSettings, Status, Track};
use puppet::{Puppet, boxed, goal};
use robot_io::Pose2;

/// The frame of odometry on the puppet's map.
const ODOM: Pose2 = Pose2 { x: 1.0, y: -2.0, yaw: 0.7 };
/// What moves is known from this far on [m].
const SEEN: f64 = 5.0;

fn at(x: f64, y: f64) -> Pose2 {
    Pose2 { x, y, yaw: 0.0 }
}

/// What a tracker would say of a cart of 0.8 m.
fn track(place: [f64; 2], velocity: [f64; 2], time: f64) -> Track {
    let in_odom = at(place[0], place[1]).seen_from(&ODOM);
    let (s, c) = ODOM.yaw.sin_cos();
    let mut track = Track::default();
    (track.id, track.time, track.half, track.is_confirmed) = (1, time, 0.4, true);
    track.position = Vector2::new(in_odom.x, in_odom.y);
    track.velocity = Vector2::new(c * velocity[0] + s * velocity[1], c * velocity[1] - s * velocity[0]);
    (track.covariance.place, track.covariance.velocity) = (0.02, 0.01);
    track
}

/// Room between the robot's outline and what stands [m], in steps of 0.02 m up to 0.2 m.
fn room(puppet: &Puppet, stands: impl Fn(f64, f64) -> bool) -> f64 {
    let (s, c) = puppet.pose.yaw.sin_cos();
    let outline = &puppet.footprint.outline;
    let place = |[x, y]: [f64; 2]| [puppet.pose.x + c * x - s * y, puppet.pose.y + s * x + c * y];
    let edges = outline.iter().zip(outline.iter().cycle().skip(1));
    let points: Vec<[f64; 2]> = edges
        .flat_map(|(a, b)| (0..20).map(move |k| [0, 1].map(|axis| a[axis] + f64::from(k) / 20.0 * (b[axis] - a[axis]))))
        .map(place)
        .collect();
    let meets = |radius: f64| {
        (0..16).map(|k| f64::from(k) * core::f64::consts::TAU / 16.0).any(|direction| {
            points.iter().any(|[x, y]| stands(x + radius * direction.cos(), y + radius * direction.sin()))
        })
    };
    (0..10).map(|ring| 0.02 * f64::from(ring)).find(|ring| meets(*ring)).unwrap_or(0.2)
}

/// What a meeting came to.
struct Met {
    puppet: Puppet,
    /// Smallest distance between the middles of robot and cart [m].
    nearest: f64,
    /// How long it gave way [s].
    gave_way: f64,
    /// Least room to the walls while it gave way [m].
    room: f64,
}

/// Drives to (8, 0) while a cart goes from a place on with a velocity.
fn meet(walls: impl Fn(f64, f64) -> f64 + Copy + 'static, from: [f64; 2], velocity: [f64; 2], begin: f64) -> Met {
    let cart = move |time: f64| [0, 1].map(|axis| from[axis] + (time - begin).clamp(0.0, 20.0) * velocity[axis]);
    let world = move |x: f64, y: f64, time: f64| {
        let [cx, cy] = cart(time);
        walls(x, y).max(boxed(x, y, [cx - 0.35, cy - 0.35], [cx + 0.35, cy + 0.35], 0.9))
    };
    let mut puppet = Puppet::new(Box::new(world), at(-4.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(8.0, 0.0, None)));
    let (mut nearest, mut gave_way, mut least) = (f64::INFINITY, 0.0, f64::INFINITY);
    while puppet.time < 120.0 && puppet.guidance.status != Status::Arrived {
        let [x, y] = cart(puppet.time);
        let distance = puppet.pose.distance(&at(x, y));
        nearest = nearest.min(distance);
        let moves = (begin..begin + 20.0).contains(&puppet.time) && distance < SEEN;
        let tracks: Vec<Track> = moves.then(|| track([x, y], velocity, puppet.time)).into_iter().collect();
        puppet.navigator.note_movers(tracks.iter());
        puppet.step();
        if puppet.guidance.status == Status::GivingWay {
            gave_way += puppet::DT;
            least = least.min(room(&puppet, |x, y| walls(x, y) > 0.5));
        }
    }
    Met { puppet, nearest, gave_way, room: least }
}

#[test]
fn in_the_open_it_steps_aside_and_goes_on() {
    for speed in [0.5, 0.8, 1.0] {
        let Met { puppet, nearest, gave_way, .. } = meet(|_, _| 0.0, [8.0, 0.1], [-speed, 0.0], 5.0);
        println!("{speed} m/s: {nearest:.2} m apart, gave way for {gave_way:.1} s, there after {:.1} s", puppet.time);
        assert!(nearest > 0.95 && gave_way > 1.0, "{speed} m/s: {nearest:.2} m, {gave_way:.1} s");
        assert_eq!(puppet.guidance.status, Status::Arrived, "{speed} m/s");
        assert!(puppet.told("giving way") > 0 && puppet.told("it has passed") > 0);
    }
}

#[test]
fn what_crosses_is_let_pass() {
    let Met { puppet, nearest, gave_way, .. } = meet(|_, _| 0.0, [1.0, -5.0], [0.0, 0.6], 6.0);
    assert!(nearest > 0.95 && gave_way > 0.5, "{nearest:.2} m, {gave_way:.1} s");
    assert_eq!(puppet.guidance.status, Status::Arrived);
}

#[test]
fn in_a_lane_it_goes_back_and_goes_on_when_it_has_passed() {
    for speed in [0.5, 0.8, 1.0] {
        let walls = |x: f64, y: f64| if (-1.0..6.0).contains(&x) && (0.95..1.3).contains(&y.abs()) { 1.3 } else { 0.0 };
        let Met { puppet, nearest, gave_way, .. } = meet(walls, [6.0, 0.0], [-speed, 0.0], 12.0 - 2.0 / speed);
        println!("{speed} m/s: {nearest:.2} m apart, gave way for {gave_way:.1} s, there after {:.1} s", puppet.time);
        assert!(nearest > 0.95 && gave_way > 1.0, "{speed} m/s: {nearest:.2} m, {gave_way:.1} s");
        assert_eq!(puppet.guidance.status, Status::Arrived, "{speed} m/s");
    }
}

#[test]
fn out_of_a_narrow_lane_it_does_not_cut_the_corner() {
    for (speed, meets_at) in [(0.5, -0.4), (0.5, 0.4), (0.8, 0.0), (1.0, 0.6)] {
        let walls =
            |x: f64, y: f64| if (-1.0..6.0).contains(&x) && (0.875..1.3).contains(&y.abs()) { 1.3 } else { 0.0 };
        let Met { puppet, nearest, room, .. } =
            meet(walls, [6.0, 0.0], [-speed, 0.0], 12.0 - 2.0 / speed + meets_at / speed);
        println!("{speed} m/s: {nearest:.2} m apart, {room:.2} m from the walls");
        assert!(nearest > 0.95 && room > 0.05, "{speed} m/s: {nearest:.2} m, {room:.2} m");
        assert_eq!(puppet.guidance.status, Status::Arrived, "{speed} m/s");
    }
}

/// A robot without a goal, a cart that comes straight at it at a speed: how near they come [m].
fn meet_idle(walls: impl Fn(f64, f64) -> f64 + 'static, speed: f64, stands_by: bool) -> (Puppet, f64) {
    let cart = move |time: f64| 7.0 - (time - 12.0).clamp(0.0, 25.0) * speed;
    let world = move |x: f64, y: f64, time: f64| {
        walls(x, y).max(boxed(x, y, [cart(time) - 0.35, -0.35], [cart(time) + 0.35, 0.35], 0.9))
    };
    let mut puppet = Puppet::new(Box::new(world), at(-6.0, 0.0), NavigationSettings::default());
    puppet.navigator.set_goal(Some(goal(0.0, 0.0, None)));
    assert!(puppet.run(40.0, |puppet| puppet.guidance.status == Status::Arrived || puppet.time > 24.0));
    let mut nearest = f64::INFINITY;
    puppet.navigator.set_goal(None);
    while puppet.time < 12.0 + 11.0 / speed {
        if stands_by {
            puppet.navigator.stand_by();
        }
        let place = [cart(puppet.time), 0.0];
        let distance = puppet.pose.distance(&at(place[0], place[1]));
        nearest = nearest.min(distance);
        // it stands when its 25 s are over
        let moves = (12.0..37.0).contains(&puppet.time) && distance < SEEN;
        let tracks: Vec<Track> = moves.then(|| track(place, [-speed, 0.0], puppet.time)).into_iter().collect();
        puppet.navigator.note_movers(tracks.iter());
        puppet.step();
    }
    (puppet, nearest)
}

#[test]
fn a_robot_without_a_goal_steps_aside_and_stays_there() {
    for speed in [0.3, 0.5, 0.8] {
        let (puppet, nearest) = meet_idle(|_, _| 0.0, speed, true);
        println!("{speed} m/s: {nearest:.2} m apart, at {:.2}, {:.2} afterwards", puppet.pose.x, puppet.pose.y);
        assert!(nearest > 0.95, "{speed} m/s: {nearest:.2} m");
        assert!(puppet.told("giving way") == 1 && puppet.told("staying here") == 1);
        assert!(puppet.guidance.status == Status::Waiting && puppet.guidance.twist.is_zero());
        assert!(!puppet.navigator.gives_way() && puppet.navigator.goal().is_none());
    }
}

#[test]
fn a_robot_that_nobody_lets_stand_by_stays_where_it_is() {
    let (puppet, _) = meet_idle(|_, _| 0.0, 0.4, false);
    assert!(puppet.pose.distance(&at(0.0, 0.0)) < 0.3 && puppet.told("giving way") == 0, "{:?}", puppet.pose);
}

#[test]
fn where_it_is_off_nothing_is_given_way_to() {
    let mut settings = NavigationSettings::default();
    settings.giving_way.is_on = false;
    let mut puppet = Puppet::new(Box::new(|_, _, _| 0.0), at(-4.0, 0.0), settings);
    puppet.navigator.set_goal(Some(goal(2.0, 0.0, None)));
    puppet.run(6.0, |_| false);
    puppet.navigator.note_movers([track([1.0, 0.0], [-0.8, 0.0], puppet.time)].iter());
    puppet.run(1.0, |_| false);
    assert!(!puppet.navigator.gives_way());
}
