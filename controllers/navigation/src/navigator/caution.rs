//! Caution: something that was seen once near the way ahead may move.

use nalgebra::Point2;
use robot_io::{Pose2, Time};

use super::Navigator;
use crate::Track;

/// Something is near within this distance of the robot [m]: at 1 m/s it is here in seven seconds.
const NEAR: f64 = 7.5;
/// … and within this distance of the way ahead [m]: half of the robot, half of a cart, and some room.
const BESIDE: f64 = 1.2;
/// The robot stops for so long at most [s]: the laser sees a thing again after one turn, 1.7 s.
const HOLD: f64 = 2.2;
/// It does so not more often than this [s], so that it gets on where there are false sights.
const HOLD_AGAIN: f64 = 6.0;

impl Navigator {
    /// Something has come in sight near the way ahead that may move: where the robot stands when it is seen again, it has more time.
    pub(super) fn beware(&mut self) {
        if !self.settings.giving_way.is_on {
            return;
        }
        let (now, held_since) = (self.now.seconds(), self.held_since);
        let may_hold = held_since == Time::ZERO || self.now.since(held_since).seconds() >= HOLD_AGAIN;
        let here = self.pose.seen_from(&self.odom_in_map);
        let here = Point2::new(here.x, here.y);
        let is_near = |track: &&Track| {
            let place = Pose2 { x: track.position.x, y: track.position.y, yaw: 0.0 }.placed_at(&self.odom_in_map);
            let ahead = self.way.nearest(place.x, place.y, self.along, self.along + NEAR);
            place.distance(&self.pose) < NEAR && ahead.beside < BESIDE
        };
        // what was seen again since then, and comes, is worth another stop at once
        let comes = |track: &Track| track.time > held_since.seconds() && track.may_come_at(&here);
        let is_suspect = |track: &&Track| now - track.time < HOLD && (may_hold && track.is_suspect() || comes(track));
        if self.tracks.iter().filter(is_suspect).any(|track| is_near(&track)) {
            self.held_since = self.now;
        }
    }

    /// True while it stops until something is seen again.
    pub(super) fn is_held(&self) -> bool {
        self.held_since > Time::ZERO && self.now.since(self.held_since).seconds() < HOLD
    }
}
