//! A robot on the bench: plugged in, driven cycle by cycle.

use super::{Plugged, Probe, Subject};
use crate::{
    Clock, Commands, Events, JointCommand, Lifecycle, OperatorRequest, Readings, RobotIo, SafetyFilter, SafetyLimits,
    Severity,
};

/// A robot under examination with its buffers.
pub(super) struct Bench<R> {
    pub robot: R,
    pub clock: Box<dyn Clock>,
    pub fail: Option<Box<dyn FnMut()>>,
    pub readings: Readings,
    pub commands: Commands,
    /// All that it has told.
    pub events: Events,
    hold: Vec<JointCommand>,
}

/// A robot as it came.
pub(super) type Plain = Bench<Box<dyn RobotIo>>;
/// A robot behind a safety filter of the suite's own.
pub(super) type Filtered = Bench<SafetyFilter<Box<dyn RobotIo>>>;

impl Plain {
    /// The subject, unconfigured.
    pub fn plug(subject: &mut Subject<'_>) -> Result<Plain, String> {
        let plugged = (subject.plug)().map_err(|error| format!("cannot be plugged in: {error}"))?;
        Plain::around(plugged, subject)
    }

    /// A robot that was just plugged in.
    pub fn around(plugged: Plugged, subject: &Subject<'_>) -> Result<Plain, String> {
        let Plugged { robot, clock, fail } = plugged;
        Bench::new(robot, clock, fail, subject)
    }

    /// The subject, switched on.
    pub fn active(subject: &mut Subject<'_>) -> Result<Plain, String> {
        Plain::plug(subject)?.switched_on()
    }
}

impl Filtered {
    /// The subject behind a safety filter, switched on.
    pub fn active(subject: &mut Subject<'_>) -> Result<Filtered, String> {
        let Plain { robot, clock, fail, .. } = Plain::plug(subject)?;
        let robot = SafetyFilter::new(robot, SafetyLimits::default());
        Bench::new(robot, clock, fail, subject)?.switched_on()
    }
}

impl<R: RobotIo> Bench<R> {
    /// A bench for this robot with the subject's way of holding still.
    pub fn new(
        robot: R,
        clock: Box<dyn Clock>,
        fail: Option<Box<dyn FnMut()>>,
        subject: &Subject<'_>,
    ) -> Result<Bench<R>, String> {
        let layout = robot.layout();
        let (joints, held) = (layout.joints.len(), subject.hold.len());
        if joints != held {
            return Err(format!("the subject holds {held} joints, the layout has {joints}"));
        }
        let (readings, commands) = (Readings::new(layout), Commands::new(layout));
        Ok(Bench { robot, clock, fail, readings, commands, events: Events::new(), hold: subject.hold.clone() })
    }

    /// The same bench with the robot switched on.
    pub fn switched_on(mut self) -> Result<Bench<R>, String> {
        self.robot.bring_up().map_err(|error| format!("cannot be switched on: {error}"))?;
        Ok(self)
    }

    pub fn transition(&mut self, to: Lifecycle) -> Result<(), String> {
        let from = self.robot.lifecycle();
        self.robot.transition(to).map_err(|error| format!("from {from} to {to}: {error}"))
    }

    /// The first stage; what was read is looked at each time.
    pub fn read(&mut self) -> Result<(), String> {
        let state = self.robot.lifecycle();
        self.robot.read(&mut self.readings).map_err(|error| format!("cannot be read while {state}: {error}"))?;
        self.readings.check(self.robot.layout()).map_err(|error| format!("read: {error}"))?;
        finite(&self.readings).map_err(|what| format!("cycle {}: {what} is not finite", self.readings.cycle))
    }

    /// The second and third stage: the answer is to hold still, but for what `change` makes of it.
    pub fn answer(&mut self, change: impl FnOnce(&mut Commands)) -> Result<(), String> {
        self.commands.answer(&self.readings);
        self.commands.joints.copy_from_slice(&self.hold);
        change(&mut self.commands);
        self.robot.write(&self.commands).map_err(|error| format!("cannot be written: {error}"))?;
        self.robot.drain_events(&mut self.events);
        Ok(())
    }

    /// The fourth stage.
    pub fn advance(&mut self) -> Result<(), String> {
        self.clock.advance().map(drop).map_err(|error| format!("its clock stops: {error}"))
    }

    /// One cycle.
    pub fn cycle(&mut self, change: impl FnOnce(&mut Commands)) -> Result<(), String> {
        self.read()?;
        self.answer(change)?;
        self.advance()
    }

