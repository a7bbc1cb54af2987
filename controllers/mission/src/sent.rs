//! Moves the base as the skill of a step wants it: the mission drives there for it, as it does for the skills of charts.

use robot_io::{Commands, Readings, Twist};

use crate::autonomy::Autonomy;
use crate::base::{BaseProgress, BaseTask};
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::progress::Remaining;
use crate::ramp::scaled;
use crate::skill::Wishes;
use crate::task::{View, Way};

impl<M: Mobility> Mission<M> {
    /// Takes note of what the skill at work has asked for in this cycle.
    pub(crate) fn grant(&mut self, wishes: Wishes) {
        let Wishes { stance, drives, base } = wishes;
        if let Some((stance, seconds)) = stance {
            self.stance.go_to(stance, seconds, self.now);
        }
        if drives && self.mobility.crossing().is_none() {
            self.sending.clear();
        } else if drives {
            self.sending.want(BaseTask::Drive { twist: self.skills.twist(), stance: None });
        }
        if let Some(task) = base {
            self.sending.want(task);
        }
    }

    /// Moves the base as the skill of the present step wants it. A robot on three legs finishes its step first.
    pub(crate) fn follow_skill(&mut self, view: &View, readings: &Readings, commands: &Commands) {
        let mut view = *view;
        let is_crossing = self.mobility.crossing().is_some();
        if let Some(task) = if is_crossing { None } else { self.sending.take_up() } {
            self.send(&task);
            // what was found out before is of another goal
            view.way = Way::Open;
        }
        if !self.sending.is_on_its_way() {
            self.ask_map(Autonomy::rest);
            self.wanted = scaled(&self.skills.twist(), self.verdict.speed_share);
            return;
        }
        let Mission { sending, events, .. } = self;
        match sending.update(&view, events) {
            Some((task, begins)) => self.perform(task, begins, readings, commands),
            None => {
                self.ask_map(Autonomy::rest);
            }
        }
    }

    /// Begins what the skill wants of the base.
    fn send(&mut self, task: &BaseTask) {
        self.ask_map(Autonomy::rest);
        self.skills.drive(match task {
            BaseTask::Drive { twist, .. } if task.is_sound() => *twist,
            _ => Twist::default(),
        });
        match (self.order_for(task), task) {
            (Err(failure), _) => self.sending.begin(None, BaseProgress::Failed(failure)),
            (Ok(_), BaseTask::Nothing) => self.sending.clear(),
            (Ok(_), BaseTask::Drive { stance, .. }) => {
                if let Some(change) = stance {
                    self.stance.go_to(change.stance, change.seconds, self.now);
                }
                self.sending.begin(None, BaseProgress::Left(Remaining::default()));
            }
            (Ok(order), _) => self.sending.begin(order, BaseProgress::Begun),
        }
    }
}
