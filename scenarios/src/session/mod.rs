//! One run: four stages per cycle, and what is noted of each.

mod board;
mod cyclic;
mod desk;
mod digests;
mod engine;
mod footprints;
mod other;
mod pace;
mod pilot;
mod plug;
mod realtime;
mod record;
mod snapshot;
mod trouble;
mod truth;

pub use crate::plug::{PlantClock, PlantRobot};
pub use board::{Delivery, LateDelivery, SavedTask, WorkerBoard};
pub use cyclic::Cyclic;
pub use desk::{Desk, LiveInput, Operator, ScriptedInput, hold, press};
pub use digests::{Digests, NamedDigests};
use engine::{Engine, Recording};
use footprints::Soles;
pub use other::OtherRobot;
pub use pace::RealTime;
pub use pilot::Pilot;
pub use plug::Plug;
pub use realtime::Forward;
use realtime::Live;
pub(crate) use realtime::OPERATOR_INPUTS;
pub use record::CycleRecord;
pub use snapshot::Snapshot;
pub use trouble::ControllerFaults;
use truth::TruthLine;

use ::plant::{Frame, Push, SharedSimulation};
use hil::realtime::{RealtimeReport, RealtimeSetup};
use replay::LogWriter;
use robot_io::{
    Commands, Digest, Event, Events, FaultInjector, Lifecycle, Pool, Readings, RobotIo, RobotLayout, SafetyFilter,
    Severity, Telemetry, Time,
};

use crate::ScenarioError;
use crate::checks::{Observation, TruthSource};
use crate::controller::ControllerStatus;
use crate::evaluation::{BaselineKind, Baselines, Evaluation};
use crate::figures::Figures;
use crate::twin::{Mirror, Shadow};

/// How many events of one cycle find room without new memory.
const EVENTS: usize = 256;

/// The robot of a run, with everything that a scenario wraps around it.
pub type SimulatedRobot = SafetyFilter<Desk<FaultInjector<PlantRobot>>>;

/// One run of a scenario.
#[derive(Debug)]
pub struct Session {
    engine: Engine,
    record: CycleRecord,
    others: Vec<OtherRobot>,
    figures: Figures,
    shadow: Option<Shadow>,
    truth: TruthLine,
    pushes: Vec<TimedPush>,
    begun: Vec<TimedPush>,
    layout: RobotLayout,
    notes: Events,
    mirror: Option<Mirror>,
    evaluation: Evaluation,
    baselines: Option<Baselines>,
    controller_name: String,
    wants_panic: bool,
    restorable: bool,
    /// Why the simulation cannot go on.
    broken: Option<String>,
    next_cycle: u64,
    digests: Digests,
    chain: Digest,
    soles: Soles,
    /// What the last snapshot refers to, which the next need not save again.
    kept: Pool,
}

/// A push with its link found.
#[derive(Clone, Copy, Debug)]
pub struct TimedPush {
    /// When it begins.
    pub at: Time,
    /// The push itself, which knows when it ends.
    pub push: Push,
}

/// The parts of a session, put together by [`assemble`](crate::assemble).
#[derive(Debug)]
pub struct Parts {
    /// The robot with its wrappers, not yet switched on.
    pub robot: SimulatedRobot,
    /// What makes time pass.
    pub clock: RealTime<PlantClock>,
    /// The world behind both, if it is simulated.
    pub simulation: Option<SharedSimulation>,
    /// The simulated half of a robot whose other half is on a bus.
    pub half: Option<SharedSimulation>,
    /// The simulation beside it that follows its commands.
    pub shadow: Option<Shadow>,
    /// Whoever answers.
    pub pilot: Pilot,
    /// The robots beside it, not yet switched on.
    pub others: Vec<OtherRobot>,
    /// Who pushes the robot, and when.
    pub pushes: Vec<TimedPush>,
    /// The log in which every cycle is recorded.
    pub log: Option<LogWriter>,
    /// A thread of its own for the loop, for a bus whose time is not ours.
    pub realtime: Option<RealTimeLoop>,
    /// Shows a robot that is not simulated.
    pub mirror: Option<Mirror>,
    /// Another way to follow the sweeps, for comparison.
    pub baselines: Option<Baselines>,
    /// The other robots for pictures.
    pub figures: Figures,
    /// What is to be said in the first cycle.
    pub notes: Events,
}

/// How a loop runs on a thread of its own.
#[derive(Debug, Default)]
pub struct RealTimeLoop {
    /// What to ask the operating system for.
    pub setup: RealtimeSetup,
    /// Operator input on its way there.
    pub forward: Option<Forward>,
}

