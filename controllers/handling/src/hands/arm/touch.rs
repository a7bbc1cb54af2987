//! What an arm does about what holds against its hand.

use super::{Arm, FAR, HandFailure, HandProgress, HandTask, Moment, NEAR, Phase, REST};

impl Arm {
    /// Feels what holds against the hand on its way.
    pub(super) fn feel(&mut self, moment: &Moment) {
        let leg = &self.planned.legs[self.leg];
        let [_, speed, _] = leg.way.along(self.time);
        let straight = leg.line.map_or(0.0, |line| line.length());
        let hand_speed = speed * straight / leg.way.path().length().max(1e-9);
        let speeds = &self.states.velocities;
        let given = moment.efforts_beyond_gravity(self.place).zip(speeds).map(|(effort, speed)| effort * speed);
        let power = given.sum::<f64>() - moment.friction(self.place, speeds);
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

    /// How much of the last straight way is before the hand [m].
    fn left(&self, moment: &Moment) -> f64 {
        let leg = self.planned.legs.get(self.leg).or(self.planned.legs.last());
        leg.and_then(|leg| leg.line).map_or(0.0, |line| line.left(&moment.hand(self.place)))
    }

    /// It is told to be where it is: whoever holds against it is pressed no more.
    fn halt(&mut self, moment: &Moment) {
        self.told.clear();
        self.told.extend(moment.arm(self.place));
        self.speeds.fill(0.0);
    }

    /// It has been led to the end of its way, and comes to rest.
    pub(super) fn settle(&mut self, moment: &Moment) {
        let off = moment.farthest(self.place, &self.told);
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
                self.fingers.close(grip.width);
                self.enter(Phase::Closes);
            }
            None => self.end(HandProgress::Done),
        }
    }
}
