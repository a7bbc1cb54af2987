//! The skills of a robot on two feet, as a mission uses them.
//!
//! In each cycle the estimator finds the base, the gait says where the feet and the centre of mass shall go, and the whole body follows. What a
//! mission orders is a twist of the base; zero brings both feet beside each other.

mod apart;
mod arrival;
mod body;
mod capsule;
mod drives;
mod fall;
mod feet;
mod head;
mod height;
mod knees;
mod landing;
mod lent;
mod motion;
mod motion_scene;
mod servos;
mod shown;
mod signs;
mod slots;
mod tasks;
mod ways;

use estimation::LeggedEstimator;
use locomotion::{Goal, PoseFollower};
use nalgebra::Vector3;
use robot_io::{
    Commands, Event, Events, JointCommand, Odometry, Pose2, Readings, RobotLayout, Severity, State, Telemetry, Time,
    Twist,
};
use robot_model::RobotModel;
use walking::{Footstep, Gait, GaitSettings, Manner, Measured, Output, Side, WalkingError};

use crate::MissionError;
use crate::feet::Feet;
use crate::mobility::{Look, Mobility};
use crate::motion::{Motion, MotionProgress};
use crate::settings::MissionSettings;
use crate::skill::FAILED;
use crate::stance::{BaseTarget, Rest, Stance};
use crate::supervision::DriveFault;
use crate::walking_settings::WalkingSettings;
use body::{Body, Trunk};
use drives::Drives;
use fall::Fall;
use height::Height;
use landing::Landing;
use lent::Lent;

/// Who says what happens here.
const SOURCE: &str = "walking";
/// From here on a robot that walks to a goal looks as it shall there [m].
const NEAR_GOAL: f64 = 0.6;

/// Estimator, gait and whole body of a robot on two feet.
#[derive(Clone, Debug, State)]
pub struct Walking {
    #[state(fixed)]
    settings: WalkingSettings,
    estimator: LeggedEstimator,
    follower: PoseFollower,
    gait: Gait,
    body: Body,
    /// Whether the feet are where a gait can begin.
    is_ready: bool,
    fall: Fall,
    drives: Drives,
    /// What was commanded last.
    sent: Commands,
    lent: Lent,
    /// The last motion did not get where it should.
    has_failed: bool,
    /// The links' names.
    #[state(fixed)]
    links: Vec<String>,
    /// It takes footsteps that it was told, and whether it waits with them.
    steps: bool,
    holds: bool,
    /// Where it shall come to rest.
    rest: Option<Rest>,
    /// How it stood when it began.
    usual: Stance,
    /// The base as seen from the middle between the feet: as it stands, or stood last.
    base_from_feet: Pose2,
    /// The centre of mass over the soles then [m].
    com_height: f64,
    /// How high it shall be now.
    height: Height,
    /// Soles that come to lie.
    landing: Landing,
    #[state(output)]
    said: Output,
    #[state(skip = "they tell what happened, and change nothing")]
    events: Events,
}

impl Walking {
    /// The skills for this robot.
    pub fn new(model: &RobotModel, layout: &RobotLayout, settings: &MissionSettings) -> Result<Walking, MissionError> {
        Walking::with_motions(model, layout, settings, &[])
    }

    /// The same with motions of the whole body, to begin by their numbers. Refused, with file and line, if one names what the robot does not have.
    pub fn with_motions(
        model: &RobotModel,
        layout: &RobotLayout,
        settings: &MissionSettings,
        motions: &[&Motion],
    ) -> Result<Walking, MissionError> {
        let estimator = LeggedEstimator::with_settings(model, layout, settings.walking.estimation);
        let follower = PoseFollower::new(settings.follower);
        let gait = GaitSettings { cycle: layout.period.seconds(), ..settings.walking.gait };
        let feet = Footstep::stand(Vector3::zeros(), 0.0, gait.width);
        Ok(Walking {
            settings: WalkingSettings { gait, ..settings.walking },
            estimator: estimator.map_err(|error| refused("estimation", &error))?,
            follower: follower.map_err(|error| refused("follower", &error))?,
            gait: Gait::new(gait, feet).map_err(|error| refused("walking", &error))?,
            body: Body::new(model, layout, &settings.walking.body, motions)?,
            is_ready: false,
            fall: Body::fall(model, layout, &settings.walking)?,
            drives: Drives::new(model, layout, &settings.walking.drives),
            sent: Commands::new(layout),
            lent: Lent::new(layout.joints.len()),
            has_failed: false,
            links: model.tree.links.iter().map(|link| link.name.clone()).collect(),
            steps: false,
            holds: false,
            rest: None,
            usual: Stance::default(),
            base_from_feet: Pose2::default(),
            com_height: gait.com_height,
            height: Height::default(),
            landing: Landing::default(),
            said: Output::default(),
            events: Events::with_capacity(16),
        })
    }

