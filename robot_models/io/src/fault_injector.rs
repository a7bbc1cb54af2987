//! A robot that breaks on purpose, at the times that a scenario gives.

use serde::{Deserialize, Serialize};

use crate::{
    Commands, Event, Events, IoError, JointCommand, JointState, RandomStream, Readings, RobotIo, RobotLayout, Severity,
    State, StateVisitor, Subject, Time, delegate_robot_io,
};

const SOURCE: &str = "fault_injector";

/// The longest delay of commands [cycles].
const LONGEST_DELAY: usize = 1_000;

/// One fault on the timeline.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fault {
    /// When it begins.
    pub from: Time,
    /// When it heals; `None` for never.
    pub until: Option<Time>,
    /// What breaks.
    pub kind: FaultKind,
}

impl Fault {
    fn is_active(&self, now: Time) -> bool {
        now >= self.from && self.until.is_none_or(|end| now < end)
    }
}

/// What can break. The robot inside never notices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum FaultKind {
    /// The encoder keeps reporting the position at which it got stuck, at zero velocity, with fresh stamps.
    StuckEncoder {
        /// The joint.
        joint: String,
    },
    /// Readings of the joint are lost, each with this probability; the last one stays, with its old stamp.
    DroppedReading {
        /// The joint.
        joint: String,
        /// 0 to 1.
        probability: f64,
    },
    /// Normal noise is added to position [rad] and velocity [rad/s].
    NoiseBurst {
        /// The joint.
        joint: String,
        /// The standard deviation.
        standard_deviation: f64,
    },
    /// All commands arrive late.
    DelayedCommand {
        /// By this many cycles.
        cycles: usize,
    },
    /// The motor gives no torque and says nothing of it.
    MotorOff {
        /// The joint.
        joint: String,
    },
}

impl FaultKind {
    /// The kinds by their names in files.
    pub const KINDS: [&str; 5] = ["stuck_encoder", "dropped_reading", "noise_burst", "delayed_command", "motor_off"];

    /// The joint that it is about, if it is about one.
    pub fn joint_name(&self) -> Option<&str> {
        match self {
            FaultKind::StuckEncoder { joint }
            | FaultKind::DroppedReading { joint, .. }
            | FaultKind::NoiseBurst { joint, .. }
            | FaultKind::MotorOff { joint } => Some(joint),
            FaultKind::DelayedCommand { .. } => None,
        }
    }

    const fn text(&self) -> &'static str {
        match self {
            FaultKind::StuckEncoder { .. } => "encoder stuck",
            FaultKind::DroppedReading { .. } => "readings dropped",
            FaultKind::NoiseBurst { .. } => "noise burst",
            FaultKind::DelayedCommand { .. } => "commands delayed",
            FaultKind::MotorOff { .. } => "motor off",
        }
    }

    /// Refuses numbers that make no sense.
    pub fn check(&self) -> Result<(), IoError> {
        let (what, expected, found, sensible) = match *self {
            FaultKind::DroppedReading { probability: p, .. } => {
                ("probability of a dropped reading", "0 to 1", p, (0.0..=1.0).contains(&p))
            }
            FaultKind::NoiseBurst { standard_deviation: s, .. } => {
                ("standard deviation of a noise burst", "0 to 1e4", s, (0.0..=1e4).contains(&s))
            }
            FaultKind::DelayedCommand { cycles } => {
                ("delay of commands [cycles]", "at most 1000", cycles as f64, cycles <= LONGEST_DELAY)
            }
            FaultKind::StuckEncoder { .. } | FaultKind::MotorOff { .. } => return Ok(()),
        };
        if sensible { Ok(()) } else { Err(IoError::Value { what, expected, found: found.to_string() }) }
    }
}

/// A fault whose joint has been found, and what it remembers.
#[derive(Clone, Debug, State)]
struct Armed {
    #[state(fixed)]
    fault: Fault,
    #[state(fixed)]
    joint: Option<usize>,
    #[state(fixed)]
    noise: RandomStream,
    active: bool,
    /// The last reading before the fault or the last one that came through.
    kept: JointState,
}

/// Injects the faults of a scenario between a robot and whoever drives it.
#[derive(Clone, Debug)]
pub struct FaultInjector<R> {
    inner: R,
    faults: Vec<Armed>,
    now: Time,
    cycle: u64,
    /// The last commands, newest at `cycle % history.len()`.
    history: Vec<Commands>,
    outgoing: Commands,
    events: Events,
}

