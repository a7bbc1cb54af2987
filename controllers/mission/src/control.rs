//! What others may do with a mission: give it more steps, hold it up, let it go on.

use robot_io::Severity;

use crate::MissionError;
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::order::Order;
use crate::plan::Step;
use crate::status::Activity;
use crate::supervision::StopCause;

impl<M: Mobility> Mission<M> {
    /// Puts steps behind the present one, which is finished first; poses are in the plan's frame.
    pub fn splice(&mut self, steps: &[Step]) -> Result<(), MissionError> {
        let orders = self.new_orders(steps)?;
        self.sequencer.splice(&orders)?;
        self.go_on();
        Ok(())
    }

    /// Finishes the present step and then follows another plan's steps.
    pub fn switch_to(&mut self, steps: &[Step]) -> Result<(), MissionError> {
        let orders = self.new_orders(steps)?;
        self.sequencer.replace_rest(&orders)?;
        self.go_on();
        Ok(())
    }

    /// Orders for steps that were not in the plan. A skill or a motion is made, and has its place in a snapshot, before the first cycle.
    fn new_orders(&self, steps: &[Step]) -> Result<Vec<Order>, MissionError> {
        if let Some(skill) = steps.iter().find_map(Step::skill) {
            return Err(MissionError::LateSkill { name: skill.name().to_owned() });
        }
        if let Some(motion) = steps.iter().find_map(Step::motion) {
            return Err(MissionError::LateSkill { name: motion.key().to_owned() });
        }
        self.resolver.orders(steps)
    }

    /// Stands still and holds until [resumed](Mission::resume).
    pub fn pause(&mut self) {
        if self.activity == Activity::Running {
            self.activity = Activity::Paused;
            self.suspend();
            self.note(Severity::Info, "paused");
        }
    }

    /// Begins, goes on after a pause, or tries again after a stop whose cause is gone; true if it does.
    pub fn resume(&mut self) -> bool {
        match self.activity {
            Activity::Idle | Activity::Paused => {}
            Activity::Stopped(cause) if cause != StopCause::EmergencyStop && self.verdict.stop.is_none() => {
                let now = self.now;
                self.orders_at_work_mut().try_again(now);
                self.skills.forget_failure();
            }
            Activity::Stopped(_) => {
                self.note(Severity::Warning, "resume refused: the cause of the stop lasts");
                return false;
            }
            Activity::Running | Activity::Done => return false,
        }
        self.activity = Activity::Running;
        self.continue_if_possible();
        self.note(Severity::Info, "running");
        true
    }

    /// From now on the mission's time stands still.
    pub(crate) fn suspend(&mut self) {
        self.suspended_since = self.suspended_since.or(Some(self.now));
        if let Some(service) = &mut self.service {
            service.forget_progress();
        }
    }

    /// The mission's time goes on, if nothing else holds it.
    pub(crate) fn continue_if_possible(&mut self) {
        if !self.is_under_way() {
            return;
        }
        if let Some(since) = self.suspended_since.take() {
            let now = self.now;
            self.orders_at_work_mut().resume(since, now);
            self.sending.resume(since, now);
        }
    }

    /// A mission that was done has more to do now.
    pub(crate) fn go_on(&mut self) {
        if self.activity == Activity::Done && !self.sequencer.is_done() {
            self.activity = Activity::Running;
        }
    }
}
