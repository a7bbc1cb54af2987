//! What the person at the desk may do: drive, pause, resume, send somewhere, stop.

use robot_io::{Commands, OperatorRequest, Period, Readings, Severity, State, Time, Twist};

use crate::mission::Mission;
use crate::mobility::Mobility;
use crate::order::{LegOrder, Order};
use crate::plan::Leg;
use crate::status::Activity;
use crate::supervision::StopCause;

/// The operator's stick. It counts as held for a moment after the last touch, so that a shaky hand does not toggle the
/// mission; after a stop it must be released before it counts again.
#[derive(Clone, Copy, Debug, Default, State)]
pub struct Stick {
    twist: Option<Twist>,
    held_until: Option<Time>,
    blocked: bool,
}

impl Stick {
    /// True while the operator drives.
    pub fn is_held(&self) -> bool {
        self.held_until.is_some()
    }

    /// The velocity to drive with while the operator drives.
    pub fn twist(&self) -> Option<Twist> {
        self.held_until.map(|_| self.twist.unwrap_or_default())
    }

    /// Does not count until it is released.
    pub fn block(&mut self) {
        *self = Stick { blocked: true, ..Stick::default() };
    }

    /// Takes in a cycle; `touch` must be finite.
    fn feel(&mut self, touch: Option<Twist>, now: Time, release: Period) {
        self.blocked &= touch.is_some();
        self.twist = touch.filter(|_| !self.blocked);
        match self.held_until {
            _ if self.twist.is_some() => self.held_until = Some(now + release),
            Some(until) if now >= until => self.held_until = None,
            _ => {}
        }
    }
}

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
        if self.sequencer.interrupt(Order { leg: Some(order), action: None }).is_err() {
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

#[cfg(test)]
mod tests {
    use super::*;

    const RELEASE: Period = Period::from_milliseconds(500);
    const FORWARD: Option<Twist> = Some(Twist { x: 0.3, y: 0.0, yaw: 0.0 });

    fn at(ms: u64) -> Time {
        Time::from_nanoseconds(ms * 1_000_000)
    }

    #[test]
    fn a_released_stick_stops_at_once_but_is_held_for_a_moment() {
        let mut stick = Stick::default();
        stick.feel(FORWARD, at(0), RELEASE);
        assert_eq!(stick.twist(), FORWARD);
        stick.feel(None, at(499), RELEASE);
        assert_eq!(stick.twist(), Some(Twist::default()), "stands still");
        stick.feel(None, at(500), RELEASE);
        assert!(!stick.is_held());
    }

    #[test]
    fn a_blocked_stick_must_be_released_first() {
        let mut stick = Stick::default();
        stick.block();
        stick.feel(FORWARD, at(0), RELEASE);
        assert!(!stick.is_held());
        stick.feel(None, at(1), RELEASE);
        stick.feel(FORWARD, at(2), RELEASE);
        assert!(stick.is_held());
    }
}
