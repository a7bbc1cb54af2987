//! The skills of a robot on two feet, as a mission uses them.

mod body;
mod servo;
mod settings;

use estimation::LeggedEstimator;
use locomotion::{Goal, PoseFollower};
use robot_io::{Commands, Events, Odometry, Pose2, Readings, RobotLayout, State, Telemetry, Time, Twist};
use robot_model::RobotModel;
use walking::{Footstep, Gait, GaitSettings, Measured, Output, Phase, Side};

use crate::MissionError;
use crate::mobility::{Look, Mobility};
use crate::settings::MissionSettings;
use crate::stance::{BaseTarget, Stance};
use crate::supervision::DriveFault;
use body::Body;

pub use settings::WalkingSettings;

/// Estimator, gait and whole body of a robot on two feet.
#[derive(Clone, Debug, State)]
pub struct Walking {
    #[state(fixed)]
    settings: WalkingSettings,
    estimator: LeggedEstimator,
    follower: PoseFollower,
    gait: Gait,
    /// Whether the feet are where the gait can begin.
    is_ready: bool,
    body: Body,
    #[state(skip = "what the gait said last: it says it anew in each cycle")]
    output: Output,
    #[state(skip = "tells what happened, and changes nothing")]
    events: Events,
}

impl Walking {
    /// The skills for this robot.
    pub fn new(model: &RobotModel, layout: &RobotLayout, settings: &MissionSettings) -> Result<Walking, MissionError> {
        let estimator = LeggedEstimator::with_settings(model, layout, settings.walking.estimation);
        let follower = PoseFollower::new(settings.follower);
        Ok(Walking {
            settings: settings.walking,
            estimator: estimator.map_err(|error| refused("estimation", &error))?,
            follower: follower.map_err(|error| refused("follower", &error))?,
            gait: Gait::new(settings.walking.gait, Footstep::stand(nalgebra::Vector3::zeros(), 0.0, settings.walking.gait.width))
                .map_err(|error| refused("walking", &error))?,
            is_ready: false,
            body: Body::new(model, layout, &settings.walking)?,
            output: Output::default(),
            events: Events::with_capacity(16),
        })
    }

    /// Where the feet are.
    fn feet(&self) -> [Footstep; 2] {
        Side::BOTH.map(|side| {
            let pose = self.estimator.foot_in_odom(side.index());
            let yaw = Pose2::from(&pose).yaw;
            Footstep::flat(side, pose.translation.vector, yaw)
        })
    }

    pub fn describe(&self) -> String {
        let foot = |i: usize| { let f = &self.output.feet[i]; format!("{:.3} {:.3} {:.3}", f.pose.translation.x, f.pose.translation.y, f.pose.translation.z) };
        format!("L {} R {} time {:.2}/{:.2} adj {} {:?}", foot(0), foot(1), self.output.elapsed[0], self.output.elapsed[1], self.output.adjusted, self.output.capture)
    }

    /// Begins to stand where the feet are.
    fn stand(&mut self) {
        let steps = self.feet();
        let height = self.body.com().z - 0.5 * (steps[0].position.z + steps[1].position.z);
        let cycle = self.body.cycle();
        let settings = GaitSettings { cycle, com_height: height, ..self.settings.gait };
        let gait = Gait::new(settings, steps);
        self.is_ready = gait.is_ok();
        if let Ok(gait) = gait {
            self.gait = gait;
        }
    }
}

impl Mobility for Walking {
    fn reset(&mut self, readings: &Readings) {
        self.estimator.reset(readings);
        self.follower.clear();
        self.body.reset(readings, self.estimator.odometry());
        self.stand();
    }

    fn take_up(&mut self, readings: &Readings) {
        self.body.reset(readings, self.estimator.odometry());
        self.stand();
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

    fn steer(&mut self, odometry: &Odometry, goal_in_odom: &Pose2, look: Look, speed: f64) -> Twist {
        self.follower.set_goal(Goal { pose: *goal_in_odom, heading: look, pass: false });
        self.follower.update(&odometry.pose(), speed)
    }

    fn act(&mut self, target: &BaseTarget, readings: &Readings, commands: &mut Commands) {
        self.body.observe(readings, self.estimator.odometry());
        if !self.is_ready {
            return self.body.hold(commands);
        }
        let feet = self.feet();
        let gait = &mut self.gait;
        let Twist { x, y, yaw } = target.twist;
        if target.twist.is_zero() {
            gait.stop();
        } else {
            gait.walk(walking::Twist { forward: x, sideways: y, turning: yaw });
        }
        let footings = self.estimator.footings();
        let measured = Measured {
            com: self.body.com(),
            dcm: self.body.dcm(gait.omega()),
            forces: Some([footings[0].force.z, footings[1].force.z]),
            feet: Some(feet),
        };
        self.output = gait.update(&measured);
        self.body.follow(&self.output, commands);
    }

    fn tip_over_margin(&self) -> f64 {
        f64::INFINITY
    }

    fn drive_fault(&self) -> Option<DriveFault> {
        None
    }

    fn usual_stance(&self) -> Stance {
        Stance::default()
    }

    fn drain_events(&mut self, events: &mut Events) {
        events.append(&mut self.events);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        let output = &self.output;
        telemetry.scalar("walking.phase", f64::from(output.phase as u8));
        telemetry.scalar("walking.single_support", f64::from(u8::from(output.phase == Phase::SingleSupport)));
        telemetry.scalar("walking.dcm.x [m]", output.dcm.x);
        telemetry.scalar("walking.dcm.y [m]", output.dcm.y);
        telemetry.scalar("walking.zmp.x [m]", output.wanted.zmp.x);
        telemetry.scalar("walking.zmp.y [m]", output.wanted.zmp.y);
        telemetry.scalar("walking.late", f64::from(u8::from(output.late)));
    }
}

pub(crate) fn refused(skill: &'static str, error: &dyn core::fmt::Display) -> MissionError {
    MissionError::Skill { skill, message: error.to_string() }
}
