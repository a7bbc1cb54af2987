//! A second look: before a goal is given up, what has closed a way that was seen to be open is looked at once more, from near.
//!
//! What moved may have left its marks on the map where the robot cannot see that it has gone.

use robot_io::{Path, Pose2, State};

use crate::{GlobalPlan, NavigationMap};

/// From one place that is remembered to the next [m].
const SPACING: f64 = 0.4;
/// Most places that are remembered, and most second looks for one goal.
const MOST_PLACES: usize = 160;
const MOST_LOOKS: usize = 2;
/// What is nearer to the robot than this is seen as it is [m].
const IN_SIGHT: f64 = 2.5;
/// Two places as near as this are looked at in one look [m].
const ONE_LOOK: f64 = 2.0;

/// What was open on the way to a goal, and what is looked at again.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(crate) struct SecondLook {
    /// Places on ways towards the goal over ground that had been seen.
    open: Vec<Pose2>,
    /// What has been looked at again; the last of them may still be.
    looked_at: Vec<Pose2>,
    is_under_way: bool,
    /// Something has moved on the way to the goal: only what moves leaves marks where nothing stands.
    has_moved: bool,
}

impl SecondLook {
    /// What is looked at now.
    pub fn at(&self) -> Option<Pose2> {
        self.looked_at.last().copied().filter(|_| self.is_under_way)
    }

    /// Something moves.
    pub fn note_mover(&mut self) {
        self.has_moved = true;
    }

    /// Remembers a way towards the goal as far as it leads over ground that the map shows; it needs no second look any more.
    pub fn remember(&mut self, plan: &GlobalPlan, map: &NavigationMap) {
        self.is_under_way = false;
        for place in plan.pieces.iter().flat_map(|piece| along(&piece.path)) {
            let is_known = map.ground_cost_at(place.x, place.y).is_some();
            if is_known && self.open.iter().all(|open| open.distance(&place) >= SPACING) {
                if self.open.len() == MOST_PLACES {
                    self.open.remove(0);
                }
                self.open.push(place);
            }
        }
    }

    /// Chooses what to look at again: what was open, has less than `room` [m] now, and cannot be seen from here, if anything has moved. `None` if there is nothing of
    /// the kind.
    pub fn begin(&mut self, map: &NavigationMap, from: &Pose2, room: f64) -> Option<Pose2> {
        self.is_under_way = false;
        let is_closed = |place: &&Pose2| map.clearance_at(place.x, place.y).is_some_and(|clearance| clearance <= room);
        let is_out_of_sight = |place: &&Pose2| place.distance(from) > IN_SIGHT;
        let is_new = |place: &&Pose2| self.looked_at.iter().all(|looked| looked.distance(place) > ONE_LOOK);
        let place = *self.open.iter().filter(is_closed).filter(is_out_of_sight).find(is_new)?;
        if self.looked_at.len() == MOST_LOOKS || !self.has_moved {
            return None;
        }
        self.looked_at.push(place);
        self.is_under_way = true;
        Some(place)
    }
}

/// Places on a path.
fn along(path: &Path) -> impl Iterator<Item = Pose2> + '_ {
    path.poses.windows(2).flat_map(|pair| {
        let (from, to) = (pair[0], pair[1]);
        let steps = (from.distance(&to) / SPACING).ceil().max(1.0) as usize;
        (1..=steps).map(move |step| {
            let share = step as f64 / steps as f64;
            Pose2 { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y), yaw: to.yaw }
        })
    })
}
