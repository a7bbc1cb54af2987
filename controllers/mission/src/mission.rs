//! The controller that composes the skills.

mod memory;

use core::fmt;

use robot_io::deadline::TaskBoard;
use robot_io::{
    Commands, Controller, Event, Events, HeightMap, Odometry, Parts, Pose2, Readings, RobotLayout, Settings as _,
    Severity, Telemetry, Time, Twist,
};
use robot_model::RobotModel;

use crate::autonomy::Autonomy;
use crate::carriage::Carriage;
use crate::hands::Hands;
use crate::mobility::Mobility;
use crate::order::Order;
use crate::part::{Guard, Part};
use crate::plan::MissionPlan;
use crate::posture::Posture;
use crate::preview_client::PreviewClient;
use crate::ramp::{StanceRamp, approach, scaled};
use crate::resolve::Resolver;
use crate::schedule::{Schedule, Slot};
use crate::sending::Sending;
use crate::sequencer::Sequencer;
use crate::service::Service;
use crate::settings::MissionSettings;
use crate::skill::SkillRunner;
use crate::stance::BaseTarget;
use crate::status::{Activity, MissionStatus};
use crate::steps::StepClient;
use crate::stick::Stick;
use crate::supervision::{StopCause, Supervisor, Verdict};
use crate::tuning::Tuner;
use crate::withdrawal::Withdrawal;
use crate::{MissionError, RoutePreview, SOURCE};

/// A mission under way: estimator, follower, supervisor and locomotion, each at its own rate, for a plan.
///
/// The operator's word counts more than the plan's: a touch of the stick drives the robot, and the mission goes on from
/// there when it is released ("autonomy as a layer on a teleoperable system", digest of the Momaro paper, 1.3).
#[derive(Debug)]
pub struct Mission<M = Carriage> {
    pub(crate) settings: MissionSettings,
    pub(crate) tuner: Tuner,
    pub(crate) hands: Hands,
    /// Draws arms back that are touched, if the robot has skin.
    pub(crate) withdrawal: Withdrawal,
    pub(crate) layout: RobotLayout,
    pub(crate) resolver: Resolver,
    pub(crate) plan: MissionPlan,
    pub(crate) cycle_time: f64,
    schedule: Schedule,
    follower: Slot,
    supervision: Slot,
    pub(crate) mobility: M,
    /// Mapping and navigation, if the plan asks for a map.
    pub(crate) autonomy: Option<Box<Autonomy>>,
    /// Footsteps, if it walks on two feet.
    pub(crate) steps: Option<Box<StepClient>>,
    pub(crate) posture: Posture,
    pub(crate) skills: SkillRunner,
    /// Where the skill at work has sent the base.
    pub(crate) sending: Sending,
    pub(crate) sequencer: Sequencer,
    /// What others want of the base, if it is at their service.
    pub(crate) service: Option<Box<Service>>,
    pub(crate) supervisor: Supervisor,
    pub(crate) preview_client: PreviewClient,
    pub(crate) activity: Activity,
    pub(crate) stick: Stick,
    /// Since when the mission has not been followed, if it is not.
    pub(crate) suspended_since: Option<Time>,
    pub(crate) verdict: Verdict,
    pub(crate) odometry: Odometry,
    pub(crate) goal_in_odom: Option<Pose2>,
    pub(crate) speed_limit: f64,
    pub(crate) wanted: Twist,
    pub(crate) stance: StanceRamp,
    pub(crate) beginnings: u64,
    twist: Twist,
    pub(crate) guard: Guard,
    pub(crate) begun: Time,
    pub(crate) now: Time,
    pub(crate) events: Events,
}

impl Mission {
    /// A mission for a robot, on wheels or standing, that is told where it starts, and perhaps what the ground is like.
    pub fn new(
        model: &RobotModel,
        layout: &RobotLayout,
        plan: &MissionPlan,
        start_in_world: Pose2,
        prior: Option<HeightMap>,
        settings: &MissionSettings,
    ) -> Result<Mission, MissionError> {
        let settings = settings.fine_enough_for(plan);
        let carriage = Carriage::new(model, layout, plan, &settings)?;
        Mission::with_mobility(carriage, model, layout, plan, start_in_world, prior, &settings)
    }
}

