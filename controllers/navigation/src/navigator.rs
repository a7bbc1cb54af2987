//! The navigator: a goal goes in, a velocity comes out.

mod blocked_way;
mod caution;
mod driving;
mod giving_way;
mod phase;
mod pictures;
mod planning;
mod question;
mod request;
mod second_look;
mod trouble;
mod turned;

use robot_io::deadline::{DeadlineTask, TaskBoard};
use robot_io::{
    Event, Events, LocalizationState, MapView, MapViews, Odometry, Path, Period, Pose2, RobotLayout, Sealed,
    Settings as _, Severity, State, Telemetry, Time, Twist,
};
use robot_model::RobotModel;

use crate::recovery::{Progress, Trail, Tries};
use crate::refuge::Answer;
use crate::rollout::{Choice, FreshObstacles, LocalPlanner, Movers, Surroundings, Velocity, Way};
use crate::{
    Footprint, FootprintFinder, GlobalPlan, Goal, Guidance, NavigationError, NavigationMap, NavigationSettings, Reach,
    Status, Track,
};
use giving_way::GivingWay;
use phase::Phase;
use pictures::Pictures;
use request::{Penalty, Planned};
use second_look::SecondLook;
use trouble::Manoeuvre;
use turned::Turned;

/// Points this near to a forbidden cell's middle are those of what is known to be there [m].
const KNOWN: f64 = 0.2;
/// Who tells events.
const SOURCE: &str = "navigation";

/// Finds the way to a goal and drives it: global plans as a deadline task, local rollouts at the follower's rate.
#[derive(Debug, State)]
pub struct Navigator {
    #[state(fixed)]
    settings: NavigationSettings,
    #[state(fixed)]
    cycle: Period,
    #[state(scratch)]
    local: LocalPlanner,
    #[state(output)]
    pictures: Pictures,

    goal: Option<Goal>,
    /// Counts goals, so that a plan for an earlier one is not taken for this one's.
    goals: u64,
    phase: Phase,
    map: Sealed<NavigationMap>,
    /// The robot's place has jumped since the map was made.
    has_jumped: bool,
    plan: Sealed<GlobalPlan>,
    /// Index of the piece of the plan that is travelled.
    piece: usize,
    task: DeadlineTask<Planned>,
    /// A new plan is wanted before its time.
    urgent: bool,
    next_plan_cycle: u64,
    soonest_plan_cycle: u64,
    penalties: Vec<Penalty>,
    turned: Vec<Turned>,

    /// What is followed: the drive of a piece, or a manoeuvre to get free.
    path: Sealed<Path>,
    /// The same as a line.
    #[state(scratch)]
    way: Way,
    along: f64,
    choice: Choice,
    next_choice: Time,
    told: Velocity,
    steered: Twist,
    fresh: FreshObstacles,
    #[state(scratch)]
    surroundings: Surroundings,
    /// The digest of the surroundings' origin when the way was last looked at.
    looked_at: u64,

    blocked_since: Option<Time>,
    is_blocked: bool,
    /// Since when it waits for something to go out of the way, and before which place on the way [m].
    #[state(with = "blocked_way::visit")]
    waiting: Option<(Time, f64)>,
    next_wait_told: Time,
    nearest_since: Option<Time>,
    /// Something has come into the way to this goal where the ground was free.
    came: bool,
    /// So many maps one after the other have shown another way, for something far ahead.
    doubtful_maps: usize,
    /// Maps in a row that show no way, and the last one's revision.
    refusals: usize,
    refused_by: u64,
    /// How near to a goal out of reach one can come.
    reach: Reach,
    stepped_back_at: Option<Pose2>,
    steps_back: usize,
    second_look: SecondLook,
    progress: Progress,
    tries: Tries,
    trouble_left: f64,
    manoeuvre: Option<Manoeuvre>,
    trail: Trail,

    /// What moves, in the odometry frame, and on the map now.
    tracks: Vec<Track>,
    movers: Movers,
    refuge: DeadlineTask<Answer>,
    next_refuge_cycle: u64,
    giving_way: Option<GivingWay>,
    next_giving_way_told: Time,
    held_since: Time,
    /// Without a goal it steps aside for what comes.
    stands_by: bool,

    now: Time,
    pose: Pose2,
    base_height: f64,
    velocity: Velocity,
    odom_in_map: Pose2,
    localized: bool,
    footprint: Footprint,
    guidance: Guidance,
    #[state(output)]
    events: Events,
}

impl Navigator {
    /// A navigator without a goal, for a robot with steered wheels.
    pub fn new(
        model: &RobotModel,
        layout: &RobotLayout,
        settings: NavigationSettings,
    ) -> Result<Navigator, NavigationError> {
        settings.check()?;
        FootprintFinder::new(model)?;
        Ok(Navigator::with_cycle(layout.period, settings))
    }