impl<R: RobotIo> FaultInjector<R> {
    /// Wraps `inner`; a fault on a joint that it does not have, or with an absurd number, is an error.
    pub fn new(inner: R, faults: Vec<Fault>, seed: u64) -> Result<FaultInjector<R>, IoError> {
        let outgoing = Commands::new(inner.layout());
        let longest = faults.iter().map(|fault| delay_of(&fault.kind)).max().unwrap_or(0);
        let armed: Result<Vec<Armed>, IoError> =
            faults.into_iter().enumerate().map(|(index, fault)| arm(fault, index, seed, inner.layout())).collect();
        Ok(FaultInjector {
            inner,
            faults: armed?,
            now: Time::ZERO,
            cycle: 0,
            history: vec![outgoing.clone(); longest + 1],
            outgoing,
            events: Events::with_capacity(16),
        })
    }

    /// The robot inside.
    pub fn inner(&self) -> &R {
        &self.inner
    }

    /// The robot inside.
    pub fn inner_mut(&mut self) -> &mut R {
        &mut self.inner
    }

    fn announce(&mut self) {
        for armed in &mut self.faults {
            let active = armed.fault.is_active(self.now);
            if active != armed.active {
                let severity = if active { Severity::Error } else { Severity::Info };
                let what = if active { armed.fault.kind.text() } else { "fault healed" };
                let subject = armed.joint.map_or(Subject::Robot, Subject::Joint);
                self.events.push(Event::note(self.now, severity, SOURCE, what).about(subject));
                armed.active = active;
            }
        }
    }

    fn delay_cycles(&self) -> usize {
        let active = self.faults.iter().filter(|armed| armed.active);
        active.map(|armed| delay_of(&armed.fault.kind)).max().unwrap_or(0)
    }
}

fn delay_of(kind: &FaultKind) -> usize {
    match kind {
        FaultKind::DelayedCommand { cycles } => *cycles,
        _ => 0,
    }
}

fn arm(fault: Fault, index: usize, seed: u64, layout: &RobotLayout) -> Result<Armed, IoError> {
    fault.kind.check()?;
    let find = |name: &str| {
        let unknown = IoError::UnknownName { what: "joint", name: name.to_owned(), robot: layout.robot.clone() };
        layout.joint(name).ok_or(unknown)
    };
    let joint = fault.kind.joint_name().map(find).transpose()?;
    let noise = RandomStream::new(seed, &format!("fault {index}"));
    Ok(Armed { fault, joint, noise, active: false, kept: JointState::default() })
}

impl Armed {
    /// Spoils one joint's reading while active; remembers good ones.
    fn spoil(&mut self, joint: &mut JointState, cycle: u64) {
        match &self.fault.kind {
            FaultKind::StuckEncoder { .. } if self.active => {
                (joint.position, joint.velocity) = (self.kept.position, 0.0);
            }
            FaultKind::DroppedReading { probability, .. } if self.active => {
                if self.noise.uniform(cycle, 0) < *probability {
                    *joint = self.kept;
                }
                self.kept = *joint;
            }
            FaultKind::NoiseBurst { standard_deviation, .. } if self.active => {
                joint.position += standard_deviation * self.noise.normal(cycle, 0);
                joint.velocity += standard_deviation * self.noise.normal(cycle, 1);
            }
            _ => self.kept = *joint,
        }
    }
}

impl<R: RobotIo> RobotIo for FaultInjector<R> {
    delegate_robot_io!(inner: layout, lifecycle, transition);

    fn read(&mut self, readings: &mut Readings) -> Result<(), IoError> {
        self.inner.read(readings)?;
        (self.now, self.cycle) = (readings.time, readings.cycle);
        self.announce();
        for armed in &mut self.faults {
            if let Some(joint) = armed.joint {
                armed.spoil(&mut readings.joints[joint], self.cycle);
            }
        }
        Ok(())
    }

    fn write(&mut self, commands: &Commands) -> Result<(), IoError> {
        commands.check(self.layout())?;
        let slots = self.history.len();
        self.history[self.cycle as usize % slots].copy_from(commands);
        let delay = self.delay_cycles().min(self.cycle as usize);
        self.outgoing.copy_from(&self.history[(self.cycle as usize - delay) % slots]);
        for armed in self.faults.iter().filter(|armed| armed.active) {
            if let (FaultKind::MotorOff { .. }, Some(joint)) = (&armed.fault.kind, armed.joint) {
                self.outgoing.joints[joint] = JointCommand::default();
            }
        }
        self.inner.write(&self.outgoing)
    }

    fn drain_events(&mut self, events: &mut Events) {
        self.inner.drain_events(events);
        events.append(&mut self.events);
    }
}

