//! An arm on its way.

use manipulation::{MotionLimits, Stop};
use mission::Remaining;

use super::super::plan::RISE;
use super::{Arm, HandFailure, HandProgress, Moment, Phase};

impl Arm {
    pub(super) fn follow(&mut self, moment: &Moment) {
        let leg = &self.planned.legs[self.leg];
        self.states.fit(leg.way.path().dof());
        if leg.way.at(self.time, &mut self.states).is_err() {
            return self.fail(HandFailure::BadGoal);
        }
        self.tell(moment);
        self.tell_speeds();
        let left = self.planned.legs[self.leg].way.duration() - self.time;
        let later: f64 = self.planned.legs[self.leg + 1..].iter().map(|leg| leg.way.duration()).sum();
        self.progress = HandProgress::Left(Remaining { time: left.max(0.0) + later, ..Remaining::default() });
        self.feel(moment);
        let leg = &self.planned.legs[self.leg];
        if let Some(until) = leg.until
            && self.along.exceeds(self.time, until)
        {
            return self.touch(moment);
        }
        if left <= 0.0 {
            self.leg += 1;
            self.go_on(moment);
        }
    }

    /// Leads the joints to where their way is now, and the hand there though the base has given way.
    pub(super) fn tell(&mut self, moment: &Moment) {
        let (own, second) = self.states.positions.split_at(self.told.len());
        self.told.copy_from_slice(own);
        self.second.lead(second);
        let (chain, root) = (&moment.body.arms[self.place].chain, moment.root(self.place));
        if let Some(sway) = &mut self.sway {
            sway.lead(moment.cycle_time, chain, &root, &mut self.told);
        }
        if let Some(course) = self.hinged() {
            let hand = moment.hand(self.place);
            self.hinge.lead(moment.cycle_time, &course, (chain, &root), &hand, &mut self.told);
        }
    }

    /// How fast they go there.
    fn tell_speeds(&mut self) {
        let (own, second) = self.states.velocities.split_at(self.speeds.len());
        self.speeds.copy_from_slice(own);
        self.second.hurry(second);
    }

    pub(super) fn slow_down(&mut self, moment: &Moment, asks_again: bool) {
        let (leg, joints) = (&self.planned.legs[self.leg], &moment.body.arms[self.place].joints);
        let second = self.planned.with.map_or(&[][..], |second| &moment.body.arms[second].joints);
        let joints: Vec<usize> = joints.iter().chain(second).copied().collect();
        self.states.fit(joints.len());
        let limits = MotionLimits::of_joints(&moment.body.robot.tree, &joints, self.goal.speed, RISE);
        let stop = limits.and_then(|limits| Stop::new(&leg.way, &limits, self.stopped_at.min(leg.way.duration())));
        let rests = match stop {
            Ok(stop) => stop.at(&leg.way, self.time, &mut self.states).is_err() || self.time >= stop.lasts(),
            Err(_) => true,
        };
        self.tell(moment);
        if !rests {
            return self.tell_speeds();
        }
        match (asks_again, self.progress) {
            (true, _) => self.begin(),
            (false, HandProgress::Left(_) | HandProgress::Begun) => self.enter(Phase::Rests),
            (false, ended) => self.end(ended),
        }
    }
}
