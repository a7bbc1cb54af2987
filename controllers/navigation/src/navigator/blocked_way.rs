//! Waiting for what has come into the way: most of it goes again.

use robot_io::{Period, Pose2, Severity, StateVisitor, Time};

use super::Navigator;
use crate::{NavigationMap, Outcome};

/// So far ahead the way is looked at [m].
const AHEAD: f64 = 6.0;
/// From one look to the next along the way [m].
const STEP: f64 = 0.15;
/// A way may lead so near to obstacles that cells and noise let them reach into it by this [m].
const DOUBT: f64 = 0.1;
/// What is nearer to the way's end than this belongs to the goal [m].
const END: f64 = 0.3;

/// Ground that was known and is higher by this now has something on it [m].
const RISEN: f64 = 0.12;
/// Fewer cells may have risen for a wall of which more is seen now.
const FEWEST: usize = 3;

/// True if something stands near a place where the ground was measured: the edge of a drop that is seen late has not come, nor has
/// a wall behind what was filled in before it.
fn has_risen(before: &NavigationMap, now: &NavigationMap, place: &Pose2, radius: f64) -> bool {
    let frame = now.frame();
    let around = frame.square(place.x, place.y, radius).map(|cell| frame.center(cell));
    let risen = around.filter(|(x, y)| {
        before.measured_height_at(*x, *y).zip(now.height_at(*x, *y)).is_some_and(|(old, new)| new - old > RISEN)
    });
    risen.take(FEWEST).count() == FEWEST
}

/// Shows since when it waits, if it does, and before which place, which is 0 if it does not.
pub(super) fn visit(waiting: &mut Option<(Time, f64)>, visitor: &mut dyn StateVisitor) {
    let (mut since, mut place) = waiting.map_or((None, 0.0), |(since, place)| (Some(since), place));
    visitor.field("since", &mut since);
    visitor.field("place", &mut place);
    *waiting = since.map(|since| (since, place));
}

impl Navigator {
    /// The first place on the way ahead that is no longer free, by arc length [m].
    pub(super) fn first_blocked(&self, ahead: f64, clearance: impl Fn(&Pose2) -> f64) -> Option<f64> {
        let radius = self.footprint.inscribed_radius() - DOUBT;
        let end = (self.along + ahead).min(self.way.length() - END);
        let steps = ((end - self.along) / STEP).max(0.0) as usize;
        let places = (1..=steps).map(|step| self.along + STEP * step as f64);
        places.into_iter().find(|along| clearance(&self.way.at(*along)) <= radius)
    }

    /// Compares the way with a new map. True if the way is to be kept although it is closed, because what closes it has come
    /// where the ground was free, and not long ago.
    pub(super) fn waits_for_the_way(&mut self, before: &NavigationMap) -> bool {
        let follows = self.plan.outcome == Outcome::ToGoal && self.follows_its_plan();
        let map = self.map.clone();
        let clear = |map: &NavigationMap, place: &Pose2| map.clearance_at(place.x, place.y).unwrap_or(f64::INFINITY);
        let Some(along) = self.first_blocked(AHEAD, |place| clear(&map, place)).filter(|_| follows) else {
            self.waiting = None;
            return false;
        };
        let place = self.way.at(along);
        let radius = self.footprint.inscribed_radius();
        let was_free = clear(before, &place) > radius && has_risen(before, &map, &place, radius + DOUBT);
        if was_free || self.waiting.is_some() {
            self.wait_before(along);
        }
        self.is_waiting()
    }

    /// Something has come onto the way: waits before it, or goes on waiting.
    pub(super) fn wait_before(&mut self, along: f64) {
        self.came = true;
        let since = self.waiting.map_or(self.now, |(since, _)| since);
        if self.waiting.is_none() && self.now >= self.next_wait_told {
            self.next_wait_told = self.now + Period::from_seconds(self.settings.recovery.patience);
            let distance = along - self.along;
            self.tell(Severity::Info, "something has come into the way; waiting; its distance [m]", distance, f64::NAN);
        }
        self.waiting = Some((since, (along - self.settings.recovery.distance).max(0.0)));
    }

    /// True while it waits for something to go away.
    pub(super) fn is_waiting(&self) -> bool {
        let patient = self.settings.recovery.wait;
        self.waiting.is_some_and(|(since, _)| self.now.since(since).seconds() < patient)
    }

    /// Where on the way the robot comes to rest: at its end, or before what it waits for [m].
    pub(super) fn rest_place(&self) -> f64 {
        let end = self.way.length();
        self.waiting.filter(|_| self.is_waiting()).map_or(end, |(_, place)| place.min(end))
    }
}