    /// Begins to stand where the feet are.
    fn stand(&mut self, now: Time) {
        let feet = Side::BOTH.map(|side| {
            let pose = self.estimator.foot_in_odom(side.index());
            Footstep::flat(side, pose.translation.vector, Pose2::from(&pose).yaw)
        });
        let ground = 0.5 * (feet[0].position.z + feet[1].position.z);
        self.com_height = self.body.com().z - ground;
        self.height = Height::rest(self.body.com().z);
        let base = self.estimator.odometry().base_in_odom;
        self.usual = Stance { height: base.translation.z - ground, ..Stance::default() };
        let gait = Gait::new(GaitSettings { com_height: self.com_height, ..self.settings.gait }, feet);
        self.is_ready = gait.is_ok();
        (self.steps, self.holds, self.rest) = (false, false, None);
        self.landing = Landing::default();
        match gait {
            Ok(gait) => {
                self.gait = gait;
                self.base_from_feet = Pose2::from(&base).seen_from(&self.between_feet());
            }
            Err(_) => self.note(now, Severity::Error, "the feet are where no step can begin: holds all joints"),
        }
    }

    /// Whether it falls.
    fn mind_falls(&mut self, readings: &Readings) {
        let signs = self.signs();
        let heading = self.estimator.odometry().pose().yaw;
        self.fall.look(readings.time, &signs, heading, readings, &mut self.events);
    }

    /// What the joints shall do.
    fn command(&mut self, target: &BaseTarget, readings: &Readings, commands: &mut Commands) {
        self.body.observe(readings, self.estimator.odometry());
        if !self.fall.is_down() {
            self.drives.look(readings.time, readings, &self.sent, &mut self.events);
        }
        self.mind_falls(readings);
        if self.fall.is_under_way() {
            return self.fall.act(readings, commands);
        }
        if !self.is_ready {
            return self.body.hold(commands);
        }
        self.body.take(commands, &self.lent);
        let BaseTarget { twist: Twist { x, y, yaw }, stance } = *target;
        self.feel_stand();
        let arrival = self.rest.and_then(|rest| self.arrival(&rest));
        let usual = Vector3::new(self.com_height + stance.height - self.usual.height, stance.roll, stance.pitch);
        let wanted = self.body.play(&self.feet_frame(), usual);
        match arrival {
            _ if self.steps && self.holds => self.gait.pause(),
            _ if self.steps => self.gait.resume(),
            Some((place, most)) => self.gait.walk_to(place, most),
            None if target.twist.is_zero() => self.gait.stop(),
            None => self.gait.walk(walking::Twist { forward: x, sideways: y, turning: yaw }),
        }
        self.gait.stand_at(wanted.x);
        let footings = self.estimator.footings();
        let measured = Measured {
            com: self.body.com(),
            dcm: self.body.dcm(self.gait.omega()),
            forces: Some([footings[0].force.z, footings[1].force.z]),
            feet: Some(Side::BOTH.map(|side| self.estimator.foot_in_odom(side.index()))),
        };
        let before = core::mem::replace(&mut self.said, self.gait.update(&measured));
        self.height.follow(&self.said.reference, self.gait.omega(), self.settings.gait.cycle);
        self.mind_landings();
        self.body.follow(&self.said, Trunk { roll: wanted.y, pitch: wanted.z }, &self.height, commands);
        self.fall.brace(readings, commands);
        self.tell(readings.time, &before);
    }

    /// Soles that have just come down are let lie.
    fn mind_landings(&mut self) {
        let GaitSettings { reach, cycle, .. } = self.settings.gait;
        let longest = self.settings.body.landing;
        let footings = self.estimator.footings();
        self.landing.look(self.said.carries, footings, self.estimator.weight(), reach.half_sole, longest, cycle);
        self.body.let_lie(self.landing.under_way());
    }

    fn note(&mut self, now: Time, severity: Severity, what: &'static str) {
        self.events.push(Event::note(now, severity, SOURCE, what));
    }

    fn tell(&mut self, now: Time, before: &Output) {
        if self.said.adjusted && !before.adjusted {
            self.note(now, Severity::Info, "steps elsewhere than planned");
        }
        let failure = self.body.shown_player().failure();
        if let Some((link, [way, turn])) = failure.filter(|_| !self.has_failed) {
            let link = &self.links[link];
            let what =
                format!("{FAILED}{link} is out of reach: {way:.3} m and {:.1} degrees are left", turn.to_degrees());
            self.events.push(Event { what: what.into(), ..Event::note(now, Severity::Warning, SOURCE, "") });
        }
        self.has_failed = failure.is_some();
        if self.body.has_just_failed() {
            self.note(now, Severity::Warning, "the whole body cannot do what is wanted, and goes on as before");
        }
    }
}