impl Session {
    /// Switches the robot on and lets the controller see it for the first time.
    pub fn start(parts: Parts) -> Result<Session, ScenarioError> {
        let Parts { robot, clock, simulation, half, shadow, pilot, mut others, pushes, .. } = parts;
        let Parts { log, realtime, mirror, baselines, figures, notes, .. } = parts;
        others.iter_mut().try_for_each(OtherRobot::bring_up)?;
        let pilot = if log.is_some() { pilot.noting() } else { pilot };
        let layout = robot.layout().clone();
        let status = pilot.controller.status();
        let (controller_name, status) = (status.name().to_owned(), status.named("", None, ""));
        let wants_panic = pilot.trouble.wants_panic();
        let restorable = robot.inner().inner().inner().can_restore();
        let truth = TruthLine::new(simulation, half.as_ref().or(shadow.as_ref().and_then(Shadow::world)));
        let engine = match realtime {
            None => {
                let mut cyclic = Cyclic { robot: Plug::new(robot, log), clock, pilot };
                cyclic.robot.bring_up()?;
                Engine::LockStep(Box::new(cyclic))
            }
            Some(RealTimeLoop { setup, forward }) => {
                let cyclic = Cyclic { robot: Plug::new(robot, None), clock, pilot };
                let live = Live::start(cyclic, setup, forward)?;
                Engine::RealTime(Box::new(live), log.map(|log| Box::new(Recording::new(log))))
            }
        };
        Ok(Session {
            engine,
            notes,
            mirror,
            others,
            figures,
            record: CycleRecord { status, ..CycleRecord::new(&layout, EVENTS) },
            shadow,
            truth,
            begun: Vec::with_capacity(pushes.len() + 16),
            pushes,
            layout,
            evaluation: Evaluation::default(),
            baselines,
            controller_name,
            wants_panic,
            restorable,
            broken: None,
            next_cycle: 0,
            digests: Digests::default(),
            chain: Digest::default(),
            soles: Soles::default(),
            kept: Pool::default(),
        })
    }

    /// One control cycle.
    pub fn cycle(&mut self) -> Result<(), ScenarioError> {
        self.engine.answer(&mut self.record)?;
        self.record.events.append(&mut self.notes);
        self.others.iter_mut().try_for_each(|other| other.answer(&mut self.record.events))?;
        self.note()?;
        self.push();
        self.next_cycle = self.record.readings.cycle + 1;
        let advanced = self.engine.advance();
        match self.truth.fault() {
            None => advanced,
            Some(fault) => {
                let note = Event::note(self.record.readings.time, Severity::Error, "plant", "");
                self.record.events.push(Event { what: fault.clone().into(), ..note });
                self.broken = Some(fault);
                Ok(())
            }
        }
    }

    /// Gathers the truth, the twin's view and the digests, before time goes on.
    fn note(&mut self) -> Result<(), ScenarioError> {
        self.truth.note();
        if let Some(place) = self.record.telemetry.localization.filter(|_| self.truth.source() != TruthSource::Nobody) {
            let truth = &self.truth.now().base_in_world;
            self.evaluation.observe(self.record.readings.time, &place.base_in_map, truth);
            let odometry = self.record.telemetry.odometry.as_ref();
            if let Some((baselines, odometry)) = self.baselines.as_mut().zip(odometry) {
                baselines.observe(&self.record.readings, odometry, truth);
            }
        }
        if let Some(shadow) = &mut self.shadow {
            let CycleRecord { readings, events, passed, written, .. } = &mut self.record;
            shadow.observe(readings, events)?;
            shadow.follow(written.then_some(&*passed), readings.status.lifecycle)?;
        }
        let plant = self.truth.digest();
        let (robot, controller) = self.engine.digests(&mut self.record);
        self.others.iter_mut().for_each(OtherRobot::note);
        self.digests = Digests { plant, robot, controller, others: OtherRobot::digest(&mut self.others) };
        self.chain = self.digests.chained_to(self.chain);
        if Soles::are_due(&self.record, self.layout.period) {
            let mut frame = core::mem::take(&mut self.soles.frame);
            self.frame_into(&mut frame);
            self.soles.note(frame, &self.record.telemetry);
        }
        Ok(())
    }

    /// Begins the pushes whose time has come.
    fn push(&mut self) {
        self.begun.clear();
        let (begin, end) = (self.record.readings.time, self.record.readings.time + self.layout.period);
        let due = self.pushes.iter().filter(|push| begin <= push.at && push.at < end);
        self.begun.extend(due.copied());
        for timed in &self.begun {
            self.truth.push(timed.push);
        }
    }

