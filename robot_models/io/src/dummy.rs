//! The least that can stand on either side of the plug: for tests, examples and dry runs.

mod eyes;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use self::eyes::Eyes;
use crate::{
    Clock, Commands, Controller, IoError, JointCommand, JointStatus, Lifecycle, Period, Readings, RobotIo, RobotLayout,
    RobotStatus, State, StateVisitor, Time,
};

/// A robot without mass: each joint is where it was told to be one cycle later. It measures no effort.
///
/// One that was made [`with_clock`](DummyRobot::with_clock) lives in its clock's cycles. One that was made alone has none,
/// so every read begins a new cycle.
#[derive(Clone, Debug, State)]
pub struct DummyRobot {
    #[state(fixed)]
    layout: RobotLayout,
    #[state(skip = "whoever restores a robot brings it up")]
    lifecycle: Lifecycle,
    cycle: u64,
    positions: Vec<f64>,
    velocities: Vec<f64>,
    commands: Vec<JointCommand>,
    eyes: Eyes,
    /// Cycles that its clock has counted.
    #[state(skip = "the clock's")]
    counted: Option<Arc<AtomicU64>>,
}

impl DummyRobot {
    /// A dummy with the joints of `layout`, all at zero.
    pub fn new(layout: RobotLayout) -> DummyRobot {
        let joints = layout.joints.len();
        let rest = vec![0.0; joints];
        DummyRobot {
            eyes: Eyes::new(&layout),
            layout,
            lifecycle: Lifecycle::default(),
            cycle: 0,
            positions: rest.clone(),
            velocities: rest,
            commands: vec![JointCommand::default(); joints],
            counted: None,
        }
    }

    /// A dummy and the clock that makes its time pass.
    pub fn with_clock(layout: RobotLayout) -> (DummyRobot, DummyClock) {
        let mut clock = DummyClock::new(layout.period);
        let counted = Arc::new(AtomicU64::new(0));
        clock.counted = Some(Arc::clone(&counted));
        (DummyRobot { counted: Some(counted), ..DummyRobot::new(layout) }, clock)
    }

    /// Falls into [`Lifecycle::Fault`], as a robot does whose drive has tripped. The way back is the life cycle's.
    pub fn fail(&mut self) {
        if matches!(self.lifecycle, Lifecycle::Inactive | Lifecycle::Active) {
            self.lifecycle = Lifecycle::Fault;
        }
    }

    /// Lets the cycles pass that the clock has counted since the last read.
    fn catch_up(&mut self) {
        let Some(counted) = &self.counted else { return };
        let now = counted.load(Ordering::Relaxed);
        while self.cycle < now {
            self.eyes.pass(self.cycle);
            self.cycle += 1;
            if self.lifecycle == Lifecycle::Active {
                self.obey();
            } else {
                self.velocities.fill(0.0);
            }
        }
    }

    /// One cycle under the present commands.
    fn obey(&mut self) {
        let period = self.layout.period.seconds();
        for (index, command) in self.commands.iter().enumerate() {
            let from = self.positions[index];
            let is_held = command.stiffness > 0.0;
            let to = if is_held { command.position } else { from + command.velocity * period };
            self.positions[index] = to;
            self.velocities[index] = if is_held && period > 0.0 { (to - from) / period } else { command.velocity };
        }
    }
}

impl RobotIo for DummyRobot {
    fn layout(&self) -> &RobotLayout {
        &self.layout
    }

    fn lifecycle(&self) -> Lifecycle {
        self.lifecycle
    }