    pub(crate) fn with_cycle(cycle: Period, settings: NavigationSettings) -> Navigator {
        let latency = Period::from_seconds(settings.plan_latency).cycles_of(cycle);
        Navigator {
            settings,
            cycle,
            local: LocalPlanner::new(settings.rollout),
            pictures: Pictures::default(),
            goal: None,
            goals: 0,
            phase: Phase::Idle,
            map: Sealed::default(),
            has_jumped: false,
            plan: Sealed::default(),
            piece: 0,
            task: DeadlineTask::new("navigation", latency),
            urgent: true,
            next_plan_cycle: 0,
            soonest_plan_cycle: 0,
            penalties: Vec::new(),
            turned: Vec::new(),
            path: Sealed::default(),
            way: Way::default(),
            along: 0.0,
            choice: Choice::default(),
            next_choice: Time::ZERO,
            told: Velocity::default(),
            steered: Twist::default(),
            fresh: FreshObstacles::default(),
            surroundings: Surroundings::new(settings.map.height.cell),
            looked_at: 0,
            blocked_since: None,
            is_blocked: false,
            waiting: None,
            next_wait_told: Time::ZERO,
            nearest_since: None,
            came: false,
            doubtful_maps: 0,
            refusals: 0,
            refused_by: 0,
            reach: Reach::default(),
            stepped_back_at: None,
            steps_back: 0,
            second_look: SecondLook::default(),
            progress: Progress::new(settings.recovery.progress),
            tries: Tries::default(),
            trouble_left: f64::INFINITY,
            manoeuvre: None,
            trail: Trail::new(),
            tracks: Vec::new(),
            movers: Movers::default(),
            refuge: DeadlineTask::new("refuge", Period::from_seconds(settings.giving_way.latency).cycles_of(cycle)),
            next_refuge_cycle: 0,
            giving_way: None,
            next_giving_way_told: Time::ZERO,
            held_since: Time::ZERO,
            stands_by: false,
            now: Time::ZERO,
            pose: Pose2::default(),
            base_height: 0.0,
            velocity: Velocity::default(),
            odom_in_map: Pose2::default(),
            localized: true,
            footprint: Footprint::default(),
            guidance: Guidance { distance_left: f64::NAN, ..Guidance::default() },
            events: Events::new(),
        }
    }

    /// Forgets everything but the settings.
    pub fn reset(&mut self) {
        let fresh = Navigator::with_cycle(self.cycle, self.settings);
        let Navigator { task, refuge, .. } = core::mem::replace(self, fresh);
        (self.task, self.refuge) = (task, refuge);
        self.task.forget();
        self.refuge.forget();
    }

    /// Sets a goal, or takes it away. A goal that hardly differs from the last keeps what has been reached so far, its refusal
    /// too: to try again, take the goal away first.
    pub fn set_goal(&mut self, goal: Option<Goal>) {
        if core::mem::take(&mut self.stands_by) {
            self.begin();
        }
        let with = &self.settings.rollout;
        let same = match (&self.goal, &goal) {
            (None, None) => return,
            (Some(old), Some(new)) => new.hardly_differs(old, with.same_goal_distance, with.same_goal_angle),
            _ => false,
        };
        self.goal = goal;
        if !same {
            self.begin();
        }
    }

    /// The goal.
    pub fn goal(&self) -> Option<Goal> {
        self.goal
    }

    /// Where it believes the base to be on the map.
    pub fn pose(&self) -> Pose2 {
        self.pose
    }

    /// Asks for a new map and plan before their time.
    pub fn refresh(&mut self) {
        self.urgent = true;
    }

    /// The map on which it plans.
    pub fn map(&self) -> &Sealed<NavigationMap> {
        &self.map
    }

    /// The plan that it follows.
    pub fn plan(&self) -> &Sealed<GlobalPlan> {
        &self.plan
    }

    /// What it last answered.
    pub fn guidance(&self) -> Guidance {
        self.guidance
    }

    /// Answers at the follower's rate: what to do now. `footprint` is that of the legs as they stand.
    pub fn update(
        &mut self,
        now: Time,
        localization: &robot_io::Localization,
        odometry: &Odometry,
        footprint: &Footprint,
    ) -> Guidance {
        const LONGEST: f64 = 0.1;
        let dt = now.since(self.now).seconds().min(LONGEST);
        self.notice(now, localization, odometry, footprint);
        let (wanted, status) = self.act();
        self.told = if wanted.is_none() && self.phase == Phase::Idle && self.giving_way.is_none() {
            Velocity::default()
        } else {
            self.toward(&wanted.unwrap_or_default(), dt)
        };
        let twist = self.told.seen_from(self.pose.yaw);
        if robot_io::math::hypot(twist.x, twist.y) > 0.02 || twist.yaw.abs() > 0.03 {
            self.steered = twist;
        }
        self.guidance = Guidance { twist, status, distance_left: self.distance_left() };
        self.guidance
    }

