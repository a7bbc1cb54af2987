//! Where the skill of a step has sent the base, and how far it has got.

use robot_io::{Events, State, Time};

use crate::base::{BaseFailure, BaseProgress, BaseTask};
use crate::order::Order;
use crate::plan::ProgressRules;
use crate::sequencer::Sequencer;
use crate::task::{Task, View};

/// What begins here is counted from this number on, so that nobody takes it for a beginning of the mission's own steps.
const FIRST: u64 = 1 << 32;

/// What the skill at work wants of the base, and how far the base has got with it.
#[derive(Clone, Debug, State)]
pub(crate) struct Sending {
    #[state(fixed)]
    rules: ProgressRules,
    /// Wanted, and not begun: a robot on three legs finishes its step first.
    wanted: Option<BaseTask>,
    orders: Sequencer,
    beginnings: u64,
    progress: Option<BaseProgress>,
}

impl Sending {
    /// Nobody is sent anywhere. What follows a stall is the skill's to decide: nothing is tried twice here.
    pub fn new(rules: ProgressRules) -> Sending {
        let rules = rules.once();
        let orders = Sequencer::for_errand(rules, &[]).counting_from(FIRST);
        Sending { rules, wanted: None, orders, beginnings: FIRST, progress: None }
    }

    /// Whatever was wanted is wanted no more.
    pub fn clear(&mut self) {
        if self.progress.is_some() {
            (self.wanted, self.progress) = (None, None);
            self.carry_out(None);
        }
    }

    /// This is wanted from now on.
    pub fn want(&mut self, task: BaseTask) {
        (self.wanted, self.progress) = (Some(task), Some(BaseProgress::Begun));
    }

    /// What is wanted and has not begun; it is to begin now.
    pub fn take_up(&mut self) -> Option<BaseTask> {
        self.wanted.take()
    }

    /// The base sets to work, or it is all there is to say of it.
    pub fn begin(&mut self, order: Option<Order>, progress: BaseProgress) {
        self.progress = Some(progress);
        self.carry_out(order);
    }

    /// What the base has to do now, and whether that begins; nothing when it has come to an end.
    pub fn update(&mut self, view: &View, events: &mut Events) -> Option<(Task, bool)> {
        let task = self.orders.update(view, events);
        let before = core::mem::replace(&mut self.beginnings, self.orders.beginnings());
        let progress = match task {
            Task::Nothing => BaseProgress::Done,
            Task::Stop | Task::Fail => BaseProgress::Failed(BaseFailure::Stalled),
            Task::OutOfReach(reach) => BaseProgress::OutOfReach(reach.nearest),
            Task::Stand | Task::Drive(_) | Task::Act(_) => BaseProgress::Left(self.orders.left()),
        };
        // what is wanted next has not begun, however this ends
        if self.wanted.is_none() {
            self.progress = Some(progress);
        }
        if matches!(progress, BaseProgress::Left(_)) {
            return Some((task, self.beginnings != before));
        }
        self.carry_out(None);
        None
    }

    fn carry_out(&mut self, order: Option<Order>) {
        self.orders = Sequencer::for_errand(self.rules, order.as_slice()).counting_from(self.beginnings);
    }

    /// How far the base has got; nothing if it was not sent.
    pub fn progress(&self) -> Option<BaseProgress> {
        self.progress
    }

    /// True while the base does what it was sent to do.
    pub fn is_at_work(&self) -> bool {
        matches!(self.progress, Some(BaseProgress::Begun | BaseProgress::Left(_)))
    }

    /// True while it watches its own progress: a velocity has none.
    pub fn is_on_its_way(&self) -> bool {
        self.is_at_work() && !self.orders.is_done()
    }

    /// See [`Sequencer::resume`].
    pub fn resume(&mut self, since: Time, now: Time) {
        self.orders.resume(since, now);
    }

    /// The orders that are carried out, while the base is on its way.
    pub fn orders(&self) -> Option<&Sequencer> {
        self.is_on_its_way().then_some(&self.orders)
    }

    /// See [`orders`](Sending::orders).
    pub fn orders_mut(&mut self) -> &mut Sequencer {
        &mut self.orders
    }
}
