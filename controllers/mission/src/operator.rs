//! What the person at the desk may do: drive, pause, resume, send somewhere, stop.

use robot_io::{Commands, OperatorRequest, Period, Readings, Severity, Twist};

use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::order::{LegOrder, Order};
use crate::plan::Leg;
use crate::status::Activity;
use crate::supervision::StopCause;

impl<M: Mobility> Mission<M> {
    pub(crate) fn obey(&mut self, readings: &Readings, commands: &mut Commands) {
        match readings.operator.request {
            Some(OperatorRequest::Pause) => self.pause(),
            Some(OperatorRequest::Resume) => {
                self.resume();
            }
            Some(OperatorRequest::GoTo(pose)) => self.go_to(&Leg::to(pose.x, pose.y, Some(pose.yaw))),
            Some(OperatorRequest::EmergencyStop) => {
                commands.emergency_stop = true;
                self.note(Severity::Stop, "stopped: emergency stop");
                self.stop(StopCause::EmergencyStop);
                self.hands.stay(readings);
            }
            Some(OperatorRequest::ClearEmergencyStop) => self.clear_emergency_stop(),
            Some(OperatorRequest::MoveJoint { joint, position }) => {
                self.move_joint(joint, position, readings, commands);
            }
            Some(OperatorRequest::ReleaseJoint { joint }) => self.release_joint(joint),
            Some(OperatorRequest::Set { setting, value }) => self.tune(setting, value),
            Some(OperatorRequest::TakeImage { camera }) => press(&mut commands.take_image, camera),
            Some(OperatorRequest::TakeDepthImage { camera }) => press(&mut commands.take_depth_image, camera),
            Some(OperatorRequest::Switch { component, switch }) => {
                self.switch_part(&component.to_string(), switch, readings);
            }
            None => {}
        }
        self.feel_stick(readings.operator.twist);
    }

    /// Drives to a pose in the world next, then goes on with the mission.
    fn go_to(&mut self, leg: &Leg) {
        if matches!(self.activity, Activity::Stopped(_)) {
            return self.note(Severity::Warning, "go-to refused: the robot is stopped");
        }
        if ![leg.x, leg.y, leg.yaw.unwrap_or(0.0)].iter().all(|number| number.is_finite()) {
            return self.note(Severity::Warning, "go-to refused: not a number");
        }
        let order = LegOrder::new(leg, &self.resolver.world_in_odom(), self.resolver.cruise_speed());
        if self.orders_at_work_mut().interrupt(Order { leg: Some(order), action: None }).is_err() {
            return self.note(Severity::Warning, "go-to refused: too many steps");
        }
        self.note(Severity::Info, "the operator sends the robot elsewhere first");
        match self.activity {
            Activity::Idle => {
                self.resume();
            }
            _ => self.go_on(),
        }
    }

    /// The way back from a stop that asks for a person: paused, until resumed.
    fn clear_emergency_stop(&mut self) {
        match self.activity {
            Activity::Stopped(StopCause::EmergencyStop) => {
                self.activity = Activity::Paused;
                self.note(Severity::Info, "emergency stop cleared, paused");
            }
            Activity::Stopped(StopCause::MotorFault { .. }) => {
                self.mobility.forget_faults();
                self.note(Severity::Info, "motor fault acknowledged");
            }
            _ => {}
        }
    }

    fn feel_stick(&mut self, touch: Option<Twist>) {
        let refused =
            matches!(self.activity, Activity::Stopped(StopCause::EmergencyStop | StopCause::MotorFault { .. }));
        let finite = |twist: &Twist| twist.x.is_finite() && twist.y.is_finite() && twist.yaw.is_finite();
        let touch = touch.filter(finite);
        if refused && touch.is_some() && !self.stick.blocked {
            self.stick.block();
            self.note(Severity::Warning, "stick refused: the robot is stopped");
        }
        let before = self.stick.is_held();
        self.stick.feel(touch, self.now, Period::from_seconds(self.settings.stick_release));
        match (before, self.stick.is_held()) {
            (false, true) => {
                self.suspend();
                self.note(Severity::Info, "the operator drives");
            }
            (true, false) => {
                self.note(Severity::Info, "the operator has let go");
                self.continue_if_possible();
            }
            _ => {}
        }
    }
}

/// Asks a camera for a picture, if there is one.
fn press(cameras: &mut [bool], camera: usize) {
    cameras.iter_mut().skip(camera).take(1).for_each(|take| *take = true);
}