impl Mobility for Walking {
    fn reset(&mut self, readings: &Readings) {
        self.estimator.reset(readings);
        self.follower.clear();
        self.fall.reset();
        self.drives.reset();
        self.take_up(readings);
    }

    fn take_up(&mut self, readings: &Readings) {
        self.body.reset(readings, self.estimator.odometry());
        self.stand(readings.time);
    }

    fn estimate(&mut self, readings: &Readings) -> Odometry {
        *self.estimator.update(readings)
    }

    fn odometry(&self) -> Odometry {
        *self.estimator.odometry()
    }

    fn sensed_at(&self, readings: &Readings) -> Time {
        let stamps = readings.imus.iter().map(|imu| imu.stamp);
        stamps.fold(self.estimator.odometry().stamp, Time::min)
    }

    /// The base sways over the feet, and a step that has begun is taken: where the base is carried to is told by the feet. Near the goal it looks as it
    /// shall there, as it cannot stop on the spot.
    fn steer(&mut self, _: &Odometry, goal_in_odom: &Pose2, look: Look, speed: f64) -> Twist {
        let carried = self.base_from_feet.placed_at(&self.between_feet());
        let heading = if carried.distance(goal_in_odom) < NEAR_GOAL { Look::Goal } else { look };
        self.follower.set_goal(Goal { pose: *goal_in_odom, heading, pass: false });
        self.follower.update(&carried, speed)
    }

    fn come_to_rest(&mut self, rest: Option<Rest>) {
        self.rest = rest;
    }

    fn act(&mut self, target: &BaseTarget, readings: &Readings, commands: &mut Commands) {
        self.command(target, readings, commands);
        self.sent.copy_from(commands);
        self.lent.put_into(&mut self.sent);
    }

    fn note_lent(&mut self, joint: usize, told: Option<JointCommand>) {
        self.lent.note(joint, told);
    }

    fn moves_all_joints(&self) -> bool {
        true
    }

    fn offer(&self, commands: &mut Commands) {
        self.body.offer(commands);
    }

    fn leads(&self, joint: usize) -> bool {
        self.body.leads(joint)
    }

    fn begin_motion(&mut self, motion: usize) {
        self.body.player().begin(motion);
    }

    fn hold_motion(&mut self, hold: bool) {
        self.body.player().hold(hold);
    }

    fn end_motion(&mut self) {
        self.body.player().end();
    }

    fn motion(&self) -> MotionProgress {
        self.body.shown_player().progress()
    }

    fn feet(&self) -> Option<Feet> {
        self.shown_feet()
    }

    fn take_steps(&mut self, from: usize, steps: &[Footstep], manners: &[Manner]) -> Result<(), WalkingError> {
        match from {
            0 => self.gait.follow(steps.to_vec())?,
            _ => self.gait.change_plan(from, steps)?,
        }
        self.gait.take_so(from, manners);
        self.steps = true;
        Ok(())
    }

    fn hold_steps(&mut self, hold: bool) {
        self.holds = hold;
    }

    fn end_steps(&mut self) {
        if self.steps {
            self.gait.stop();
        }
        self.steps = false;
    }

    /// Its centre of mass leaves its feet in each step: no margin tells whether it falls.
    fn tip_over_margin(&self) -> f64 {
        f64::INFINITY
    }

    fn braces(&self) -> bool {
        self.fall.braces()
    }

    fn falls(&self) -> bool {
        self.fall.is_under_way()
    }

    fn drive_fault(&self) -> Option<DriveFault> {
        self.drives.fault()
    }

    fn forget_faults(&mut self) {
        self.drives.reset();
    }

    fn usual_stance(&self) -> Stance {
        self.usual
    }

    fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        self.show_balance(telemetry);
        self.show_soles(telemetry);
        self.show_errors(telemetry);
        self.fall.show(telemetry, &self.signs());
        telemetry.scalar("head_turning [rad/s]", self.body.head_turning());
        telemetry.scalar("hands_gap [m]", self.body.gap());
        telemetry.scalar("hands_may_touch", f64::from(u8::from(self.body.lets_touch())));
    }
}

fn refused(skill: &'static str, error: &dyn core::fmt::Display) -> MissionError {
    MissionError::Skill { skill, message: error.to_string() }
}