impl<M: Mobility> Mission<M> {
    /// A mission for a robot that moves in its own way.
    pub fn with_mobility(
        mobility: M,
        model: &RobotModel,
        layout: &RobotLayout,
        plan: &MissionPlan,
        start_in_world: Pose2,
        prior: Option<HeightMap>,
        settings: &MissionSettings,
    ) -> Result<Mission<M>, MissionError> {
        settings.check()?;
        let resolver = Resolver::new(model, plan.frame, start_in_world, settings);
        let orders = resolver.orders(&plan.steps)?;
        let period = MissionSettings::period;
        let microseconds = robot_io::Period::from_microseconds;
        let mut schedule = Schedule::new(layout.period);
        schedule.every_cycle("estimation", microseconds(60));
        let supervision = schedule.every("supervision", period(settings.supervision_interval), microseconds(5))?;
        let follower = schedule.every("follower", period(settings.follower_interval), microseconds(20))?;
        schedule.every_cycle("locomotion", microseconds(100));
        schedule.every_cycle("posture", microseconds(5));
        let (interval, latency) = (period(settings.preview_interval), period(settings.preview_latency));
        let autonomy = plan.mapping.then(|| {
            schedule.every_cycle("mapping", microseconds(100));
            Autonomy::new(model, layout, start_in_world, prior.as_ref(), settings).map(Box::new)
        });
        let steps = StepClient::new(model, prior.as_ref(), settings, layout.period)?.map(Box::new);
        Ok(Mission {
            steps,
            cycle_time: layout.period.seconds(),
            preview_client: PreviewClient::new(settings.preview, prior, interval, latency, layout.period),
            sequencer: Sequencer::new(plan.progress, &orders),
            service: None,
            supervisor: Supervisor::new(settings.supervision),
            posture: Posture::new(model),
            skills: SkillRunner::new(plan.skills(model, layout)?),
            sending: Sending::new(plan.progress),
            stance: StanceRamp::hold(mobility.usual_stance()),
            settings: settings.clone(),
            tuner: Tuner::new(settings),
            hands: Hands::default(),
            withdrawal: Withdrawal::new(model, layout, &settings.withdrawal),
            layout: layout.clone(),
            plan: plan.clone(),
            events: Events::with_capacity(64),
            resolver,
            schedule,
            follower,
            supervision,
            mobility,
            autonomy: autonomy.transpose()?,
            activity: Activity::Idle,
            stick: Stick::default(),
            suspended_since: None,
            verdict: Verdict::default(),
            odometry: Odometry::default(),
            goal_in_odom: None,
            speed_limit: settings.cruise_speed,
            wanted: Twist::default(),
            beginnings: 0,
            twist: Twist::default(),
            guard: Guard::default(),
            begun: Time::ZERO,
            now: Time::ZERO,
        })
    }

    /// How the mission stands.
    pub fn status(&self) -> MissionStatus<'_> {
        let joint = match self.activity {
            Activity::Stopped(StopCause::MotorFault { joint }) => self.layout.joints.get(joint),
            _ => None,
        };
        MissionStatus {
            name: &self.plan.name,
            activity: self.activity,
            teleoperated: self.stick.is_held(),
            is_unsure: self.autonomy().is_some_and(|autonomy| !autonomy.is_sure()),
            gives_way_to: self.gives_way_to(),
            step: self.sequencer.index(),
            steps: self.sequencer.len(),
            serves: self.service.is_some(),
            is_on_errand: self.is_on_errand(),
            left: self.orders_at_work().left(),
            without_progress: self.orders_at_work().without_progress(self.now),
            elapsed: self.now.since(self.begun),
            joint: joint.map(|joint| joint.name.as_str()),
        }
    }

    /// How it moves its robot.
    pub fn mobility(&self) -> &M {
        &self.mobility
    }

    /// Which skill runs at which rate.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// What the way ahead is like.
    pub fn preview(&self) -> &RoutePreview {
        self.preview_client.preview()
    }

    /// True while the plan is what moves the robot.
    pub(crate) fn is_under_way(&self) -> bool {
        // a robot that stands on three legs finishes its step first, wherever it is
        let lost = self.is_lost() && self.mobility.crossing().is_none();
        self.activity == Activity::Running && !self.stick.is_held() && !lost && self.guard.first_out().is_none()
    }

    /// True while the robot does not know where it is on its map.
    pub fn is_lost(&self) -> bool {
        self.autonomy().is_some_and(|autonomy| autonomy.is_lost())
    }

    /// Mapping and navigation, if the plan asks for a map and they work.
    pub fn autonomy(&self) -> Option<&Autonomy> {
        self.autonomy.as_deref().filter(|_| !self.guard.is_out(Part::Mapping))
    }

    pub(crate) fn note(&mut self, severity: Severity, what: &'static str) {
        self.events.push(Event::note(self.now, severity, SOURCE, what));
    }

    /// The base's velocity of this cycle: on the way to what is wanted, gently or as fast as a stop demands.
    fn shape_twist(&mut self) {
        let stopped = matches!(self.activity, Activity::Stopped(_));
        let wanted = match self.stick.twist() {
            Some(stick) => scaled(&stick, self.verdict.speed_share),
            None if self.mobility.is_learning() => Twist::default(),
            None if self.is_under_way() || self.stands_by() => self.wanted,
            None => Twist::default(),
        };
        let limits =
            if stopped && wanted.is_zero() || self.gives_way() { self.settings.stop } else { self.settings.ramp };
        self.twist = approach(&self.twist, &wanted, &limits, self.cycle_time);
    }
}

