//! The last wrapper before the plug: nothing outside the limits passes, and every intervention is reported.

use crate::{
    Commands, Event, Events, IoError, JointCommand, JointLayout, JointLimits, JointStatus, Lifecycle, OperatorRequest,
    Readings, RobotIo, RobotStatus, Severity, State, Subject, Time, delegate_robot_io,
};

mod vocabulary;

pub use vocabulary::{Intervention, InterventionKind, SafetyLimits, StopCause};

const SOURCE: &str = "safety_filter";

/// In how many cycles a joint under velocity control may reach the end of its range, at most: more than a bus and a drive
/// take to obey. Chosen.
const BRAKING_CYCLES: f64 = 10.0;

/// A robot that cannot be told to do harm: clamps, rate limits, staleness, watchdog and emergency stop.
///
/// A stop is latched. While it lasts every joint holds the position at which it was with the gains of its last command,
/// and wheels hold still; [`clear_stop`](SafetyFilter::clear_stop) or the operator's request is the way back. A robot that
/// has fallen into [`Lifecycle::Fault`] is stopped too; the operator's request then switches it on again before the stop
/// ends.
#[derive(Clone, Debug, State)]
pub struct SafetyFilter<R> {
    inner: R,
    #[state(fixed)]
    limits: SafetyLimits,
    now: Time,
    cycle: u64,
    positions: Vec<f64>,
    stamps: Vec<Time>,
    last_answer: u64,
    passed: Commands,
    started: bool,
    stop: Option<StopCause>,
    reported: Vec<[Option<Time>; InterventionKind::COUNT]>,
    #[state(output)]
    interventions: Vec<Intervention>,
    total_interventions: u64,
    #[state(output)]
    events: Events,
}

impl<R: RobotIo> SafetyFilter<R> {
    /// A filter around `inner` with the joint limits of its layout.
    pub fn new(inner: R, limits: SafetyLimits) -> SafetyFilter<R> {
        let passed = Commands::new(inner.layout());
        let joints = passed.joints.len();
        SafetyFilter {
            inner,
            limits,
            now: Time::ZERO,
            cycle: 0,
            positions: vec![0.0; joints],
            stamps: vec![Time::ZERO; joints],
            last_answer: 0,
            passed,
            started: false,
            stop: None,
            reported: vec![[None; InterventionKind::COUNT]; joints],
            interventions: Vec::with_capacity(joints * InterventionKind::COUNT),
            total_interventions: 0,
            events: Events::with_capacity(64),
        }
    }

    /// The robot inside.
    pub fn inner(&self) -> &R {
        &self.inner
    }

    /// The robot inside.
    pub fn inner_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    /// What the last write changed.
    pub fn interventions(&self) -> &[Intervention] {
        &self.interventions
    }

    /// How many interventions there were in all.
    pub fn total_interventions(&self) -> u64 {
        self.total_interventions
    }

    /// What was last passed on to the robot inside.
    pub fn passed(&self) -> &Commands {
        &self.passed
    }

    /// Why the robot is stopped; `None` while it may move.
    pub fn stop_cause(&self) -> Option<StopCause> {
        self.stop
    }

    /// Stops the robot; the first cause is kept.
    pub fn emergency_stop(&mut self, cause: StopCause) {
        self.stop_with(cause, f64::NAN, f64::NAN);
    }

    /// The way back from a stop.
    pub fn clear_stop(&mut self) {
        if self.stop.take().is_some() {
            self.last_answer = self.cycle;
            self.events.push(Event::note(self.now, Severity::Info, SOURCE, "emergency stop cleared"));
        }
    }

    fn stop_with(&mut self, cause: StopCause, value: f64, limit: f64) {
        if self.stop.is_some() {
            return;
        }
        self.stop = Some(cause);
        let subject = match cause {
            StopCause::StaleJoint(joint) => Subject::Joint(joint),
            _ => Subject::Robot,
        };
        let event = Event::note(self.now, Severity::Stop, SOURCE, cause.text()).about(subject);
        self.events.push(event.with(value, limit));
        self.hold_here();
    }

