//! The skills of a robot on two feet, as a mission uses them.
//!
//! In each cycle the estimator finds the base, the gait says where the feet and the centre of mass shall go, and the whole body follows. What a
//! mission orders is a twist of the base; zero brings both feet beside each other.

mod body;
mod height;
mod knees;
mod servos;

use estimation::LeggedEstimator;
use locomotion::{Goal, PoseFollower};
use robot_io::math::wrap_angle;
use robot_io::{
    Commands, Event, Events, Odometry, Pose2, Readings, RobotLayout, Severity, State, Telemetry, Time, Twist,
};
use robot_model::RobotModel;
use walking::{Footstep, Gait, GaitSettings, Manner, Measured, Output, Phase, Side, WalkingError};

use crate::MissionError;
use crate::mobility::{Feet, Look, Mobility};
use crate::settings::MissionSettings;
use crate::stance::{BaseTarget, Stance};
use crate::supervision::DriveFault;
use crate::walking_settings::WalkingSettings;
use body::{Body, Trunk};
use height::Height;

/// Who says what happens here.
const SOURCE: &str = "walking";
/// From here on a robot that walks to a goal looks as it shall there [m].
const NEAR_GOAL: f64 = 0.6;
/// A base that leans more than this has fallen: the cosine of 60°.
const FALLEN: f64 = 0.5;

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
    has_fallen: bool,
    /// It takes footsteps that it was told, and whether it waits with them.
    steps: bool,
    holds: bool,
    /// How it stood when it began.
    usual: Stance,
    /// The base as seen from the middle between the feet then.
    base_from_feet: Pose2,
    /// The centre of mass over the soles then [m].
    com_height: f64,
    /// How high it shall be now.
    height: Height,
    #[state(output)]
    said: Output,
    #[state(skip = "they tell what happened, and change nothing")]
    events: Events,
}

