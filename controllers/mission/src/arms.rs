//! One cycle of the joints that do not carry the robot: a pose, the skill at work, and what is moved by hand, the last over the
//! first; and what a touch adds to them.

use robot_io::{Commands, Readings, Subject};

use crate::SOURCE;
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::part::Part;
use crate::skill::Loan;

impl<M: Mobility> Mission<M> {
    /// Writes their commands. Where nobody can, they stand where they were last told to be.
    pub(crate) fn move_arms(&mut self, readings: &Readings, commands: &mut Commands) {
        let Mission { guard, posture, skills, now, .. } = self;
        guard.run(Part::Posture, || {
            posture.update(*now, commands);
            skills.hold(posture, commands);
        });
        self.work(readings, commands);
        let Mission { guard, posture, hands, layout, cycle_time, .. } = self;
        guard.run(Part::Posture, || hands.update(posture, layout, *cycle_time, commands));
        self.draw_back(readings, commands);
        let Mission { guard, posture, .. } = self;
        if guard.is_out(Part::Posture) {
            posture.joints().iter().for_each(|joint| commands.joints[joint.index()].velocity = 0.0);
        }
    }

    /// Arms that are touched where nobody wants it go away from there, beside what has been commanded.
    fn draw_back(&mut self, readings: &Readings, commands: &mut Commands) {
        let wanted_by_skill = self.skills.takes_touch();
        let Mission { guard, withdrawal, mobility, events, .. } = self;
        let wants_touch = |joint: usize| wanted_by_skill || mobility.leads(joint);
        if guard.run(Part::Posture, || withdrawal.update(readings, wants_touch, commands, events)).is_none() {
            withdrawal.give_up();
        }
    }

    /// One cycle of the skill at work, if a step names one. One that panics has failed.
    fn work(&mut self, readings: &Readings, commands: &mut Commands) {
        if !self.is_under_way() {
            return;
        }
        let pose_in_world = self.pose_in_world();
        let (odometry, pose_in_world) = (Some(&self.odometry), Some(pose_in_world));
        let (subject, events) = (Subject::Step(self.sequencer.index()), &mut self.events);
        let cycle_time = self.cycle_time;
        let source = SOURCE;
        let (base, interface) = (self.sending.progress(), None);
        let loan = Loan {
            readings,
            odometry,
            pose_in_world,
            base,
            interface,
            source,
            subject,
            cycle_time,
            commands,
            events,
            ends: None,
        };
        let skills = &mut self.skills;
        match self.guard.run(Part::Skill, || skills.update(loan)) {
            Some(wishes) => self.grant(wishes),
            None => self.skills.fail(),
        }
    }
}