    /// Every joint holds the position where it is, with the gains of its last command.
    fn hold_here(&mut self) {
        for (command, position) in self.passed.joints.iter_mut().zip(&self.positions) {
            *command = JointCommand { position: *position, velocity: 0.0, effort: 0.0, ..*command };
        }
    }

    fn take_note_of(&mut self, readings: &Readings) {
        (self.now, self.cycle) = (readings.time, readings.cycle);
        for (index, joint) in readings.joints.iter().enumerate() {
            // nobody measures an absent joint, so that its readings cannot be late
            let stamp = if joint.status.contains(JointStatus::ABSENT) { readings.time } else { joint.stamp };
            (self.positions[index], self.stamps[index]) = (joint.position, stamp);
        }
    }

    fn obey_operator(&mut self, request: Option<OperatorRequest>) {
        match request {
            Some(OperatorRequest::EmergencyStop) => self.emergency_stop(StopCause::Operator),
            Some(OperatorRequest::ClearEmergencyStop) => self.recover(),
            _ => {}
        }
    }

    /// The operator's way back: a robot that had failed is switched on again first.
    fn recover(&mut self) {
        match self.switch_on_again() {
            Ok(()) => self.clear_stop(),
            Err(error) => {
                let what = format!("emergency stop not cleared: {error}");
                self.events.push(Event { what: what.into(), ..Event::note(self.now, Severity::Error, SOURCE, "") });
            }
        }
    }

    /// Leaves a fault by the life cycle's own way; does nothing with a robot that has not failed.
    fn switch_on_again(&mut self) -> Result<(), IoError> {
        if self.inner.lifecycle() == Lifecycle::Fault {
            // whatever stopped it first, from now on this is what keeps it stopped
            self.stop = Some(StopCause::Robot);
            self.transition(Lifecycle::Inactive)?;
        }
        if self.stop == Some(StopCause::Robot) && self.inner.lifecycle() == Lifecycle::Inactive {
            self.transition(Lifecycle::Active)?;
            // what was silent while the robot had failed has until the next reading to speak
            self.stamps.fill(self.now);
        }
        Ok(())
    }

    /// Adds to the robot's own status what this filter knows: that it has just been switched on again, or is held here.
    fn complete(&self, status: &mut RobotStatus) {
        if status.lifecycle != self.inner.lifecycle() {
            *status = RobotStatus { lifecycle: self.inner.lifecycle(), ..RobotStatus::default() };
        }
        if let Some(cause) = self.stop.and_then(|stop| stop.told(&self.limits)) {
            status.causes.add(cause);
        }
    }

    /// A robot that has fallen into a fault is stopped.
    fn check_robot(&mut self) {
        if self.inner.lifecycle() == Lifecycle::Fault {
            self.emergency_stop(StopCause::Robot);
        }
    }

    /// The watchdog: an answer that is too old, or missing, stops the robot.
    fn check_age(&mut self, answer: u64) {
        let age = self.cycle.saturating_sub(answer);
        if self.started && age > self.limits.watchdog_cycles {
            self.stop_with(StopCause::Watchdog, age as f64, self.limits.watchdog_cycles as f64);
        }
    }

    fn check_stale_joints(&mut self) {
        for joint in 0..self.stamps.len() {
            let age = self.now.since(self.stamps[joint]);
            if age > self.limits.stop_after {
                self.stop_with(StopCause::StaleJoint(joint), age.seconds(), self.limits.stop_after.seconds());
            }
        }
    }

    fn filter_joint(&mut self, joint: usize, wanted: &JointCommand) {
        let age = self.now.since(self.stamps[joint]);
        let sound = wanted.is_finite() && wanted.stiffness >= 0.0 && wanted.damping >= 0.0;
        if age > self.limits.stale_after {
            self.intervene(joint, InterventionKind::Stale, age.seconds(), self.limits.stale_after.seconds());
            self.passed.joints[joint].velocity = 0.0;
        } else if sound {
            self.passed.joints[joint] = self.clamp(joint, wanted);
        } else {
            self.intervene(joint, InterventionKind::NotFinite, f64::NAN, f64::NAN);
        }
    }