    /// Switches a robot on a bus off, for good, and tells what happened. A simulation needs no such care.
    pub fn shut_down(&mut self) -> Events {
        let (mut events, failed) = self.engine.shut_down(self.record.readings.time);
        if let Some(error) = failed {
            let what = format!("not switched off: {error}").into();
            let note = Event::note(self.record.readings.time, Severity::Error, "session", "");
            events.push(Event { what, ..note });
        }
        events
    }

    /// Pushes the robot from this cycle on, for somebody who pulls at it in the viewer.
    pub fn push_now(&mut self, push: TimedPush) {
        self.pushes.push(TimedPush { at: self.record.readings.time + self.layout.period, ..push });
    }

    /// The pushes that began in the last cycle, for the log.
    pub fn pushes_begun(&self) -> &[TimedPush] {
        &self.begun
    }

    /// Another speed from now on; `None` for as fast as possible. A bus has its own.
    pub fn set_speed(&mut self, speed: Option<f64>) {
        self.engine.set_speed(speed);
    }

    /// Deadline tasks delivered in the last cycle.
    pub fn take_deliveries(&mut self) -> std::vec::Drain<'_, Delivery> {
        self.record.deliveries.drain(..)
    }
}

/// What can be seen of a session after each cycle.
impl Session {
    /// Which joints and sensors there are.
    pub fn layout(&self) -> &RobotLayout {
        &self.layout
    }

    /// The last cycle as a whole.
    pub fn record(&self) -> &CycleRecord {
        &self.record
    }

    /// Where the robot was in its life when it was last read.
    pub fn lifecycle(&self) -> Lifecycle {
        self.record.readings.status.lifecycle
    }

    /// The cycle that comes next.
    pub fn next_cycle(&self) -> u64 {
        self.next_cycle
    }

    /// What the controller saw.
    pub fn readings(&self) -> &Readings {
        &self.record.readings
    }

    /// What it answered.
    pub fn commands(&self) -> &Commands {
        &self.record.commands
    }

    /// What it believes and intends.
    pub fn telemetry(&self) -> &Telemetry {
        &self.record.telemetry
    }

    /// What happened in the cycle.
    pub fn events(&self) -> &Events {
        &self.record.events
    }

    /// The digests of the cycle.
    pub fn digests(&self) -> &Digests {
        &self.digests
    }

    /// The digest of all cycles so far.
    pub fn digest(&self) -> Digest {
        self.chain
    }

    /// Why the simulation cannot go on, if it cannot: a state that is no number.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }

    /// True if the scenario asks for a panic of the controller.
    pub fn wants_panic(&self) -> bool {
        self.wants_panic
    }

    /// True if its state can be saved and restored; over a bus it can only be computed from the beginning.
    pub fn can_restore(&self) -> bool {
        self.restorable && self.record.panicked.is_none()
    }

    /// What the operating system granted the loop's real-time thread, if it has one, and how many cycles were not seen.
    pub fn realtime(&self) -> Option<(&RealtimeReport, u64)> {
        self.engine.realtime()
    }

    /// How the controller stands.
    pub fn status(&self) -> ControllerStatus<'_> {
        self.record.status(&self.controller_name, &self.layout)
    }

    /// The simulation beside the robot, if there is one.
    pub fn shadow(&self) -> Option<&Shadow> {
        self.shadow.as_ref()
    }

    /// The cycle as checks see it.
    pub fn observation(&self) -> Observation<'_> {
        Observation {
            readings: &self.record.readings,
            telemetry: &self.record.telemetry,
            truth: self.truth.now(),
            truth_from: self.truth.source(),
            layout: &self.layout,
            start: self.truth.start(),
            distance: self.truth.distance(),
            interventions: self.record.interventions,
            residuals: self.shadow.as_ref().map_or(&[], Shadow::residuals),
            evaluation: &self.evaluation,
            baseline: self.baselines.as_ref().and_then(|baselines| baselines.evaluation(BaselineKind::KissIcp)),
            vgicp: self.baselines.as_ref().and_then(|baselines| baselines.evaluation(BaselineKind::Vgicp)),
        }
    }

    /// Where soles have stood.
    pub fn footprints(&self) -> &station::Footprints {
        &self.soles.prints
    }

    /// The robots beside the first.
    pub fn others(&self) -> &[OtherRobot] {
        &self.others
    }

    /// Where everything is, for pictures: by the simulation, or of a robot that is not simulated by its sensors.
    pub fn frame_into(&self, frame: &mut Frame) {
        match &self.mirror {
            Some(mirror) => mirror.frame_into(&self.record.readings, &self.record.telemetry, frame),
            None => self.truth.frame_into(frame),
        }
        self.figures.place(frame);
    }
}
