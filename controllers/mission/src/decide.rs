//! What the mission decides at the follower's and the supervisor's rates.

use robot_io::{Cause, CauseKind, Commands, Event, Lifecycle, Pose2, Readings, RobotStatus, Severity, Subject, Twist};

use crate::SOURCE;
use crate::autonomy::Autonomy;
use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::order::{ActionOrder, LegOrder};
use crate::part::Part;
use crate::ramp::scaled;
use crate::skill::{Progress, STOPPED_BY_FAILURE};
use crate::stance::{Rest, Stance};
use crate::status::Activity;
use crate::supervision::{Health, StopCause};
use crate::task::{Task, View, Way};

impl<M: Mobility> Mission<M> {
    /// Looks after the robot's health; a stop that it demands is kept until somebody resumes the mission.
    pub(crate) fn supervise(&mut self, readings: &Readings) {
        // a crossing stands on three legs and watches its own margin
        let crosses = self.mobility.crossing().is_some();
        let health = Health {
            robot_stopped: robot_stopped(&readings.status),
            tip_over_margin: if crosses { f64::INFINITY } else { self.mobility.tip_over_margin() },
            falls: self.mobility.falls(),
            drive_fault: self.mobility.drive_fault(),
            charge: readings.batteries.first().map(|battery| battery.charge),
            odometry_age: self.now.since(self.mobility.sensed_at(readings)),
            part_out: self.guard.first_out(),
        };
        let before = self.verdict.stop;
        self.verdict = self.supervisor.judge(self.now, &health, &mut self.events);
        if self.mind_the_robot(before, readings) {
            return;
        }
        let is_active = matches!(self.activity, Activity::Running | Activity::Paused);
        let moves = self.stick.is_held() || is_active || self.gives_way();
        // out of a stop the operator may drive the robot although its cause lasts
        let known = |cause: &StopCause| self.activity == Activity::Stopped(*cause);
        if let Some(cause) = self.verdict.stop.filter(|cause| moves && !known(cause)) {
            self.stop(cause);
        }
    }

    /// A robot that is stopped holds by itself: the mission says why, waits, and goes on when it follows again. True while
    /// that is all there is to do.
    fn mind_the_robot(&mut self, before: Option<StopCause>, readings: &Readings) -> bool {
        let stopped = |stop: Option<StopCause>| matches!(stop, Some(StopCause::RobotStopped { .. }));
        if let Some(cause) = self.verdict.stop.filter(|stop| stopped(Some(*stop))) {
            if before != self.verdict.stop {
                self.tell_robot_stopped(readings);
            }
            match self.activity {
                Activity::Running => self.stop(cause),
                Activity::Stopped(StopCause::RobotStopped { .. }) => self.activity = Activity::Stopped(cause),
                // whoever waits, or was stopped before, goes on doing so
                _ => {}
            }
            self.stick.block();
            return true;
        }
        if stopped(before) {
            self.note(Severity::Info, "the robot follows again");
            self.mobility.take_up(readings);
            let Mission { guard, posture, hands, withdrawal, .. } = self;
            withdrawal.give_up();
            guard.run(Part::Posture, || {
                posture.take_up(readings);
                hands.stay(readings);
            });
        }
        if let Activity::Stopped(StopCause::RobotStopped { .. }) = self.activity {
            self.activity = Activity::Running;
            self.continue_if_possible();
        }
        false
    }

    /// All causes in one line, and what to do about them.
    fn tell_robot_stopped(&mut self, readings: &Readings) {
        let causes = readings.status.causes.describe(&self.layout);
        let what = match causes.as_str() {
            "" => format!("robot stopped: it is {}; switch it on, the mission then goes on", readings.status.lifecycle),
            causes => format!("robot stopped: {causes}; mend that and clear the stop, the mission then goes on"),
        };
        self.events.push(Event { what: what.into(), ..Event::note(self.now, Severity::Stop, SOURCE, "") });
    }

    /// Stops safely: the base brakes to a stand and holds.
    pub(crate) fn stop(&mut self, cause: StopCause) {
        self.activity = Activity::Stopped(cause);
        self.wanted = Twist::default();
        self.mobility.abort_crossing();
        self.stick.block();
        self.suspend();
    }

