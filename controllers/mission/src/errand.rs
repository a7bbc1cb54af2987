//! What a mission does for others: an errand at a time, between its own steps.

use robot_io::{Commands, JointCommand, Pose2, Readings, Time, Twist};

use crate::autonomy::Autonomy;
use crate::base::{BaseFailure, BaseGoal, BaseProgress, BaseStatus, BaseTask, Destination, StanceChange};
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::order::{ActionOrder, LegOrder, Order};
use crate::plan::Leg;
use crate::progress::Remaining;
use crate::ramp::scaled;
use crate::sequencer::Sequencer;
use crate::service::Service;
use crate::stance::Stance;
use crate::status::Activity;
use crate::task::{Task, View};

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

    /// Whether somebody else has a joint, and what it is told then.
    pub(crate) fn note_lent(&mut self, joint: usize, told: Option<JointCommand>) {
        self.mobility.note_lent(joint, told);
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

    /// The orders that the base carries out now: those for others, or for a skill, else the mission's own.
    pub(crate) fn orders_at_work(&self) -> &Sequencer {
        let errand = self.service.as_ref().and_then(|service| service.orders());
        errand.or(self.sending.orders()).unwrap_or(&self.sequencer)
    }

    /// Those for others, else the mission's own.
    pub(crate) fn orders_at_work_mut(&mut self) -> &mut Sequencer {
        self.service.as_mut().and_then(|service| service.orders_mut()).unwrap_or(&mut self.sequencer)
    }

    /// Leaves what is not wanted any more, and begins what is. A robot on three legs, and an action of the mission's own, come to their
    /// end first.
    pub(crate) fn mind_service(&mut self) {
        let is_crossing = self.mobility.crossing().is_some();
        let Some(service) = &mut self.service else { return };
        if service.is_out_of_date() && !is_crossing {
            let was_at_work = service.is_at_work();
            service.take_up();
            if was_at_work {
                self.go_on_with_steps();
            }
        }
        self.begin_errand(is_crossing);
    }

    fn begin_errand(&mut self, is_crossing: bool) {
        let Some(service) = self.service.as_ref().filter(|service| service.waits()) else { return };
        if is_crossing || self.sequencer.is_acting() || self.activity == Activity::Idle {
            return;
        }
        let order = self.order_for(service.task());
        let beginnings = self.sequencer.beginnings().max(self.beginnings);
        let since = self.suspended_since.unwrap_or(self.now);
        let Some(service) = &mut self.service else { return };
        match order {
            Err(failure) => service.end(BaseProgress::Failed(failure)),
            Ok(order) => {
                service.begin(order, since, beginnings);
                if self.activity == Activity::Done {
                    self.activity = Activity::Running;
                }
            }
        }
    }

    /// What the base has to do for a task; nothing where it follows a velocity.
    pub(crate) fn order_for(&self, task: &BaseTask) -> Result<Option<Order>, BaseFailure> {
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
                let leg = leg(&destination, has_map);
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
        let Some(orders) = service.orders_mut() else { return };
        let task = orders.update(view, events);
        let (left, beginnings) = (orders.left(), orders.beginnings());
        let end = match task {
            Task::Nothing => match *service.task() {
                // the velocity may have become another since it began
                BaseTask::Drive { .. } if !service.task().is_sound() => BaseProgress::Failed(BaseFailure::BadGoal),
                BaseTask::Drive { twist, stance } => return self.drive_freely(&twist, stance),
                _ => BaseProgress::Done,
            },
            Task::Stop | Task::Fail => BaseProgress::Failed(BaseFailure::Stalled),
            Task::OutOfReach(reach) => BaseProgress::OutOfReach(reach.nearest),
            Task::Stand | Task::Drive(_) | Task::Act(_) => {
                service.note(BaseProgress::Left(left));
                return self.carry_out(task, beginnings, view, readings, commands);
            }
        };
        service.end(end);
        self.go_on_with_steps();
    }

    fn drive_freely(&mut self, twist: &Twist, stance: Option<StanceChange>) {
        let Mission { service, stance: ramp, verdict, now, .. } = self;
        let Some(service) = service else { return };
        service.note(BaseProgress::Left(Remaining::default()));
        if let Some(change) = service.new_stance(stance) {
            ramp.go_to(change.stance, change.seconds, *now);
        }
        self.wanted = scaled(twist, verdict.speed_share);
        self.ask_map(Autonomy::rest);
    }

    /// An errand is over: nothing of its time is held against the mission's own steps.
    fn go_on_with_steps(&mut self) {
        let Some(service) = &self.service else { return };
        self.sequencer.resume(service.steps_wait_since(), self.now);
        self.suspended_since = self.suspended_since.map(|_| self.now);
        self.ask_map(Autonomy::rest);
    }
}

/// A drive to a place as the leg of a mission that may draw a map.
fn leg(to: &Destination, has_map: bool) -> Leg {
    let Destination { pose_in_world: Pose2 { x, y, yaw }, tolerance, heading_tolerance, speed, look, pass, .. } = *to;
    let navigate = to.navigate.unwrap_or(has_map);
    Leg { tolerance, heading_tolerance, speed, look, pass, navigate, ..Leg::to(x, y, to.with_heading.then_some(yaw)) }
}