impl<R: State> State for FaultInjector<R> {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.field("inner", &mut self.inner);
        visitor.field("now", &mut self.now);
        visitor.field("cycle", &mut self.cycle);
        visitor.field("faults", self.faults.as_mut_slice());
        visitor.field("history", self.history.as_mut_slice());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::{DummyRobot, Period};

    const WHEEL: usize = 2;

    fn at_ms(ms: u64) -> Time {
        Time::ZERO + Period::from_milliseconds(ms)
    }

    fn fault(from_ms: u64, until_ms: Option<u64>, kind: FaultKind) -> Fault {
        Fault { from: at_ms(from_ms), until: until_ms.map(at_ms), kind }
    }

    /// Turns the wheel at 1 rad/s for 30 ms and returns its readings.
    fn run(faults: Vec<Fault>) -> Vec<JointState> {
        let layout = RobotLayout::example();
        let mut robot = FaultInjector::new(DummyRobot::new(layout.clone()), faults, 7).unwrap();
        let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
        robot.bring_up().unwrap();
        let mut cycle = || {
            robot.read(&mut readings).unwrap();
            commands.answer(&readings);
            commands.joints[WHEEL] = JointCommand::turn(1.0, 1.0);
            robot.write(&commands).unwrap();
            readings.joints[WHEEL]
        };
        (0..30).map(|_| cycle()).collect()
    }

    fn joint() -> String {
        "wheel".to_owned()
    }

    #[test]
    fn a_stuck_encoder_freezes_the_position_but_not_the_stamp() {
        let wheel = run(vec![fault(10, Some(20), FaultKind::StuckEncoder { joint: joint() })]);
        assert_eq!(wheel[15].position, wheel[9].position);
        assert_eq!(wheel[15].stamp, at_ms(15));
        assert!(wheel[20].position > wheel[19].position + 0.009, "healed at 20 ms");
    }

    #[test]
    fn a_dropped_reading_keeps_its_old_stamp() {
        let wheel = run(vec![fault(10, None, FaultKind::DroppedReading { joint: joint(), probability: 1.0 })]);
        assert_eq!(wheel[29], wheel[9]);
    }

    #[test]
    fn some_readings_come_through_when_half_are_dropped() {
        let wheel = run(vec![fault(0, None, FaultKind::DroppedReading { joint: joint(), probability: 0.5 })]);
        let fresh = (0..30).filter(|ms| wheel[*ms as usize].stamp == at_ms(*ms)).count();
        assert!((5..=25).contains(&fresh), "{fresh} of 30");
    }

    #[test]
    fn a_motor_that_is_off_stands_still_and_a_delay_shifts_the_start() {
        let off = run(vec![fault(10, None, FaultKind::MotorOff { joint: joint() })]);
        assert_eq!(off[29].position, off[11].position);
        let late = run(vec![fault(0, None, FaultKind::DelayedCommand { cycles: 4 })]);
        let sound = run(Vec::new());
        assert!((sound[29].position - late[29].position).abs() < 0.005);
    }

    #[test]
    fn noise_is_the_same_for_the_same_seed() {
        let burst = || vec![fault(5, None, FaultKind::NoiseBurst { joint: joint(), standard_deviation: 0.1 })];
        assert_eq!(run(burst()), run(burst()));
        assert_ne!(run(burst())[20].position, run(Vec::new())[20].position);
    }

    /// Commands for another robot went into the history, and a fault on a joint that they lacked was a panic.
    #[test]
    fn commands_of_another_robot_are_refused_before_they_are_remembered() {
        let layout = RobotLayout::example();
        let off = vec![fault(0, None, FaultKind::MotorOff { joint: joint() })];
        let mut robot = FaultInjector::new(DummyRobot::new(layout.clone()), off, 1).unwrap();
        robot.bring_up().unwrap();
        robot.read(&mut Readings::new(&layout)).unwrap();
        let size = IoError::Size { what: "joint commands", expected: 3, found: 0 };
        assert_eq!(robot.write(&Commands::default()), Err(size));
    }

    #[test]
    fn an_unknown_joint_and_an_absurd_number_are_refused() {
        let wrap = |kind| FaultInjector::new(DummyRobot::new(RobotLayout::example()), vec![fault(0, None, kind)], 1);
        let unknown = wrap(FaultKind::MotorOff { joint: "elbow".to_owned() }).unwrap_err();
        assert_eq!(unknown.to_string(), "example has no joint named 'elbow'");
        let absurd = wrap(FaultKind::DroppedReading { joint: joint(), probability: 1.5 }).unwrap_err();
        assert_eq!(absurd.to_string(), "probability of a dropped reading: expected 0 to 1, found 1.5");
    }
}
