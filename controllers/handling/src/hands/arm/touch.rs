//! What an arm does about what holds against its hand.

use super::super::course::Course;
use super::super::scene::Touch;
use super::{Arm, FAR, HandFailure, HandProgress, HandTask, Moment, NEAR, Phase, REST};

impl Arm {
    /// Feels what holds against the hand on its way.
    pub(super) fn feel(&mut self, moment: &Moment) {
        let leg = &self.planned.legs[self.leg];
        let [_, speed, _] = leg.way.along(self.time);
        let length = leg.course.map_or(0.0, |course| course.length());
        let hand_speed = speed * length / leg.way.path().length().max(1e-9);
        let speeds = &self.states.velocities;
        let (own, second) = speeds.split_at(self.speeds.len());
        let of_second = self.planned.with.map_or(0.0, |arm| moment.power(arm, second));
        let power = moment.power(self.place, own) + of_second;
        self.along.feel(self.time, power, hand_speed);
    }

    /// Something holds against the hand on a way that may end there.
    pub(super) fn touch(&mut self, moment: &Moment) {
        let left = self.left(moment);
        self.halt(moment);
        match self.goal.task {
            HandTask::Insert(insertion) if !self.search.meets(&insertion, left) => self.begin(),
            HandTask::Insert(_) => self.end(HandProgress::Done),
            _ => self.end(HandProgress::Touched(left)),
        }
    }

    /// How much of the last way is before the hand: of a straight one [m], of an arc [rad].
    fn left(&self, moment: &Moment) -> f64 {
        let under_way = self.planned.legs.get(self.leg);
        let Some(leg) = under_way.or(self.planned.legs.last()) else { return 0.0 };
        let led = leg.way.along(self.time)[0] / leg.way.path().length().max(1e-9);
        let share = if under_way.is_some() { led } else { 1.0 };
        leg.course.map_or(0.0, |course| course.left(&moment.hand(self.place), share))
    }

    /// True on the arc of what hangs on a hinge, or at its end: across it what is moved leads the hand, and the hand gives way.
    pub(super) fn is_led_around(&self) -> bool {
        matches!(self.phase, Phase::Moves | Phase::Settles) && self.hinged().is_some()
    }

    /// The arc of what hangs on a hinge, if the hand is on it or at its end.
    pub(super) fn hinged(&self) -> Option<Course> {
        let leg = self.planned.legs.get(self.leg).or(self.planned.legs.last());
        leg.filter(|leg| leg.touch == Touch::Hinged).and_then(|leg| leg.course)
    }

    /// It is told to be where it is: whoever holds against it is pressed no more.
    fn halt(&mut self, moment: &Moment) {
        self.told.clear();
        self.told.extend(moment.arm(self.place));
        self.speeds.fill(0.0);
        if let Some(second) = self.planned.with {
            self.second.lead(&moment.arm(second).collect::<Vec<f64>>());
        }
    }

    /// On an arc joints that are far from where they are led do not follow: what is moved turns about another axis, or not at all.
    pub(super) fn mind_its_joints(&mut self, moment: &Moment) {
        let off = moment.farthest(self.place, &self.told);
        if self.phase == Phase::Moves && off > FAR {
            self.halt(moment);
            self.fail(HandFailure::LagsBehind(off));
        }
    }

    /// It has been led to the end of its way, and comes to rest.
    pub(super) fn settle(&mut self, moment: &Moment) {
        if let Some(leg) = self.planned.legs.last().filter(|_| self.sway.is_some())
            && leg.way.at(leg.way.duration(), &mut self.states).is_ok()
        {
            self.tell(moment);
        }
        let off_of_second = self.planned.with.map_or(0.0, |second| moment.farthest(second, self.second.told()));
        let off = moment.farthest(self.place, &self.told).max(off_of_second);
        if off > NEAR && self.time < REST {
            return;
        }
        let may_touch = self.planned.legs.last().is_some_and(|leg| leg.until.is_some());
        let is_outside = match self.goal.task {
            HandTask::Insert(insertion) => self.left(moment) > insertion.left,
            _ => false,
        };
        if may_touch && (off > FAR || is_outside) {
            // it gave way to what held against it before that was as strong as it should have been
            return self.touch(moment);
        }
        if off > FAR {
            return self.fail(HandFailure::LagsBehind(off));
        }
        match self.planned.grasp {
            Some(grip) => {
                self.fingers.close(grip.width, grip.force);
                self.enter(Phase::Closes);
            }
            None => self.end(HandProgress::Done),
        }
    }
}
