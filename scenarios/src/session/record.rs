//! One cycle as it leaves the loop.

use hil::realtime::CycleTimes;
use hil::robot::CycleReport;
use robot_io::{Commands, Events, Readings, RobotLayout, StopCause as SafetyStop, Telemetry, Time};

use super::Delivery;
use crate::controller::ControllerStatus;

/// Room for what a controller says of itself [bytes].
const WORDS: usize = 256;

/// Room for what a controller's parts note in a cycle [words].
const NOTES: usize = 1 << 11;

/// Everything that log, checks, report and viewer want to know of a cycle. The buffers are reused: a record is filled
/// without allocating.
#[derive(Clone, Debug)]
pub struct CycleRecord {
    /// What the controller saw.
    pub readings: Readings,
    /// What it answered.
    pub commands: Commands,
    /// What the safety filter passed on.
    pub passed: Commands,
    /// True if the controller answered.
    pub answered: bool,
    /// True if something was written, which may be a stop of the safety filter's alone.
    pub written: bool,
    /// Why the safety filter holds the robot, while it does.
    pub stop: Option<SafetyStop>,
    /// What the controller believes and intends.
    pub telemetry: Telemetry,
    /// How it stands; the names are missing.
    pub status: ControllerStatus<'static>,
    /// How it stands in its own words, as of not long ago.
    pub says: String,
    /// With which words the controller panicked, if it did.
    pub panicked: Option<String>,
    /// Which part of the controller broke first, and when, if one did.
    pub broken_part: Option<(String, Time)>,
    /// What the controller's parts read and did, if that is noted.
    pub notes: Vec<u64>,
    /// What happened.
    pub events: Events,
    /// Deadline tasks that were delivered.
    pub deliveries: Vec<Delivery>,
    /// Interventions of the safety filter so far.
    pub interventions: u64,
    /// What the cycle was like on the bus.
    pub bus: Option<CycleReport>,
    /// How long its parts took on a real-time thread; zero in lock-step.
    pub times: CycleTimes,
}

impl CycleRecord {
    /// A record of the right size for `layout`, with room for `events`.
    pub fn new(layout: &RobotLayout, events: usize) -> CycleRecord {
        CycleRecord {
            readings: Readings::new(layout),
            commands: Commands::new(layout),
            passed: Commands::new(layout),
            answered: false,
            written: false,
            stop: None,
            telemetry: Telemetry { scalars: Vec::with_capacity(64), ..Telemetry::default() },
            status: ControllerStatus::default(),
            says: String::with_capacity(WORDS),
            panicked: None,
            broken_part: None,
            notes: Vec::with_capacity(NOTES),
            events: Events::with_capacity(events),
            deliveries: Vec::with_capacity(64),
            interventions: 0,
            bus: None,
            times: CycleTimes::default(),
        }
    }

    /// How the controller stands, with its name and that of the joint that stopped it.
    pub fn status<'a>(&'a self, name: &'a str, layout: &'a RobotLayout) -> ControllerStatus<'a> {
        let joint = self.status.stopped_by_joint().and_then(|joint| layout.joints.get(joint));
        self.status.named(name, joint.map(|joint| joint.name.as_str()), &self.says)
    }

    /// Fills another record with this one, without allocating. Readings and commands stay here as well: the robot and the
    /// controller find in them what they left there in the cycle before.
    pub fn hand_over(&mut self, out: &mut CycleRecord) {
        out.readings.copy_from(&self.readings);
        out.commands.copy_from(&self.commands);
        out.passed.copy_from(&self.passed);
        (out.answered, out.written, out.stop) = (self.answered, self.written, self.stop);
        (out.status, out.interventions) = (self.status, self.interventions);
        (out.bus, out.times) = (self.bus, self.times);
        out.says.clone_from(&self.says);
        out.panicked.clone_from(&self.panicked);
        out.broken_part.clone_from(&self.broken_part);
        std::mem::swap(&mut out.telemetry, &mut self.telemetry);
        std::mem::swap(&mut out.notes, &mut self.notes);
        std::mem::swap(&mut out.events, &mut self.events);
        std::mem::swap(&mut out.deliveries, &mut self.deliveries);
    }

    /// Drops what the cycle has left on the heap, so that the next one on a real-time thread does not have to.
    pub fn clear(&mut self) {
        self.telemetry.clear();
        self.events.clear();
        self.deliveries.clear();
    }
}