    /// Takes the plan that is due in `cycle`, looks at the latest of the views for things that have just come, and asks for a new
    /// plan where it is time.
    pub fn exchange(&mut self, cycle: u64, board: &mut dyn TaskBoard, views: &Sealed<MapViews>) {
        self.way_is_ready();
        if let Some(planned) = self.task.collect(board) {
            self.adopt(planned);
        }
        if let Some(latest) = views.views.last() {
            self.watch(latest);
        }
        self.ask(cycle, board, views);
        self.look_for_refuge(cycle, board);
        self.pictures.draw(self.now, &self.map, &self.plan, self.local.chosen(), (&self.pose, &self.footprint));
    }

    /// Looks at a sweep for things that have just come; older ones than the last are left alone.
    pub fn watch(&mut self, sweep: &MapView) {
        if sweep.stamp > self.fresh.stamp() {
            let (map, base) = (&self.map, &sweep.base_in_map.translation);
            // what lies within the robot's own outline is the robot, or it is too late
            let own = self.footprint.circumscribed_radius();
            let is_own = |x: f64, y: f64| robot_io::math::hypot(x - base.x, y - base.y) < own;
            let is_known = |x: f64, y: f64| map.clearance_at(x, y).is_some_and(|clearance| clearance <= KNOWN);
            // what stands on or beside something that the map forbids has not just come: nothing is high there
            let ground = |x, y| if is_own(x, y) || is_known(x, y) { Some(f64::INFINITY) } else { map.height_at(x, y) };
            self.fresh.look(sweep, ground, &self.settings.fresh);
        }
    }

    /// Moves what happened since the last call to the end of `events`.
    pub fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }

    /// Shows map, plan, rollout and footprint.
    pub fn show(&self, telemetry: &mut Telemetry) {
        self.pictures.show(self.goal, &self.plan.outcome, telemetry);
        if self.guidance.distance_left.is_finite() {
            telemetry.scalar("navigation_distance_left [m]", self.guidance.distance_left);
        }
        if self.phase == Phase::Approach {
            telemetry.scalar("navigation_speed_limit [m/s]", self.choice.limit);
            telemetry.scalar("navigation_free_time [s]", self.choice.free_time);
        }
        telemetry.scalar("navigation_tries", f64::from(self.tries.count()));
    }

    fn tell(&mut self, severity: Severity, what: &'static str, value: f64, limit: f64) {
        self.events.push(Event::note(self.now, severity, SOURCE, what).with(value, limit));
    }

    /// Takes note of where the robot is.
    fn notice(&mut self, now: Time, localization: &robot_io::Localization, odometry: &Odometry, footprint: &Footprint) {
        let (pose, pose_in_odom) = (localization.pose(), odometry.pose());
        let odom_in_map = Pose2::from(&localization.odom_in_map);
        let expected = pose_in_odom.placed_at(&self.odom_in_map);
        let turned = robot_io::math::wrap_angle(expected.yaw - pose.yaw).abs();
        let moved = expected.distance(&pose);
        let known = self.now > Time::ZERO;
        if known && (moved > self.settings.jump_distance || turned > self.settings.jump_angle) {
            self.tell(Severity::Info, "localisation jumped; planning again [m]", moved, self.settings.jump_distance);
            self.fresh.clear();
            (self.urgent, self.has_jumped) = (true, true);
        }
        let localized = localization.state != LocalizationState::Lost;
        if self.localized && !localized && self.goal.is_some() {
            let what = "the robot does not know where it is: standing";
            self.events.push(Event::note(now, Severity::Warning, SOURCE, what));
        }
        let linear = &odometry.linear_velocity_in_base;
        let twist = Twist { x: linear.x, y: linear.y, yaw: odometry.angular_velocity_in_base.z };
        (self.now, self.pose, self.odom_in_map, self.localized) = (now, pose, odom_in_map, localized);
        self.base_height = localization.base_in_map.translation.z;
        self.velocity = Velocity::of(&twist, pose.yaw);
        self.footprint.copy_from(footprint);
        self.trail.note(&pose_in_odom);
        self.movers.set(&self.tracks, &self.odom_in_map, now, &self.settings.moving);
    }

    fn act(&mut self) -> (Option<Velocity>, Status) {
        if let Some(giving_way) = self.giving_way.filter(|_| self.localized) {
            self.look_around();
            return self.give_way(&giving_way);
        }
        let Some(goal) = self.goal.filter(|_| self.localized) else { return (None, Status::Waiting) };
        self.look_around();
        match self.phase {
            Phase::Idle => (None, Status::Waiting),
            Phase::Approach => self.approach(&goal),
            Phase::Turn => self.turn(&goal),
            Phase::Edge => (None, self.edge_status()),
            Phase::Arrived => (None, Status::Arrived),
            Phase::Unreachable => (None, Status::Unreachable(self.reach)),
            Phase::Stuck => (None, Status::Stuck),
        }
    }
}