impl<M: Mobility> Controller for Mission<M> {
    fn reset(&mut self, readings: &Readings) {
        self.guard = Guard::begin();
        (self.begun, self.now) = (readings.time, readings.time);
        self.mobility.reset(readings);
        self.odometry = self.mobility.odometry();
        self.posture.reset();
        self.skills.reset();
        self.sending = Sending::new(self.plan.progress);
        self.hands.reset();
        self.withdrawal.give_up();
        self.tuner.reset();
        self.supervisor.reset();
        (self.verdict, self.stick, self.suspended_since) = (Verdict::default(), Stick::default(), None);
        (self.wanted, self.twist, self.goal_in_odom) = (Twist::default(), Twist::default(), None);
        self.stance = StanceRamp::hold(self.mobility.usual_stance());
        self.resolver.start(&self.odometry.pose());
        if let Some(autonomy) = &mut self.autonomy {
            autonomy.reset(readings, &self.odometry, self.resolver.odom_in_world());
        }
        // the constructor has refused what could not be resolved; only the frame has changed since
        let orders: Vec<Order> = self.resolver.orders(&self.plan.steps).unwrap_or_default();
        self.sequencer = Sequencer::new(self.plan.progress, &orders);
        if self.service.is_some() {
            self.serve();
        }
        self.preview_client.reset(self.resolver.odom_in_world());
        self.steps.iter_mut().for_each(|steps| steps.forget());
        self.beginnings = 0;
        self.activity = if self.settings.wait_for_operator { Activity::Idle } else { Activity::Running };
    }

    fn update(&mut self, readings: &Readings, commands: &mut Commands) {
        commands.answer(readings);
        if !self.guard.has_begun() {
            self.reset(readings);
        }
        self.now = readings.time;
        self.withdrawal.take_out(false, commands);
        self.mind_parts();
        self.keep_tuned();
        self.schedule.tick();
        self.odometry = self.mobility.estimate(readings);
        self.mind_bumps();
        self.look_round(readings);
        self.obey(readings, commands);
        if self.schedule.is_due(self.supervision) {
            self.supervise(readings);
        }
        if self.schedule.is_due(self.follower) {
            self.decide(readings, commands);
        }
        self.shape_twist();
        let target = BaseTarget { twist: self.twist, stance: self.stance.at(self.now) };
        if self.mobility.moves_all_joints() {
            self.mobility.offer(commands);
            self.withdrawal.take_out(true, commands);
            match self.mobility.braces() {
                true => self.withdrawal.give_up(),
                false => self.move_arms(readings, commands),
            }
            self.mobility.act(&target, readings, commands);
        } else {
            self.mobility.act(&target, readings, commands);
            self.move_arms(readings, commands);
        }
        if let Some(autonomy) = self.autonomy() {
            autonomy.spin(commands);
        }
    }

    fn exchange_tasks(&mut self, cycle: u64, board: &mut dyn TaskBoard) {
        let Mission { guard, preview_client, sequencer, sending, service, odometry, .. } = self;
        let errand = service.as_ref().and_then(|service| service.orders());
        let orders = errand.or(sending.orders()).unwrap_or(sequencer);
        guard.run(Part::Preview, || preview_client.exchange(cycle, board, orders, &odometry.pose()));
        self.ask_map(|autonomy| autonomy.exchange(cycle, board));
        self.exchange_steps(cycle, board);
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.mobility.drain_events(events);
        if let Some(autonomy) = &mut self.autonomy {
            autonomy.drain_events(events);
        }
        events.append(&mut self.events);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        self.mobility.show(telemetry);
        self.withdrawal.show(telemetry);
        if let Some(autonomy) = self.autonomy() {
            autonomy.show(telemetry);
        }
        telemetry.odometry = Some(self.odometry);
        telemetry.twist = Some(self.twist);
        telemetry.goal = self.goal_in_odom;
        telemetry.scalar("mission_step", (self.sequencer.index() + 1).min(self.sequencer.len()) as f64);
        let left = self.orders_at_work().left();
        telemetry.scalar("remaining_distance [m]", left.distance);
        telemetry.scalar("remaining_turn [rad]", left.turn);
        telemetry.scalar("speed_limit [m/s]", self.speed_limit);
        self.preview_client.show(&self.odometry.pose(), telemetry);
        if let Some((steps, feet)) = self.steps.as_ref().zip(self.mobility.feet()) {
            steps.show(&feet, telemetry);
        }
    }

    fn say(&self, words: &mut dyn fmt::Write) -> fmt::Result {
        write!(words, "{}", self.status())
    }

    fn is_done(&self) -> bool {
        self.activity == Activity::Done
    }

    fn parts(&mut self) -> Option<&mut dyn Parts> {
        Some(self)
    }
}