    /// Asks the sequencer what to do and finds the velocity for it.
    pub(crate) fn decide(&mut self, readings: &Readings, commands: &Commands) {
        (self.wanted, self.goal_in_odom) = (Twist::default(), None);
        self.mobility.come_to_rest(None);
        self.mobility.hold_crossing(!self.is_under_way());
        self.mobility.hold_motion(!self.is_under_way());
        self.mobility.hold_steps(!self.is_under_way());
        self.mind_service();
        if self.stands_by() {
            self.stand_by(readings);
        }
        if !self.is_under_way() {
            return;
        }
        let of_map = || self.autonomy().map_or(Way::Open, |autonomy| autonomy.way());
        let way = self.way_of_steps().unwrap_or_else(of_map);
        let view = View {
            now: self.now,
            pose_in_odom: self.odometry.pose(),
            posture_error: self.posture.error(readings),
            way,
            // a robot on three legs finishes its step before its skill is over
            skill: if self.sends_over_an_edge() { Progress::Begun } else { self.skills.progress() },
            motion: self.mobility.motion().into(),
            is_sent: self.sending.is_on_its_way(),
            steps_left: self.has_steps_left(),
            steps: self.is_stepping(),
        };
        if self.is_on_errand() {
            return self.run_errand(&view, readings, commands);
        }
        let task = self.sequencer.update(&view, &mut self.events);
        self.carry_out(task, self.sequencer.beginnings(), &view, readings, commands);
    }

    /// True while a robot on two feet takes steps, or sways on after the last one.
    fn is_stepping(&self) -> bool {
        const STILL: f64 = 0.02;
        let sways = self.odometry.linear_velocity_in_base.xy().norm() > STILL;
        self.mobility.feet().is_some_and(|feet| !feet.stand || sways)
    }

    /// True while the base steps over an edge for the skill that has sent it.
    fn sends_over_an_edge(&self) -> bool {
        self.sending.is_at_work() && self.mobility.crossing().is_some()
    }

    /// Does what is to be done now; `beginnings` says whether it begins.
    pub(crate) fn carry_out(
        &mut self,
        task: Task,
        beginnings: u64,
        view: &View,
        readings: &Readings,
        commands: &Commands,
    ) {
        let begins = core::mem::replace(&mut self.beginnings, beginnings) != beginnings;
        let skill = match task {
            Task::Act(ActionOrder::Skill { skill }) => Some(skill),
            _ => None,
        };
        self.skills.attend(skill, begins);
        if begins || skill.is_none() {
            self.sending.clear();
        }
        match skill {
            Some(_) => self.follow_skill(view, readings, commands),
            None => self.perform(task, begins, readings, commands),
        }
    }

    /// Does what no skill of somebody's own does.
    pub(crate) fn perform(&mut self, task: Task, begins: bool, readings: &Readings, commands: &Commands) {
        let waits = matches!(task, Task::Stand | Task::Act(ActionOrder::Wait { .. }));
        if begins || !task.finds_its_way() && !waits {
            self.ask_map(Autonomy::rest);
        }
        if begins || !matches!(task, Task::Drive(_)) {
            self.end_steps();
        }
        match task {
            Task::Nothing => self.end(),
            Task::Stop => self.give_up(),
            Task::Fail => self.fail(),
            Task::OutOfReach(reach) => self.stop(StopCause::OutOfReach { step: self.sequencer.index(), reach }),
            Task::Drive(leg) if self.steps_to(&leg) => self.walk_to(&leg),
            Task::Drive(leg) if leg.navigate => self.navigate_to(&leg, readings),
            Task::Drive(leg) => self.drive_to(&leg),
            Task::Act(ActionOrder::Stance { height, pitch, roll, seconds }) if begins => {
                let height = if height.is_nan() { self.stance.target().height } else { height };
                self.stance.go_to(Stance { height, pitch, roll }, seconds, self.now);
            }
            Task::Act(ActionOrder::Explore { region_in_map }) => self.explore(region_in_map, readings),
            Task::Act(ActionOrder::Pose { pose, .. }) if begins => {
                let Mission { guard, posture, .. } = self;
                guard.run(Part::Posture, || posture.go_to(pose, readings, commands));
                self.skills.let_go();
                self.mobility.end_motion();
            }
            Task::Act(ActionOrder::Motion { motion }) if begins => {
                let Mission { guard, posture, .. } = self;
                guard.run(Part::Posture, || posture.reset());
                self.skills.let_go();
                self.mobility.begin_motion(motion);
            }
            Task::Act(ActionOrder::Wait { .. }) | Task::Stand => self.stand_by(readings),
            Task::Act(_) => {}
        }
    }