    fn transition(&mut self, to: Lifecycle) -> Result<(), IoError> {
        if !self.lifecycle.allows(to) {
            return Err(IoError::Transition { from: self.lifecycle, to });
        }
        self.catch_up();
        self.lifecycle = to;
        self.commands.fill(JointCommand::default());
        Ok(())
    }

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        if !self.lifecycle.can_read() {
            return Err(IoError::NotReadable { state: self.lifecycle });
        }
        readings.check(&self.layout)?;
        self.catch_up();
        let now = Time::from_nanoseconds(self.cycle * self.layout.period.nanoseconds());
        (readings.cycle, readings.time) = (self.cycle, now);
        readings.status = RobotStatus { lifecycle: self.lifecycle, ..RobotStatus::default() };
        let enabled = self.lifecycle == Lifecycle::Active;
        for (index, joint) in readings.joints.iter_mut().enumerate() {
            joint.stamp = now;
            joint.position = self.positions[index];
            joint.velocity = self.velocities[index];
            joint.temperature = 20.0;
            joint.status = JointStatus::default().with(JointStatus::ENABLED, enabled);
        }
        readings.imus.iter_mut().for_each(|imu| imu.stamp = now);
        readings.contacts.iter_mut().for_each(|contact| contact.stamp = now);
        readings.force_torques.iter_mut().for_each(|sensor| sensor.stamp = now);
        readings.batteries.iter_mut().for_each(|battery| battery.stamp = now);
        self.eyes.show(&self.layout, readings);
        if self.counted.is_none() {
            self.eyes.pass(self.cycle);
            self.cycle += 1;
        }
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        commands.check(&self.layout)?;
        if self.lifecycle != Lifecycle::Active {
            return Ok(());
        }
        self.catch_up();
        self.eyes.ask(commands);
        self.commands.clone_from(&commands.joints);
        if commands.emergency_stop {
            self.commands.fill(JointCommand::default());
        }
        if self.counted.is_none() {
            self.obey();
        }
        Ok(())
    }
}

/// A clock that one advances by hand.
#[derive(Clone, Debug)]
pub struct DummyClock {
    now: Time,
    period: Period,
    /// Cycles counted, for the robot that was made with it.
    counted: Option<Arc<AtomicU64>>,
}

impl DummyClock {
    /// A clock at zero whose cycles last `period`.
    pub fn new(period: Period) -> DummyClock {
        DummyClock { now: Time::ZERO, period, counted: None }
    }
}

impl Clock for DummyClock {
    fn now(&self) -> Time {
        self.now
    }

    fn advance(&mut self) -> Result<Time, IoError> {
        self.now = self.now + self.period;
        if let Some(counted) = &self.counted {
            counted.fetch_add(1, Ordering::Relaxed);
        }
        Ok(self.now)
    }
}

/// A controller that leaves every joint limp.
#[derive(Clone, Debug, Default)]
pub struct DummyController;

impl Controller for DummyController {
    fn reset(&mut self, _readings: &Readings) {}

    fn update(&mut self, readings: &Readings, commands: &mut Commands) {
        commands.answer(readings);
        commands.joints.fill(crate::JointCommand::default());
    }
}

impl State for DummyController {
    fn visit_state(&mut self, _visitor: &mut dyn StateVisitor) {}
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::JointCommand;

    #[test]
    fn a_dummy_joint_is_where_it_was_told_to_be() {
        let layout = RobotLayout::example();
        let mut robot = DummyRobot::new(layout.clone());
        let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
        robot.bring_up().unwrap();
        commands.joints[1] = JointCommand::hold(0.5, 10.0, 1.0);
        commands.joints[2] = JointCommand::turn(2.0, 1.0);
        robot.write(&commands).unwrap();
        robot.read(&mut readings).unwrap();
        assert_eq!(readings.joints[1].position, 0.5);
        assert_eq!(readings.joints[2].position, 0.002);
    }

    #[test]
    fn a_robot_that_is_not_switched_on_neither_reads_nor_moves() {
        let layout = RobotLayout::example();
        let mut robot = DummyRobot::new(layout.clone());
        let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
        let state = Lifecycle::Unconfigured;
        assert_eq!(robot.read(&mut readings), Err(IoError::NotReadable { state }));
        robot.transition(Lifecycle::Inactive).unwrap();
        commands.joints[0] = JointCommand::hold(0.5, 10.0, 1.0);
        robot.write(&commands).unwrap();
        robot.read(&mut readings).unwrap();
        assert_eq!(readings.joints[0].position, 0.0);
    }

    #[test]
    fn commands_of_another_robot_are_refused_with_both_numbers() {
        let mut robot = DummyRobot::new(RobotLayout::example());
        let error = robot.write(&Commands::default()).unwrap_err();
        assert_eq!(error.to_string(), "expected 3 joint commands, found 0");
    }
}
