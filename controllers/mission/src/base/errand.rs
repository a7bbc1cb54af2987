//! What a mission does for others: an errand at a time, between its own steps.

use robot_io::{Commands, Pose2, Readings, State, Time, Twist};

use super::goal::{BaseFailure, BaseGoal, BaseProgress, BaseStatus, BaseTask, GoalStatus, StanceChange};
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::order::{ActionOrder, LegOrder, Order};
use crate::plan::{OnStall, ProgressRules};
use crate::ramp::scaled;
use crate::sequencer::Sequencer;
use crate::stance::Stance;
use crate::status::Activity;
use crate::task::{Task, View};

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
        let rules = ProgressRules { retries: 0, on_stall: OnStall::Stop, ..rules };
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
    fn hear(&mut self, goal: &BaseGoal, now: Time) {
        self.goal = *goal;
        if now.since(goal.stamp).seconds() > LASTS {
            self.goal.task = BaseTask::Nothing;
        }
        if self.goal.is(&self.served) {
            self.served.task = self.goal.task;
        }
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
        self.orders.len() - self.orders.index() <= own
    }

    fn status(&self, is_free: bool) -> Option<GoalStatus> {
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

impl<M: Mobility> Mission<M> {
    /// From now on the base is at the service of others as well.
    pub fn serve(&mut self) {
        self.service = Some(Box::new(Service::new(self.plan.progress)));
    }

    /// What others want of the base.
    pub(crate) fn hear(&mut self, goal: &BaseGoal, now: Time) {
        if let Some(service) = &mut self.service {
            service.hear(goal, now);
        }
    }

    /// Where the base is, and how it stands with what others want of it.
    pub fn base_status(&self) -> BaseStatus {
        let goal = self.service.as_ref().and_then(|service| service.status(self.is_under_way()));
        BaseStatus {
            stamp: self.now,
            odometry: self.odometry,
            pose_in_world: self.pose_in_world(),
            is_localized: !self.is_lost() && self.autonomy().is_some() == self.autonomy.is_some(),
            goal,
        }
    }

    /// Where the robot believes to be in the world.
    pub(crate) fn pose_in_world(&self) -> Pose2 {
        self.odometry.pose().placed_at(&self.resolver.odom_in_world())
    }

    /// The orders that the base carries out now: those for others, else the mission's own.
    pub(crate) fn orders_at_work(&self) -> &Sequencer {
        self.service.as_ref().and_then(|service| service.orders()).unwrap_or(&self.sequencer)
    }

    /// See [`orders_at_work`](Mission::orders_at_work).
    pub(crate) fn orders_at_work_mut(&mut self) -> &mut Sequencer {
        self.service.as_mut().and_then(|service| service.orders_mut()).unwrap_or(&mut self.sequencer)
    }

    /// Leaves what is not wanted any more, and begins what is. A robot on three legs, and an action of the mission's own, come to their
    /// end first.
    pub(crate) fn mind_service(&mut self) {
        let is_crossing = self.mobility.crossing().is_some();
        let Some(service) = &mut self.service else { return };
        if !service.goal.is(&service.served) && !is_crossing {
            let was_at_work = service.is_at_work();
            service.served = service.goal;
            let wants = service.goal.task != BaseTask::Nothing;
            service.phase = if wants { Phase::Waits } else { Phase::Over };
            service.progress = BaseProgress::Begun;
            if was_at_work {
                self.go_on_with_steps();
            }
        }
        self.begin_errand(is_crossing);
    }

    fn begin_errand(&mut self, is_crossing: bool) {
        let Some(service) = &self.service else { return };
        let is_busy = is_crossing || self.sequencer.is_acting() || self.activity == Activity::Idle;
        if service.phase != Phase::Waits || is_busy {
            return;
        }
        let order = self.order_for(&service.served.task);
        let beginnings = self.sequencer.beginnings().max(self.beginnings);
        let since = self.suspended_since.unwrap_or(self.now);
        let Some(service) = &mut self.service else { return };
        match order {
            Err(failure) => (service.phase, service.progress) = (Phase::Over, BaseProgress::Failed(failure)),
            Ok(order) => {
                service.phase = Phase::AtWork;
                service.steps_wait_since = since;
                service.stance = None;
                service.orders = Sequencer::for_errand(service.rules, order.as_slice()).counting_from(beginnings);
                if self.activity == Activity::Done {
                    self.activity = Activity::Running;
                }
            }
        }
    }

    /// What the base has to do for a task; nothing where it follows a velocity.
    fn order_for(&self, task: &BaseTask) -> Result<Option<Order>, BaseFailure> {
        if !self.mobility.moves() {
            return Err(BaseFailure::StaysPut);
        }
        if !task.is_sound() {
            return Err(BaseFailure::BadGoal);
        }
        let has_map = self.autonomy.is_some();
        match *task {
            BaseTask::Nothing | BaseTask::Drive { .. } => Ok(None),
            BaseTask::GoTo(destination) => {
                let leg = destination.leg(has_map);
                if leg.navigate && !has_map {
                    return Err(BaseFailure::NoMap);
                }
                self.resolver.check_tolerances(&leg).map_err(|_| BaseFailure::BadGoal)?;
                let leg = LegOrder::new(&leg, &self.resolver.world_in_odom(), self.resolver.cruise_speed());
                Ok(Some(Order { leg: Some(leg), action: None }))
            }
            BaseTask::Explore(region_in_map) if has_map => Ok(Some(ActionOrder::Explore { region_in_map }.into())),
            BaseTask::Explore(_) => Err(BaseFailure::NoMap),
            BaseTask::Stance(StanceChange { stance: Stance { height, pitch, roll }, seconds }) => {
                Ok(Some(ActionOrder::Stance { height, pitch, roll, seconds }.into()))
            }
        }
    }

    /// True while the base works for others.
    pub(crate) fn is_on_errand(&self) -> bool {
        self.service.as_ref().is_some_and(|service| service.is_at_work())
    }

    /// Does what somebody else wants of the base.
    pub(crate) fn run_errand(&mut self, view: &View, readings: &Readings, commands: &Commands) {
        let Mission { service, events, .. } = self;
        let Some(service) = service else { return };
        let task = service.orders.update(view, events);
        let end = match task {
            Task::Nothing => match service.served.task {
                BaseTask::Drive { twist, stance } => return self.drive_freely(&twist, stance),
                _ => BaseProgress::Done,
            },
            Task::Stop | Task::Fail => BaseProgress::Failed(BaseFailure::Stalled),
            Task::OutOfReach(reach) => BaseProgress::OutOfReach(reach.nearest),
            Task::Stand | Task::Drive(_) | Task::Act(_) => {
                service.progress = BaseProgress::Left(service.orders.left());
                let beginnings = service.orders.beginnings();
                return self.carry_out(task, beginnings, readings, commands);
            }
        };
        (service.phase, service.progress) = (Phase::Over, end);
        self.go_on_with_steps();
    }

    fn drive_freely(&mut self, twist: &Twist, stance: Option<StanceChange>) {
        let Mission { service, stance: ramp, verdict, now, .. } = self;
        let Some(service) = service else { return };
        service.progress = BaseProgress::Left(Default::default());
        if let Some(change) = stance.filter(|_| core::mem::replace(&mut service.stance, stance) != stance) {
            ramp.go_to(change.stance, change.seconds, *now);
        }
        self.wanted = scaled(twist, verdict.speed_share);
        self.ask_map(crate::autonomy::Autonomy::rest);
    }

    /// An errand is over: nothing of its time is held against the mission's own steps.
    fn go_on_with_steps(&mut self) {
        let Some(service) = &self.service else { return };
        self.sequencer.resume(service.steps_wait_since, self.now);
        self.suspended_since = self.suspended_since.map(|_| self.now);
        self.ask_map(crate::autonomy::Autonomy::rest);
    }
}