    /// All steps are done. Between errands nobody tells it again.
    fn end(&mut self) {
        self.activity = Activity::Done;
        let (steps, service) = (self.sequencer.len(), self.service.as_mut());
        if service.is_none_or(|service| service.ends_first_time() && steps > 0) {
            self.note(Severity::Info, "mission done");
        }
    }

    pub(crate) fn give_up(&mut self) {
        let step = self.sequencer.index();
        let without = self.sequencer.without_progress(self.now).seconds();
        let event = Event::note(self.now, Severity::Stop, SOURCE, "stopped: no progress for [s]");
        self.events.push(event.about(Subject::Step(step)).with(without, self.plan.progress.stall_time));
        self.stop(StopCause::Stalled { step });
    }

    fn fail(&mut self) {
        let step = self.sequencer.index();
        let event = Event::note(self.now, Severity::Stop, SOURCE, STOPPED_BY_FAILURE);
        self.events.push(event.about(Subject::Step(step)));
        self.stop(StopCause::Failed { step });
    }

    fn drive_to(&mut self, leg: &LegOrder) {
        let pose = self.odometry.pose();
        let previewed = self.preview_client.piece_at(&pose).map_or(f64::INFINITY, |piece| piece.speed_limit);
        self.speed_limit = leg.speed.min(previewed) * self.verdict.speed_share;
        let aim = self.aim(&pose, leg);
        self.goal_in_odom = Some(leg.goal_in_odom);
        let twist = self.mobility.steer(&self.odometry, &aim, leg.look, self.speed_limit);
        self.wanted = within(&twist, self.speed_limit);
        let rest = Rest { pose_in_odom: leg.goal_in_odom, speed: self.speed_limit };
        self.mobility.come_to_rest((!leg.pass).then_some(rest));
    }

    /// The pose to aim at: the goal, or a point behind it on the same line where the robot only passes; the sharper the
    /// corner there, the nearer, so that the robot slows down for it.
    fn aim(&self, pose: &Pose2, leg: &LegOrder) -> Pose2 {
        let goal = leg.goal_in_odom;
        let Some(next) = self.orders_at_work().goal_after().filter(|_| leg.pass) else { return goal };
        let (way, onward) = (pose.distance(&goal), goal.distance(&next.goal_in_odom));
        if way < 1e-6 || onward < 1e-6 {
            return goal;
        }
        let (ux, uy) = ((goal.x - pose.x) / way, (goal.y - pose.y) / way);
        let (vx, vy) = ((next.goal_in_odom.x - goal.x) / onward, (next.goal_in_odom.y - goal.y) / onward);
        let beyond = self.settings.look_beyond * (ux * vx + uy * vy).max(0.0);
        Pose2 { x: goal.x + beyond * ux, y: goal.y + beyond * uy, ..goal }
    }
}

/// How many causes a stopped robot has told. The operator's own emergency stop is the mission's to answer.
fn robot_stopped(status: &RobotStatus) -> Option<u64> {
    let operator = |cause: &Cause| cause.kind == CauseKind::OperatorStop;
    let held = status.lifecycle == Lifecycle::Active && status.causes.iter().all(operator);
    (status.is_stopped() && !held).then(|| status.causes.occurrences())
}

/// The same motion, not faster than `speed` [m/s].
pub(crate) fn within(twist: &Twist, speed: f64) -> Twist {
    let found = robot_io::math::hypot(twist.x, twist.y);
    if found > speed { scaled(twist, speed / found) } else { *twist }
}
