//! What every robot behind the plug must do: one suite for simulation, bus, replay and dummy, and for yours.
//!
//! The suite plugs the robot in afresh for each check, drives it by the four stages of a cycle and writes down in words
//! what is not as it should be. It starts no thread, opens no file and reads no clock but the robot's own. What a robot
//! cannot do it says in its [`Abilities`]; the checks that need it are then skipped, and the report lists them with the
//! reason.
//!
//! ```
//! use robot_io::conformance::{Abilities, Plugged, Probe, Subject, check};
//! use robot_io::{DummyRobot, JointCommand, RobotLayout};
//!
//! let plug = || {
//!     let (robot, clock) = DummyRobot::with_clock(RobotLayout::example());
//!     Ok(Plugged::new(robot, clock))
//! };
//! let hold = vec![JointCommand::hold(0.0, 100.0, 1.0), JointCommand::hold(0.0, 100.0, 1.0), JointCommand::turn(0.0, 1.0)];
//! let mut subject = Subject::new("the dummy", hold, plug);
//! subject.probes = vec![Probe { joint: 0, step: 0.2, effort: 0.0, cycles: 60, tolerance: 0.01 }];
//! subject.abilities = Abilities { measures_effort: false, ..Abilities::default() };
//! let report = check(&mut subject);
//! assert!(report.is_sound(), "{report}");
//! ```

mod bench;
mod buffers;
mod life;
mod motion;
mod report;
mod safety;
mod time;
mod vision;

pub use report::{Finding, Report, Skipped};

use crate::{Clock, IoError, JointCommand, RobotIo};

/// A robot as it comes, unconfigured, and the clock that makes its time pass.
pub struct Plugged {
    /// The robot.
    pub robot: Box<dyn RobotIo>,
    /// Its clock.
    pub clock: Box<dyn Clock>,
    /// Makes the robot fall into [`Lifecycle::Fault`](crate::Lifecycle::Fault) within ten cycles; `None` where nobody can.
    pub fail: Option<Box<dyn FnMut()>>,
}

impl Plugged {
    /// A robot that nobody can make fail.
    pub fn new(robot: impl RobotIo + 'static, clock: impl Clock + 'static) -> Plugged {
        Plugged { robot: Box::new(robot), clock: Box::new(clock), fail: None }
    }

    /// The same robot with somebody who makes it fail.
    #[must_use]
    pub fn failing_by(mut self, fail: impl FnMut() + 'static) -> Plugged {
        self.fail = Some(Box::new(fail));
        self
    }
}

impl core::fmt::Debug for Plugged {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Plugged").field("robot", &self.robot.layout().robot).finish_non_exhaustive()
    }
}

/// Plugs a robot in, the same each time.
pub type Plug<'a> = Box<dyn FnMut() -> Result<Plugged, IoError> + 'a>;

/// Whom the suite examines.
pub struct Subject<'a> {
    /// What the report calls it.
    pub name: String,
    /// Plugs it in.
    pub plug: Plug<'a>,
    /// Plugs in the same robot without any sensor beside its joints; `None` if there is no such robot.
    pub without_sensors: Option<Plug<'a>>,
    /// What holds the robot where it starts, a command a joint. A joint without stiffness is a wheel: it is turned.
    pub hold: Vec<JointCommand>,
    /// The joints that are moved to see whether they obey.
    pub probes: Vec<Probe>,
    /// What it can do.
    pub abilities: Abilities,
    /// Whether `plug` gives somebody who makes it fail.
    pub can_fail: bool,
}

impl<'a> Subject<'a> {
    /// A robot of full abilities of which no joint is moved.
    pub fn new(
        name: &str,
        hold: Vec<JointCommand>,
        plug: impl FnMut() -> Result<Plugged, IoError> + 'a,
    ) -> Subject<'a> {
        Subject {
            name: name.to_owned(),
            plug: Box::new(plug),
            without_sensors: None,
            hold,
            probes: Vec::new(),
            abilities: Abilities::default(),
            can_fail: false,
        }
    }
}

impl core::fmt::Debug for Subject<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut shown = f.debug_struct("Subject");
        shown.field("name", &self.name).field("probes", &self.probes).field("abilities", &self.abilities);
        shown.finish_non_exhaustive()
    }
}

/// A joint that is moved, and how exactly it must obey.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// The joint, by its index in the layout.
    pub joint: usize,
    /// How far it is moved [rad or m], a wheel how fast it is turned [rad/s or m/s]; above zero.
    pub step: f64,
    /// The feed-forward effort by whose sign it is told which way effort points [N·m or N]; above zero.
    pub effort: f64,
    /// Cycles in which it must have arrived.
    pub cycles: u64,
    /// By how much it may be off then, and a joint at rest may stir [rad, m, rad/s or m/s].
    pub tolerance: f64,
}

/// What a robot can do. The suite skips what it cannot, and says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// Its joints do what they are told. Those of a replay do what they did.
    pub follows_commands: bool,
    /// The effort in its readings is measured.
    pub measures_effort: bool,
    /// Its `read` leaves the operator's input to the session. A replay brings its own.
    pub leaves_operator: bool,
    /// Cycles between the readings that a command answers and the first readings that may show it.
    pub latency: u64,
    /// How old a fresh reading may be [cycles].
    pub reading_age: u64,
}

impl Default for Abilities {
    fn default() -> Self {
        Abilities { follows_commands: true, measures_effort: true, leaves_operator: true, latency: 1, reading_age: 0 }
    }
}

/// How a check ends early: with a finding, in words.
type Verdict = Result<(), String>;

/// One check: its name, why it cannot be made on this subject, and itself.
struct Check {
    name: &'static str,
    hindrance: fn(&Subject<'_>) -> Option<&'static str>,
    run: fn(&mut Subject<'_>, &mut Vec<String>) -> Verdict,
}

/// Examines a robot by all checks, whatever the earlier ones found.
pub fn check(subject: &mut Subject<'_>) -> Report {
    let mut report = Report::of(&subject.name);
    for check in time::CHECKS
        .iter()
        .chain(buffers::CHECKS)
        .chain(vision::CHECKS)
        .chain(life::CHECKS)
        .chain(motion::CHECKS)
        .chain(safety::CHECKS)
    {
        if let Some(why) = (check.hindrance)(subject) {
            report.skipped.push(Skipped { check: check.name, why });
            continue;
        }
        let mut found = Vec::new();
        if let Err(finding) = (check.run)(subject, &mut found) {
            found.push(finding);
        }
        report.enter(check.name, found);
    }
    report
}

/// Nothing hinders.
fn always(_: &Subject<'_>) -> Option<&'static str> {
    None
}

/// For checks in which joints must move.
fn needs_motion(subject: &Subject<'_>) -> Option<&'static str> {
    match (subject.abilities.follows_commands, subject.probes.is_empty()) {
        (false, _) => Some("its joints do not follow commands"),
        (true, true) => Some("no joint was named that may be moved"),
        (true, false) => None,
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
