//! What others want of the base, and how far it has got with that.

use robot_io::{State, Time};

use crate::base::{BaseGoal, BaseProgress, BaseTask, GoalStatus, StanceChange};
use crate::order::Order;
use crate::plan::ProgressRules;
use crate::sequencer::Sequencer;

/// A goal that is older than this is wanted no more [s].
const LASTS: f64 = 0.2;

/// What others want of the base, and what it does about it.
#[derive(Clone, Debug, State)]
pub(crate) struct Service {
    #[state(fixed)]
    rules: ProgressRules,
    /// What is wanted.
    goal: BaseGoal,
    /// What is done about it; another goal until this one can be left.
    served: BaseGoal,
    phase: Phase,
    progress: BaseProgress,
    orders: Sequencer,
    /// The stance that was asked for last.
    stance: Option<StanceChange>,
    /// Since when the mission's own steps wait.
    steps_wait_since: Time,
    /// The mission's own steps have come to their end.
    have_steps_ended: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
enum Phase {
    /// There is nothing to do.
    #[default]
    Over,
    /// What the mission does has to be finished first.
    Waits,
    /// The base is at it.
    AtWork,
}

impl Service {
    /// Nobody has asked for anything. Whoever asks decides what follows a stall: nothing is tried twice here.
    pub fn new(rules: ProgressRules) -> Service {
        let rules = rules.once();
        Service {
            rules,
            goal: BaseGoal::default(),
            served: BaseGoal::default(),
            phase: Phase::Over,
            progress: BaseProgress::Begun,
            orders: Sequencer::for_errand(rules, &[]),
            stance: None,
            steps_wait_since: Time::ZERO,
            have_steps_ended: false,
        }
    }

    /// Takes note of what is wanted.
    pub fn hear(&mut self, goal: &BaseGoal, now: Time) {
        self.goal = *goal;
        if now.since(goal.stamp).seconds() > LASTS {
            self.goal.task = BaseTask::Nothing;
        }
        if self.goal.is(&self.served) {
            self.served.task = self.goal.task;
        }
    }

    /// What is done about it.
    pub fn task(&self) -> &BaseTask {
        &self.served.task
    }

    /// True if something else is wanted than what is done about it.
    pub fn is_out_of_date(&self) -> bool {
        !self.goal.is(&self.served)
    }

    /// Takes up what is wanted now; it waits for what has to be finished first.
    pub fn take_up(&mut self) {
        self.served = self.goal;
        let wants = self.goal.task != BaseTask::Nothing;
        (self.phase, self.progress) = (if wants { Phase::Waits } else { Phase::Over }, BaseProgress::Begun);
    }

    /// True while what is wanted waits for what has to be finished first.
    pub fn waits(&self) -> bool {
        self.phase == Phase::Waits
    }

    /// The base sets to work, while the mission's own steps wait since `since`; its beginnings come after so many others.
    pub fn begin(&mut self, order: Option<Order>, since: Time, beginnings: u64) {
        (self.phase, self.steps_wait_since, self.stance) = (Phase::AtWork, since, None);
        self.orders = Sequencer::for_errand(self.rules, order.as_slice()).counting_from(beginnings);
    }

    /// It has got so far.
    pub fn note(&mut self, progress: BaseProgress) {
        self.progress = progress;
    }

    /// It has ended so.
    pub fn end(&mut self, progress: BaseProgress) {
        (self.phase, self.progress) = (Phase::Over, progress);
    }

    /// Since when the mission's own steps wait.
    pub fn steps_wait_since(&self) -> Time {
        self.steps_wait_since
    }

    /// The stance that is asked for, if it is another than before.
    pub fn new_stance(&mut self, stance: Option<StanceChange>) -> Option<StanceChange> {
        let before = core::mem::replace(&mut self.stance, stance);
        stance.filter(|_| before != stance)
    }

    /// True while the base is at work for somebody.
    pub fn is_at_work(&self) -> bool {
        self.phase == Phase::AtWork
    }

    /// What is to be done for them.
    pub fn orders(&self) -> Option<&Sequencer> {
        self.is_at_work().then_some(&self.orders)
    }

    /// See [`orders`](Service::orders).
    pub fn orders_mut(&mut self) -> Option<&mut Sequencer> {
        if self.is_at_work() { Some(&mut self.orders) } else { None }
    }

    /// The mission's own steps are done; true if they were not before.
    pub fn ends_first_time(&mut self) -> bool {
        !core::mem::replace(&mut self.have_steps_ended, true)
    }

    /// What was left does not count any more: who knows where the robot is afterwards.
    pub fn forget_progress(&mut self) {
        if self.is_at_work() {
            self.progress = BaseProgress::Begun;
        }
    }

    /// False while the operator sends the base elsewhere first.
    fn comes_first(&self) -> bool {
        let own = usize::from(!matches!(self.served.task, BaseTask::Drive { .. }));
        self.orders.len().saturating_sub(self.orders.index()) <= own
    }

    /// How it stands with what is wanted, for a mission that follows its plan now or does not.
    pub fn status(&self, is_free: bool) -> Option<GoalStatus> {
        let BaseGoal { by, id, task, .. } = self.goal;
        if !self.goal.is(&self.served) {
            return (task != BaseTask::Nothing).then_some(GoalStatus {
                by,
                id,
                is_held_up: true,
                ..GoalStatus::default()
            });
        }
        let is_held_up = self.phase == Phase::Waits || self.is_at_work() && !(is_free && self.comes_first());
        (self.served != BaseGoal::default()).then_some(GoalStatus { by, id, progress: self.progress, is_held_up })
    }
}
