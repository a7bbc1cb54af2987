//! One run: four stages per cycle, and what is noted of each.

mod board;
mod desk;
mod pace;
mod pilot;
mod plant;
mod plug;
mod snapshot;
mod trouble;
mod truth;

pub use board::{Delivery, SavedTask, WorkerBoard};
pub use desk::{Desk, Operator, ScriptedInput, hold, press};
pub use pace::RealTime;
pub use pilot::Pilot;
pub use plant::{PlantClock, PlantRobot};
use plug::Plug;
pub use snapshot::Snapshot;
pub use trouble::ControllerFaults;
use truth::TruthLine;

use ::plant::{Frame, Push, SharedSimulation};
use mission::Mission;
use replay::LogWriter;
use robot_io::{
    Clock, Commands, Digest, Event, Events, FaultInjector, Lifecycle, Readings, RobotIo, RobotLayout, SafetyFilter,
    Severity, StateHasher, Telemetry, Time,
};

use crate::ScenarioError;
use crate::checks::Observation;

/// The robot of a run, with everything that a scenario wraps around it.
pub type SimulatedRobot = SafetyFilter<Desk<FaultInjector<PlantRobot>>>;

/// One run of a scenario.
#[derive(Debug)]
pub struct Session {
    robot: Plug,
    clock: RealTime<PlantClock>,
    pilot: Pilot,
    pushes: Vec<TimedPush>,
    begun: Vec<TimedPush>,
    layout: RobotLayout,
    readings: Readings,
    commands: Commands,
    telemetry: Telemetry,
    events: Events,
    answered: bool,
    truth: TruthLine,
    next_cycle: u64,
    digests: Digests,
    chain: Digest,
}

/// A push with its link found.
#[derive(Clone, Copy, Debug)]
pub struct TimedPush {
    /// When it begins.
    pub at: Time,
    /// The push itself, which knows when it ends.
    pub push: Push,
}

/// The digest of each component at the end of a cycle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    /// The simulated world with its actuators and sensors.
    pub plant: Digest,
    /// Safety filter, operator's desk and fault injector.
    pub robot: Digest,
    /// The mission with all its skills.
    pub mission: Digest,
}

impl Digests {
    /// The components in the order of a log.
    pub fn named(&self) -> [(&'static str, Digest); 3] {
        [("plant", self.plant), ("robot", self.robot), ("mission", self.mission)]
    }

    /// The digest of all cycles up to this one.
    fn chained_to(&self, before: Digest) -> Digest {
        let mut hasher = StateHasher::default();
        hasher.add(before.0);
        self.named().into_iter().for_each(|(_, digest)| hasher.add(digest.0));
        hasher.finish()
    }
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
    /// Whoever answers.
    pub pilot: Pilot,
    /// Who pushes the robot, and when.
    pub pushes: Vec<TimedPush>,
    /// The log in which every cycle is recorded.
    pub log: Option<LogWriter>,
}

impl Session {
    /// Switches the robot on and lets the controller see it for the first time.
    pub fn start(parts: Parts) -> Result<Session, ScenarioError> {
        let Parts { robot, clock, simulation, pilot, pushes, log } = parts;
        let mut robot = Plug::new(robot, log);
        robot.bring_up()?;
        let layout = robot.layout().clone();
        Ok(Session {
            readings: Readings::new(&layout),
            commands: Commands::new(&layout),
            telemetry: Telemetry::default(),
            events: Events::with_capacity(256),
            truth: TruthLine::new(simulation),
            answered: false,
            next_cycle: 0,
            digests: Digests::default(),
            chain: Digest::default(),
            robot,
            clock,
            pilot,
            begun: Vec::with_capacity(pushes.len() + 16),
            pushes,
            layout,
        })
    }

    /// One control cycle.
    pub fn cycle(&mut self) -> Result<(), ScenarioError> {
        self.events.clear();
        self.robot.read(&mut self.readings)?;
        self.answered = self.pilot.answer(&self.readings, &mut self.commands, &mut self.telemetry);
        self.write()?;
        self.note();
        self.push();
        self.next_cycle = self.readings.cycle + 1;
        self.clock.advance()?;
        Ok(())
    }

    /// Hands over the answer. A controller that is silent writes nothing, but a stop of the safety filter's reaches the
    /// robot all the same.
    fn write(&mut self) -> Result<(), ScenarioError> {
        match self.answered {
            true => self.robot.write(&self.commands)?,
            false => self.robot.enforce_stop(&self.commands)?,
        }
        Ok(())
    }

