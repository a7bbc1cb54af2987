//! Where the skill of a step has sent the base: the mission drives there for it, as it does for the skills of charts.

use robot_io::{Commands, Readings, State, Time, Twist};

use crate::autonomy::Autonomy;
use crate::base::{BaseFailure, BaseProgress, BaseTask};
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::order::Order;
use crate::plan::ProgressRules;
use crate::progress::Remaining;
use crate::ramp::scaled;
use crate::sequencer::Sequencer;
use crate::skill::Wishes;
use crate::task::{Task, View, Way};

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
            self.begin(None);
            (self.wanted, self.progress) = (None, None);
        }
    }

    /// This is wanted from now on.
    fn want(&mut self, task: BaseTask) {
        (self.wanted, self.progress) = (Some(task), Some(BaseProgress::Begun));
    }

    /// The base sets to work.
    fn begin(&mut self, order: Option<Order>) {
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

impl<M: Mobility> Mission<M> {
    /// Takes note of what the skill at work has asked for in this cycle.
    pub(crate) fn grant(&mut self, wishes: Wishes) {
        let Wishes { stance, drives, base } = wishes;
        if let Some((stance, seconds)) = stance {
            self.stance.go_to(stance, seconds, self.now);
        }
        if drives {
            self.sending.clear();
        }
        if let Some(task) = base {
            self.sending.want(task);
        }
    }

    /// Moves the base as the skill of the present step wants it.
    pub(crate) fn follow_skill(&mut self, view: &View, readings: &Readings, commands: &Commands) {
        let is_crossing = self.mobility.crossing().is_some();
        let mut view = *view;
        if let Some(task) = self.sending.wanted.take_if(|_| !is_crossing) {
            self.send(&task);
            // what was found out before is of another goal
            view.way = Way::Open;
        }
        if self.sending.orders.is_done() {
            self.ask_map(Autonomy::rest);
            self.wanted = scaled(&self.skills.twist(), self.verdict.speed_share);
            return;
        }
        let Mission { sending, events, .. } = self;
        let task = sending.orders.update(&view, events);
        let begins = core::mem::replace(&mut sending.beginnings, sending.orders.beginnings()) != sending.beginnings;
        sending.progress = Some(match task {
            Task::Nothing => BaseProgress::Done,
            Task::Stop | Task::Fail => BaseProgress::Failed(BaseFailure::Stalled),
            Task::OutOfReach(reach) => BaseProgress::OutOfReach(reach.nearest),
            Task::Stand | Task::Drive(_) | Task::Act(_) => BaseProgress::Left(sending.orders.left()),
        });
        if sending.is_at_work() {
            return self.perform(task, begins, readings, commands);
        }
        sending.begin(None);
        self.ask_map(Autonomy::rest);
    }

    /// Begins what the skill wants of the base.
    fn send(&mut self, task: &BaseTask) {
        self.ask_map(Autonomy::rest);
        self.skills.drive(match task {
            BaseTask::Drive { twist, .. } if task.is_sound() => *twist,
            _ => Twist::default(),
        });
        let (order, progress) = match (self.order_for(task), task) {
            (Err(failure), _) => (None, BaseProgress::Failed(failure)),
            (Ok(_), BaseTask::Nothing) => return self.sending.clear(),
            (Ok(_), BaseTask::Drive { stance, .. }) => {
                if let Some(change) = stance {
                    self.stance.go_to(change.stance, change.seconds, self.now);
                }
                (None, BaseProgress::Left(Remaining::default()))
            }
            (Ok(order), _) => (order, BaseProgress::Begun),
        };
        self.sending.begin(order);
        self.sending.progress = Some(progress);
    }
}
