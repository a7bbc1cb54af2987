//! What the robot asks when something moves: where to, on this map, with this way ahead and these ways out.

use robot_io::math::{atan2, hypot};
use robot_io::{Path, Pose2};

use super::Navigator;
use crate::refuge::{Question, Start};

/// So far back the way that was driven is remembered as a way out [m]: out of a lane of 12 m and aside.
const TRAIL: f64 = 15.0;
/// From one place to the next of the way ahead [m].
const SPACING: f64 = 0.2;
/// So much of the way ahead is asked about [m]: at 0.5 m/s the robot is there when the time in which it must be clear is over.
const AHEAD: f64 = 4.0;
/// Most of a way out that is driven already [m].
const MOST_LEFT: f64 = 12.0;
/// Slower than this the robot stands [m/s].
const STANDS: f64 = 0.02;

impl Navigator {
    /// All that the answer depends on.
    pub(super) fn question(&self) -> Question {
        let going = [self.velocity.x, self.velocity.y];
        let moves = hypot(going[0], going[1]) > STANDS;
        let left = (self.way.length() - self.along).max(0.0);
        let leaves = self.giving_way.is_some_and(|giving_way| giving_way.leaves());
        Question {
            start: Start {
                place: [self.pose.x, self.pose.y],
                yaw: self.pose.yaw,
                velocity: if moves { going } else { [0.0; 2] },
                rolls: self.pose.yaw + self.rolls(),
            },
            outer: self.footprint.circumscribed_radius(),
            inner: self.footprint.inscribed_radius(),
            movers: self.movers.with_resting(&self.tracks, &self.odom_in_map, self.now, &self.settings.moving),
            map: self.map.clone(),
            trail: self.trail.back(&self.pose, &self.odom_in_map, TRAIL),
            way: if self.follows_its_plan() { self.ahead(left.min(AHEAD)) } else { self.resumption() },
            speed: self.goal.map_or(0.0, |goal| goal.speed.min(self.settings.rollout.speed)),
            present: leaves.then(|| self.ahead(left.min(MOST_LEFT))),
            gives_way: self.giving_way.is_some(),
            settings: self.settings.giving_way,
        }
    }

    /// The direction in which the wheel pairs roll, in the base frame [rad].
    fn rolls(&self) -> f64 {
        let has_steered = hypot(self.steered.x, self.steered.y) > 0.0;
        if has_steered { atan2(self.steered.y, self.steered.x) } else { 0.0 }
    }

    /// So much of what is followed [m], from the robot on.
    fn ahead(&self, length: f64) -> Path {
        let places = (1..=(length / SPACING) as usize).map(|place| self.way.at(self.along + SPACING * place as f64));
        Path { poses: core::iter::once(self.pose).chain(places).collect() }
    }

    /// The way on which the robot would go on after it has given way: along the plan that it left, from where it is.
    fn resumption(&self) -> Path {
        let poses = self.plan.pieces.get(self.piece).map_or(&[][..], |piece| &piece.path.poses);
        let distance = |pose: &Pose2| pose.distance(&self.pose);
        let nearest = (0..poses.len()).min_by(|a, b| distance(&poses[*a]).total_cmp(&distance(&poses[*b])));
        let mut left = AHEAD;
        let mut resumption = vec![self.pose];
        for pose in &poses[nearest.map_or(0, |nearest| nearest + 1)..] {
            left -= resumption.last().map_or(0.0, |last| last.distance(pose));
            resumption.push(*pose);
            if left < 0.0 {
                break;
            }
        }
        Path { poses: resumption }
    }
}
