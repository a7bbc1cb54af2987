//! Gaps about as wide as the robot: whatever the search leads through is driven, and what is not driven is not planned.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod puppet;

use navigation::{Ground, NavigationSettings};
use puppet::{Puppet, goal};
use robot_io::Pose2;
use robot_io::math::{cos, sin};

/// The robot's width: its feet's middles and the circles about them [m].
const WIDTH: f64 = 2.0 * (0.27 + 0.113);

/// A wall across the way with a gap, both turned by an angle; the gap's middle is at (3, 0.25) m and then moved.
#[derive(Clone, Copy, Debug)]
struct Wall {
    width: f64,
    angle: f64,
    moved: [f64; 2],
    /// How far the wall reaches to both sides of the gap [m].
    reach: f64,
}

impl Wall {
    fn height(&self, x: f64, y: f64) -> f64 {
        let (s, c) = (sin(self.angle), cos(self.angle));
        let (dx, dy) = (x - 3.0 - self.moved[0], y - 0.25 - self.moved[1]);
        let (along, across) = (c * dx + s * dy, (c * dy - s * dx).abs());
        let is_wall = along.abs() < 0.15 && across > 0.5 * self.width && across < 0.5 * self.width + self.reach;
        if is_wall { 1.2 } else { 0.0 }
    }
}

/// Gaps at places and angles that fall anyhow on the map's cells.
fn walls(width: f64, reach: f64) -> impl Iterator<Item = Wall> {
    (0..12).map(move |number| {
        let n = f64::from(number);
        let angle = 0.131 * (n - 5.5);
        Wall { width, angle, moved: [0.037 * n % 0.1, 0.061 * n % 0.1], reach }
    })
}

fn all_arrive(walls: impl Iterator<Item = Wall>, within: f64) {
    for wall in walls {
        let mut puppet =
            Puppet::new(Box::new(move |x, y, _| wall.height(x, y)), Pose2::default(), NavigationSettings::default());
        puppet.navigator.set_goal(Some(goal(6.0, 0.0, None)));
        let arrived = puppet.arrives(within);
        println!("{wall:?}: {:.1} s, {:.2} m, {:?}", puppet.time, puppet.driven, puppet.guidance.status);
        assert!(arrived, "{:?} at {:?}", puppet.guidance, puppet.pose);
        assert!(puppet.worst_bump < 0.05, "drove into the wall");
    }
}

#[test]
fn round_posts_that_may_be_too_close_together() {
    all_arrive(walls(WIDTH + 0.23, 1.0), 60.0);
}

#[test]
fn between_posts_that_are_just_far_enough_apart() {
    all_arrive(walls(WIDTH + 0.33, 1.0), 60.0);
}

/// From afar this gap is wide enough, from near it is not, again and again.
#[test]
fn who_has_turned_round_before_a_gap_does_not_come_back() {
    all_arrive(walls(0.96, 9.0).skip(9).take(1), 120.0);
}

/// Seen past the gap's edge, ground behind the wall is as well hidden as missing.
#[test]
fn what_a_wall_hides_is_no_drop() {
    for wall in walls(0.98, 9.0).skip(9) {
        let world = move |x: f64, y: f64, _: f64| wall.height(x, y);
        let mut puppet = Puppet::new(Box::new(world), Pose2::default(), NavigationSettings::default());
        puppet.rays = (270, 108);
        puppet.navigator.set_goal(Some(goal(6.0, 0.0, None)));
        let falls_off = |puppet: &Puppet| puppet.navigator.map().costs().ground.contains(&(Ground::Missing as u8));
        assert!(!puppet.run(16.0, falls_off), "{wall:?} at {:?}", puppet.pose);
    }
}

#[test]
fn through_a_gap_in_a_long_wall_or_round_the_wall() {
    all_arrive(walls(WIDTH + 0.19, 9.0).step_by(2), 180.0);
}