    /// Gathers what happened, the truth and the digests, before time goes on.
    fn note(&mut self) {
        self.robot.drain_events(&mut self.events);
        self.pilot.drain_events(&mut self.events);
        self.truth.note();
        let plant = self.truth.digest();
        self.digests =
            Digests { plant, robot: Digest::of(&mut self.robot), mission: Digest::of(&mut self.pilot.mission) };
        self.chain = self.digests.chained_to(self.chain);
    }

    /// Begins the pushes whose time has come.
    fn push(&mut self) {
        self.begun.clear();
        let (begin, end) = (self.readings.time, self.readings.time + self.layout.period);
        let due = self.pushes.iter().filter(|push| begin <= push.at && push.at < end);
        self.begun.extend(due.copied());
        for timed in &self.begun {
            self.truth.push(timed.push);
        }
    }

    /// Switches a robot on a bus off, for good, and tells what happened. A simulation needs no such care.
    pub fn shut_down(&mut self) -> Events {
        let mut events = Events::new();
        if self.robot.plant().is_on_bus() {
            let off = self.robot.transition(Lifecycle::Finalized);
            self.robot.drain_events(&mut events);
            if let Err(error) = off {
                let what = format!("not switched off: {error}").into();
                let note = Event::note(self.readings.time, Severity::Error, "session", "");
                events.push(Event { what, ..note });
            }
        }
        events
    }

    /// Pushes the robot from this cycle on, for somebody who pulls at it in the viewer.
    pub fn push_now(&mut self, push: TimedPush) {
        self.pushes.push(TimedPush { at: self.readings.time + self.layout.period, ..push });
    }

    /// The pushes that began in the last cycle, for the log.
    pub fn pushes_begun(&self) -> &[TimedPush] {
        &self.begun
    }
}

/// What can be seen of a session after each cycle.
impl Session {
    /// Which joints and sensors there are.
    pub fn layout(&self) -> &RobotLayout {
        &self.layout
    }

    /// Where the robot is in its life.
    pub fn lifecycle(&self) -> Lifecycle {
        self.robot.lifecycle()
    }

    /// The cycle that comes next.
    pub fn next_cycle(&self) -> u64 {
        self.next_cycle
    }

    /// What the controller saw.
    pub fn readings(&self) -> &Readings {
        &self.readings
    }

    /// What it answered.
    pub fn commands(&self) -> &Commands {
        &self.commands
    }

    /// What it believes and intends.
    pub fn telemetry(&self) -> &Telemetry {
        &self.telemetry
    }

    /// What happened in the cycle.
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// The digests of the cycle.
    pub fn digests(&self) -> &Digests {
        &self.digests
    }

    /// The digest of all cycles so far.
    pub fn digest(&self) -> Digest {
        self.chain
    }

    /// True if the controller answered in the last cycle.
    pub fn answered(&self) -> bool {
        self.answered
    }

    /// What happens to the controller.
    pub fn trouble(&self) -> &ControllerFaults {
        &self.pilot.trouble
    }

    /// True if its state can be saved and restored; over a bus it can only be computed from the beginning.
    pub fn can_restore(&self) -> bool {
        self.robot.plant().can_restore() && self.pilot.trouble.panicked().is_none()
    }

    /// The controller.
    pub fn mission(&self) -> &Mission {
        &self.pilot.mission
    }

    /// The cycle as checks see it.
    pub fn observation(&self) -> Observation<'_> {
        Observation {
            readings: &self.readings,
            telemetry: &self.telemetry,
            truth: self.truth.now(),
            truth_from: self.truth.source(),
            layout: &self.layout,
            start: self.truth.start(),
            distance: self.truth.distance(),
            interventions: self.robot.safety().total_interventions(),
        }
    }

    /// Where everything is, for pictures.
    pub fn frame_into(&self, frame: &mut Frame) {
        self.truth.frame_into(frame);
    }

    /// Deadline tasks delivered since the last call.
    pub fn take_deliveries(&mut self) -> std::vec::Drain<'_, Delivery> {
        self.pilot.board.take_deliveries()
    }

    /// The clock, to change its pace.
    pub fn clock_mut(&mut self) -> &mut RealTime<PlantClock> {
        &mut self.clock
    }
}