impl Walking {
    /// The skills for this robot.
    pub fn new(model: &RobotModel, layout: &RobotLayout, settings: &MissionSettings) -> Result<Walking, MissionError> {
        let estimator = LeggedEstimator::with_settings(model, layout, settings.walking.estimation);
        let follower = PoseFollower::new(settings.follower);
        let gait = GaitSettings { cycle: layout.period.seconds(), ..settings.walking.gait };
        let feet = Footstep::stand(nalgebra::Vector3::zeros(), 0.0, gait.width);
        Ok(Walking {
            settings: WalkingSettings { gait, ..settings.walking },
            estimator: estimator.map_err(|error| refused("estimation", &error))?,
            follower: follower.map_err(|error| refused("follower", &error))?,
            gait: Gait::new(gait, feet).map_err(|error| refused("walking", &error))?,
            body: Body::new(model, layout, &settings.walking.body)?,
            is_ready: false,
            has_fallen: false,
            steps: false,
            holds: false,
            usual: Stance::default(),
            base_from_feet: Pose2::default(),
            com_height: gait.com_height,
            height: Height::default(),
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
        (self.steps, self.holds) = (false, false);
        match gait {
            Ok(gait) => {
                self.gait = gait;
                self.base_from_feet = Pose2::from(&base).seen_from(&self.between_feet());
            }
            Err(_) => self.note(now, Severity::Error, "the feet are where no step can begin: holds all joints"),
        }
    }

    /// Midway between both feet, the one in the air where it will land.
    fn between_feet(&self) -> Pose2 {
        let [left, right] = self.gait.feet_when_landed().map(|foot| {
            let Footstep { position, yaw, .. } = foot;
            Pose2 { x: position.x, y: position.y, yaw }
        });
        let mean = |one: f64, other: f64| 0.5 * (one + other);
        let yaw = left.yaw + 0.5 * wrap_angle(right.yaw - left.yaw);
        Pose2 { x: mean(left.x, right.x), y: mean(left.y, right.y), yaw }
    }

    /// Whether it lies.
    fn mind_falls(&mut self, now: Time) {
        let up = (self.estimator.odometry().base_in_odom.rotation * nalgebra::Vector3::z()).z;
        if up < FALLEN && !self.has_fallen {
            self.has_fallen = true;
            self.note(now, Severity::Error, "has fallen: all joints give way");
        }
    }

    fn note(&mut self, now: Time, severity: Severity, what: &'static str) {
        self.events.push(Event::note(now, severity, SOURCE, what));
    }

    fn tell(&mut self, now: Time, before: &Output) {
        if self.said.adjusted && !before.adjusted {
            self.note(now, Severity::Info, "steps elsewhere than planned");
        }
        if self.body.has_just_failed() {
            self.note(now, Severity::Warning, "the whole body cannot do what is wanted, and goes on as before");
        }
    }
}

impl Mobility for Walking {
    fn reset(&mut self, readings: &Readings) {
        self.estimator.reset(readings);
        self.follower.clear();
        self.has_fallen = false;
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

    fn act(&mut self, target: &BaseTarget, readings: &Readings, commands: &mut Commands) {
        self.body.observe(readings, self.estimator.odometry());
        self.mind_falls(readings.time);
        if self.has_fallen {
            return self.body.give_way(commands);
        }
        if !self.is_ready {
            return self.body.hold(commands);
        }
        let BaseTarget { twist: Twist { x, y, yaw }, stance } = *target;
        match target.twist.is_zero() {
            _ if self.steps && self.holds => self.gait.pause(),
            _ if self.steps => self.gait.resume(),
            true => self.gait.stop(),
            false => self.gait.walk(walking::Twist { forward: x, sideways: y, turning: yaw }),
        }
        self.gait.stand_at(self.com_height + stance.height - self.usual.height);
        let footings = self.estimator.footings();
        let measured = Measured {
            com: self.body.com(),
            dcm: self.body.dcm(self.gait.omega()),
            forces: Some([footings[0].force.z, footings[1].force.z]),
            feet: Some(Side::BOTH.map(|side| self.estimator.foot_in_odom(side.index()))),
        };
        let before = core::mem::replace(&mut self.said, self.gait.update(&measured));
        self.height.follow(&self.said.reference, self.gait.omega(), self.settings.gait.cycle);
        self.body.follow(&self.said, Trunk { roll: stance.roll, pitch: stance.pitch }, &self.height, commands);
        self.tell(readings.time, &before);
    }

    fn feet(&self) -> Option<Feet> {
        let plan = self.gait.plan();
        self.is_ready.then(|| Feet {
            landed: self.gait.feet_when_landed(),
            begun: plan.begun(),
            planned: plan.steps().len(),
            stand: self.gait.phase() == Phase::Standing,
            base_from_feet: self.base_from_feet,
        })
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

    /// Its centre of mass leaves its feet in each step, so that it is told to stop only when it lies.
    fn tip_over_margin(&self) -> f64 {
        if self.has_fallen { 0.0 } else { f64::INFINITY }
    }

    fn drive_fault(&self) -> Option<DriveFault> {
        None
    }

    fn usual_stance(&self) -> Stance {
        self.usual
    }

    fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        let Output { phase, dcm, reference, wanted, .. } = &self.said;
        telemetry.scalar("gait_phase", f64::from(*phase as u8));
        telemetry.scalar("dcm_x [m]", dcm.x);
        telemetry.scalar("dcm_y [m]", dcm.y);
        telemetry.scalar("dcm_reference_x [m]", reference.dcm.x);
        telemetry.scalar("dcm_reference_y [m]", reference.dcm.y);
        telemetry.scalar("zmp_wanted_x [m]", wanted.zmp.x);
        telemetry.scalar("zmp_wanted_y [m]", wanted.zmp.y);
    }
}

fn refused(skill: &'static str, error: &dyn core::fmt::Display) -> MissionError {
    MissionError::Skill { skill, message: error.to_string() }
}
