//! Where the robot has turned round. From afar a narrow place may seem wide enough, and from near too narrow; who believes both drives to and
//! fro before it.

use robot_io::{Pose2, State};

use super::Navigator;
use super::request::Penalty;
use crate::cost::{HEADINGS, heading_of};
use crate::{GlobalPlan, Outcome};

/// A place at which it has turned round.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Turned {
    x: f64,
    y: f64,
    /// So many maps have shown from near that there is no way.
    maps: u64,
}

/// So many maps make a place closed, as long as there is another way.
const MAPS: u64 = 2;
/// Places nearer to each other than this are one [m].
const ONE_PLACE: f64 = 0.8;
/// What is nearer than this is seen as it is [m].
const IN_SIGHT: f64 = 2.0;
/// From one look to the next along the way [m].
const STEP: f64 = 0.1;
/// A closed place is forbidden within this radius [m].
const RADIUS: f64 = 0.4;
/// Most places that are remembered.
const MOST: usize = 8;

impl Turned {
    fn is_near(&self, place: &Pose2, distance: f64) -> bool {
        libm::hypot(self.x - place.x, self.y - place.y) < distance
    }
}

impl Navigator {
    /// Takes note of a plan that turns the robot round right before a place where it has no room at any heading, and of the plans after it that
    /// are made within sight of that.
    pub(super) fn note_turning(&mut self, new: &GlobalPlan) {
        let leads_to = |turned: &Turned| {
            new.pieces.iter().flat_map(|piece| &piece.path.poses).any(|pose| turned.is_near(pose, ONE_PLACE))
        };
        let pose = self.pose;
        let in_sight = self.turned.iter_mut().filter(|turned| turned.is_near(&pose, IN_SIGHT));
        in_sight.filter(|turned| !leads_to(turned)).for_each(|turned| turned.maps += 1);
        let follows = self.plan.outcome == Outcome::ToGoal && self.follows_its_plan() && !self.came;
        let turns = new.outcome != Outcome::ToGoal || self.is_detour(new);
        let Some(place) = (follows && turns).then(|| self.too_narrow_ahead()).flatten() else { return };
        let is_new = self.turned.iter().all(|turned| !turned.is_near(&place, ONE_PLACE));
        if is_new && self.turned.len() < MOST {
            self.turned.push(Turned { x: place.x, y: place.y, maps: 1 });
        }
    }

    /// Places that are closed as long as there is another way.
    pub(super) fn closed(&self) -> Vec<Penalty> {
        let closed = self.turned.iter().filter(|turned| turned.maps >= MAPS);
        closed.map(|turned| Penalty { x: turned.x, y: turned.y, radius: RADIUS, cost: 1.0 }).collect()
    }

    /// The first place a little ahead on the way where the robot does not fit, however it turns.
    pub(super) fn too_narrow_ahead(&self) -> Option<Pose2> {
        let discs = self.map.discs();
        let room = |place: &Pose2, heading| self.map.room(&discs, &Pose2 { yaw: heading_of(heading), ..*place }, 0.0);
        let fits = |place: &Pose2| (0..HEADINGS).any(|heading| room(place, heading) >= 0.0);
        let end = (self.along + IN_SIGHT).min(self.way.length());
        let steps = ((end - self.along) / STEP).max(0.0) as usize;
        (0..=steps).map(|step| self.way.at(self.along + STEP * step as f64)).find(|place| !fits(place))
    }
}
