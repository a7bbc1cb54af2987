//! The skills of a robot on legs with wheels, as a mission uses them.

use estimation::{Bump, OdometryEstimator};
use locomotion::{BodyTarget, CrossingFailure, CrossingStatus, Goal, Locomotion, PoseFollower};
use robot_io::{Commands, Events, Odometry, Pose2, Readings, RobotLayout, State, StepEdge, Telemetry, Time, Twist};
use robot_model::RobotModel;

use crate::MissionError;
use crate::mobility::{Look, Mobility};
use crate::settings::MissionSettings;
use crate::stance::{BaseTarget, Stance};
use crate::supervision::DriveFault;

/// Odometry, pose follower and locomotion of a robot on wheels.
#[derive(Clone, Debug, State)]
pub struct Driving {
    estimator: OdometryEstimator,
    follower: PoseFollower,
    locomotion: Locomotion,
    /// Of the last cycle; nobody knows it before the first.
    tip_over_margin: f64,
}

impl Driving {
    /// The skills for this robot.
    pub fn new(model: &RobotModel, layout: &RobotLayout, settings: &MissionSettings) -> Result<Driving, MissionError> {
        let estimator = OdometryEstimator::with_settings(model, layout, settings.odometry);
        let locomotion = Locomotion::new(model, layout, settings.locomotion.clone());
        let follower = PoseFollower::new(settings.follower);
        Ok(Driving {
            estimator: estimator.map_err(|error| refused("estimation", &error))?,
            follower: follower.map_err(|error| refused("follower", &error))?,
            locomotion: locomotion.map_err(|error| refused("locomotion", &error))?,
            tip_over_margin: f64::INFINITY,
        })
    }

    /// The estimator.
    pub fn estimator(&self) -> &OdometryEstimator {
        &self.estimator
    }

    /// The locomotion.
    pub fn locomotion(&self) -> &Locomotion {
        &self.locomotion
    }
}

impl Mobility for Driving {
    fn reset(&mut self, readings: &Readings) {
        self.estimator.reset(readings);
        self.locomotion.reset(readings);
        self.follower.clear();
        self.tip_over_margin = f64::INFINITY;
    }

    fn take_up(&mut self, readings: &Readings) {
        self.locomotion.take_up(readings);
    }

    fn estimate(&mut self, readings: &Readings) -> Odometry {
        // a robot that steps over an edge has ground of two levels under its feet
        *if self.locomotion.is_crossing() {
            self.estimator.update_on_levels(readings)
        } else {
            self.estimator.update(readings)
        }
    }

    fn odometry(&self) -> Odometry {
        *self.estimator.odometry()
    }

    fn sensed_at(&self, readings: &Readings) -> Time {
        let stamps = readings.imus.iter().map(|imu| imu.stamp);
        stamps.fold(self.estimator.odometry().stamp, Time::min)
    }

    fn is_learning(&self) -> bool {
        self.estimator.is_learning()
    }

    fn bump(&self) -> Option<Bump> {
        self.estimator.bump()
    }

    fn slid(&self) -> f64 {
        self.estimator.slid()
    }

    fn steer(&mut self, odometry: &Odometry, goal_in_odom: &Pose2, look: Look, speed: f64) -> Twist {
        // what is only passed is aimed beyond, so the follower never has to pass anything by itself
        self.follower.set_goal(Goal { pose: *goal_in_odom, heading: look, pass: false });
        self.follower.update(&odometry.pose(), speed)
    }

    fn act(&mut self, target: &BaseTarget, readings: &Readings, commands: &mut Commands) {
        let BaseTarget { twist, stance: Stance { height, pitch, roll } } = *target;
        self.locomotion.set_target(BodyTarget { twist, height, pitch, roll });
        self.locomotion.update(readings, self.estimator.odometry(), commands);
        self.tip_over_margin = self.locomotion.margin().distance;
    }

    fn begin_crossing(&mut self, edge_in_base: &StepEdge, readings: &Readings) -> Result<(), CrossingFailure> {
        self.locomotion.begin_crossing(edge_in_base, readings, self.estimator.odometry())
    }

    fn crossing(&self) -> Option<CrossingStatus> {
        self.locomotion.crossing()
    }

    fn hold_crossing(&mut self, hold: bool) {
        self.locomotion.hold_crossing(hold);
    }

    fn abort_crossing(&mut self) {
        self.locomotion.abort_crossing();
    }

    fn end_crossing(&mut self) {
        self.locomotion.end_crossing();
    }

    fn tip_over_margin(&self) -> f64 {
        self.tip_over_margin
    }

    fn drive_fault(&self) -> Option<DriveFault> {
        let locomotion::DriveFault { joint, residual, threshold, .. } = self.locomotion.drive_fault()?;
        Some(DriveFault { joint, residual, threshold })
    }

    fn forget_faults(&mut self) {
        self.locomotion.forget_faults();
    }

    fn retune(&mut self, settings: &MissionSettings) -> Result<(), MissionError> {
        let mut follower = self.follower;
        follower.retune(settings.follower).map_err(|error| refused("follower", &error))?;
        self.locomotion.retune(&settings.locomotion).map_err(|error| refused("locomotion", &error))?;
        self.follower = follower;
        Ok(())
    }

    fn usual_stance(&self) -> Stance {
        Stance { height: self.locomotion.stance_height(), ..Stance::default() }
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.locomotion.drain_events(events);
    }

    fn show(&self, telemetry: &mut Telemetry) {
        self.estimator.show(telemetry);
        self.locomotion.show(telemetry);
    }
}

fn refused(skill: &'static str, error: &dyn core::error::Error) -> MissionError {
    MissionError::Skill { skill, message: error.to_string() }
}