    fn clamp(&mut self, joint: usize, wanted: &JointCommand) -> JointCommand {
        let JointLayout { limits, .. } = &self.inner.layout().joints[joint];
        let (limits, step) =
            (*limits, limits.velocity * self.inner.layout().period.seconds() * self.limits.rate_factor);
        let mut command = *wanted;
        if wanted.stiffness > 0.0 {
            let previous = &self.passed.joints[joint];
            let from = if previous.stiffness > 0.0 { previous.position } else { self.positions[joint] };
            command.position =
                self.bound(joint, InterventionKind::Position, wanted.position, limits.lower, limits.upper);
            command.position = self.bound(joint, InterventionKind::Rate, command.position, from - step, from + step);
        }
        let (back, forward) = self.speeds(joint, &limits, wanted);
        command.velocity = self.bound(joint, InterventionKind::Velocity, wanted.velocity, back, forward);
        let effort = limits.effort;
        command.effort = self.bound(joint, InterventionKind::Effort, wanted.effort, -effort, effort);
        command
    }

    /// The highest speeds back and forward [rad/s]. A joint under velocity control slows down before the ends of its range;
    /// one that holds a position is kept inside by its set-point.
    fn speeds(&self, joint: usize, limits: &JointLimits, wanted: &JointCommand) -> (f64, f64) {
        if wanted.stiffness > 0.0 {
            return (-limits.velocity, limits.velocity);
        }
        let (position, within) = (self.positions[joint], BRAKING_CYCLES * self.inner.layout().period.seconds());
        let back = ((position - limits.lower) / within).min(limits.velocity).max(0.0);
        let forward = ((limits.upper - position) / within).min(limits.velocity).max(0.0);
        (-back, forward)
    }

    fn bound(&mut self, joint: usize, kind: InterventionKind, wanted: f64, lower: f64, upper: f64) -> f64 {
        let allowed = wanted.max(lower).min(upper);
        if allowed != wanted {
            self.intervene(joint, kind, wanted, allowed);
        }
        allowed
    }

    fn intervene(&mut self, joint: usize, kind: InterventionKind, requested: f64, allowed: f64) {
        self.total_interventions += 1;
        self.interventions.push(Intervention { joint, kind, requested, allowed });
        let last = &mut self.reported[joint][kind as usize];
        let again = last.is_none_or(|time| self.now.since(time) >= self.limits.report_again_after);
        if again {
            *last = Some(self.now);
            let event = Event::note(self.now, Severity::Warning, SOURCE, kind.text()).about(Subject::Joint(joint));
            self.events.push(event.with(requested, allowed));
        }
    }
}

impl<R: RobotIo> RobotIo for SafetyFilter<R> {
    delegate_robot_io!(inner: layout, lifecycle);

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        self.started = false;
        self.inner.transition(to)?;
        if to == Lifecycle::Active {
            self.hold_here();
        }
        Ok(())
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        self.inner.read(readings)?;
        self.take_note_of(readings);
        self.check_robot();
        self.obey_operator(readings.operator.request);
        self.check_age(self.last_answer);
        self.complete(&mut readings.status);
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        commands.check(self.layout())?;
        self.interventions.clear();
        self.started = true;
        self.last_answer = commands.cycle;
        self.check_robot();
        self.check_age(commands.cycle);
        self.check_stale_joints();
        if commands.emergency_stop {
            self.emergency_stop(StopCause::Controller);
        }
        if self.stop.is_none() {
            for (joint, wanted) in commands.joints.iter().enumerate() {
                self.filter_joint(joint, wanted);
            }
        }
        self.passed.cycle = self.cycle;
        // a picture moves nothing
        self.passed.take_image.clone_from(&commands.take_image);
        self.passed.take_depth_image.clone_from(&commands.take_depth_image);
        self.inner.write(&self.passed)
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.inner.drain_events(events);
        events.append(&mut self.events);
    }
}

#[cfg(test)]
mod tests;