    /// So many cycles under the same command of one joint.
    pub fn give(&mut self, joint: usize, command: JointCommand, cycles: u64) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.cycle(|commands| commands.joints[joint] = command))
    }

    /// So many cycles of holding still.
    pub fn rest(&mut self, cycles: u64) -> Result<(), String> {
        (0..cycles).try_for_each(|_| self.cycle(|_| {}))
    }

    /// What holds a joint still.
    pub fn hold(&self, joint: usize) -> JointCommand {
        self.hold[joint]
    }

    /// A joint's present position [rad or m].
    pub fn position(&self, joint: usize) -> f64 {
        self.readings.joints[joint].position
    }

    /// A joint's name.
    pub fn name(&self, joint: usize) -> &str {
        &self.robot.layout().joints[joint].name
    }

    /// The command with which a probe moves on, `cycle` cycles after it stood at `start`: a wheel turns, another joint runs
    /// along a ramp of the probe's step in the probe's cycles.
    pub fn onward(&self, probe: &Probe, start: f64, cycle: u64) -> JointCommand {
        let hold = self.hold(probe.joint);
        if hold.stiffness <= 0.0 {
            return JointCommand { velocity: probe.step, ..hold };
        }
        let period = self.robot.layout().period.seconds();
        let per_cycle = probe.step / probe.cycles as f64;
        JointCommand { position: start + per_cycle * cycle as f64, velocity: per_cycle / period, ..hold }
    }

    /// True if the robot has told of a stop.
    pub fn has_told_of_a_stop(&self) -> bool {
        self.events.iter().any(|event| event.severity == Severity::Stop)
    }

    /// The way back from whatever has stopped the robot: the operator's button, then, if it is not active, the life cycle.
    pub fn take_back(&mut self) -> Result<(), String> {
        self.readings.operator.request = Some(OperatorRequest::ClearEmergencyStop);
        let pressed = self.read();
        self.readings.operator.request = None;
        pressed?;
        if self.robot.lifecycle() == Lifecycle::Fault {
            self.transition(Lifecycle::Inactive)?;
        }
        if self.robot.lifecycle() == Lifecycle::Inactive {
            self.transition(Lifecycle::Active)?;
        }
        self.answer(|_| {})?;
        self.advance()
    }

    /// Moves a probe by its step from where it is and tells what is wrong with how it went.
    pub fn see_it_obey(&mut self, probe: &Probe) -> Result<(), String> {
        let Probe { joint, step, cycles, tolerance, .. } = *probe;
        self.rest(cycles)?;
        let start = self.position(joint);
        let hold = self.hold(joint);
        let is_wheel = hold.stiffness <= 0.0;
        let command = match is_wheel {
            true => JointCommand { velocity: step, ..hold },
            false => JointCommand { position: hold.position + step, ..hold },
        };
        self.give(joint, command, cycles)?;
        self.read()?;
        let reached = if is_wheel { self.readings.joints[joint].velocity } else { self.position(joint) - start };
        let name = self.name(joint);
        if reached * step < 0.0 {
            return Err(format!("{name}: told to go by {step:+.4} it went by {reached:+.4}: the wrong way"));
        }
        if (reached - step).abs() > tolerance {
            let share = reached / step;
            return Err(format!("{name}: told to go by {step:+.4} it went by {reached:+.4}, {share:.4} of it"));
        }
        Ok(())
    }
}

/// The first number that is not finite.
fn finite(readings: &Readings) -> Result<(), String> {
    for (index, joint) in readings.joints.iter().enumerate() {
        let numbers = [joint.position, joint.velocity, joint.effort, joint.temperature];
        if numbers.iter().any(|number| !number.is_finite()) {
            return Err(format!("the reading of joint {index}, {joint:?},"));
        }
    }
    let imus = readings.imus.iter().flat_map(|imu| {
        let vectors = imu.angular_velocity.iter().chain(imu.linear_acceleration.iter());
        vectors.chain(imu.orientation.coords.iter())
    });
    let cells = readings.force_torques.iter().flat_map(|cell| cell.force.iter().chain(cell.torque.iter()));
    let switches = readings.contacts.iter().map(|contact| &contact.force);
    let batteries = readings.batteries.iter().flat_map(|it| [&it.voltage, &it.current, &it.charge]);
    let all = [
        ("an IMU's reading", imus.into_iter().all(|number| number.is_finite())),
        ("a force/torque reading", cells.into_iter().all(|number| number.is_finite())),
        ("a contact reading", switches.into_iter().all(|number| number.is_finite())),
        ("a battery's reading", batteries.into_iter().all(|number| number.is_finite())),
    ];
    all.into_iter().find(|(_, finite)| !finite).map_or(Ok(()), |(what, _)| Err(what.to_owned()))
}
