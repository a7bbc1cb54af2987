//! One run: four stages per cycle, and what is noted of each.

mod board;
mod desk;
mod pace;
mod plug;
mod snapshot;

pub use board::{Delivery, SavedTask, WorkerBoard};
pub use desk::{Desk, Operator, ScriptedInput, hold, press};
pub use pace::RealTime;
use plug::Plug;
pub use snapshot::Snapshot;

use mission::Mission;
use plant::{Frame, Push, SharedSimulation, SimClock, SimRobot, Truth};
use replay::LogWriter;
use robot_io::{
    Clock, Commands, Controller, Digest, Events, FaultInjector, Lifecycle, Readings, RobotIo, RobotLayout,
    SafetyFilter, StateHasher, Telemetry, Time,
};

use crate::ScenarioError;
use crate::checks::Observation;

/// The robot of a simulated run, with everything that a scenario wraps around it.
pub type SimulatedRobot = SafetyFilter<Desk<FaultInjector<SimRobot>>>;

/// One run of a scenario in simulation.
#[derive(Debug)]
pub struct Session {
    /// Truth, for checks and pictures; the controllers cannot reach it.
    pub simulation: SharedSimulation,
    robot: Plug,
    clock: RealTime<SimClock>,
    mission: Mission,
    board: WorkerBoard,
    pushes: Vec<TimedPush>,
    begun: Vec<TimedPush>,
    layout: RobotLayout,
    readings: Readings,
    commands: Commands,
    telemetry: Telemetry,
    events: Events,
    truth: Truth,
    start: Truth,
    distance: f64,
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
    pub clock: RealTime<SimClock>,
    /// The world behind both.
    pub simulation: SharedSimulation,
    /// The controller.
    pub mission: Mission,
    /// The workers of its deadline tasks.
    pub board: WorkerBoard,
    /// Who pushes the robot, and when.
    pub pushes: Vec<TimedPush>,
    /// The log in which every cycle is recorded.
    pub log: Option<LogWriter>,
}

impl Session {
    /// Switches the robot on and lets the controller see it for the first time.
    pub fn start(parts: Parts) -> Result<Session, ScenarioError> {
        let Parts { robot, clock, simulation, mission, board, pushes, log } = parts;
        let mut robot = Plug::new(robot, log);
        robot.bring_up()?;
        let layout = robot.layout().clone();
        let truth = simulation.lock().truth();
        Ok(Session {
            readings: Readings::new(&layout),
            commands: Commands::new(&layout),
            telemetry: Telemetry::default(),
            events: Events::with_capacity(256),
            start: truth.clone(),
            truth,
            distance: 0.0,
            next_cycle: 0,
            digests: Digests::default(),
            chain: Digest::default(),
            simulation,
            robot,
            clock,
            mission,
            board,
            begun: Vec::with_capacity(pushes.len() + 16),
            pushes,
            layout,
        })
    }

    /// One control cycle.
    pub fn cycle(&mut self) -> Result<(), ScenarioError> {
        self.events.clear();
        self.robot.read(&mut self.readings)?;
        self.update();
        self.robot.write(&self.commands)?;
        self.note();
        self.push();
        self.next_cycle = self.readings.cycle + 1;
        self.clock.advance()?;
        Ok(())
    }

    /// The controller's stage: collect slow results, answer, show.
    fn update(&mut self) {
        if self.readings.cycle == 0 {
            self.mission.reset(&self.readings);
        }
        self.board.begin(self.readings.cycle);
        self.mission.exchange_tasks(self.readings.cycle, &mut self.board);
        self.mission.update(&self.readings, &mut self.commands);
        self.telemetry.clear();
        self.mission.show(&mut self.telemetry);
    }

    /// Gathers what happened, the truth and the digests, before time goes on.
    fn note(&mut self) {
        self.robot.drain_events(&mut self.events);
        self.mission.drain_events(&mut self.events);
        let before = self.truth.base_in_world.translation.vector;
        self.simulation.lock().truth_into(&mut self.truth);
        self.distance += (self.truth.base_in_world.translation.vector - before).xy().norm();
        // The robot's own state needs the simulation's lock, so it must be free here.
        let plant = self.simulation.lock().digest();
        self.digests = Digests { plant, robot: Digest::of(&mut self.robot), mission: Digest::of(&mut self.mission) };
        self.chain = self.digests.chained_to(self.chain);
    }

    /// Begins the pushes whose time has come.
    fn push(&mut self) {
        self.begun.clear();
        let (begin, end) = (self.readings.time, self.readings.time + self.layout.period);
        let due = self.pushes.iter().filter(|push| begin <= push.at && push.at < end);
        self.begun.extend(due.copied());
        for timed in &self.begun {
            self.simulation.lock().push(timed.push);
        }
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

    /// The controller.
    pub fn mission(&self) -> &Mission {
        &self.mission
    }

    /// The cycle as checks see it.
    pub fn observation(&self) -> Observation<'_> {
        Observation {
            readings: &self.readings,
            telemetry: &self.telemetry,
            truth: &self.truth,
            layout: &self.layout,
            start: &self.start,
            distance: self.distance,
            interventions: self.robot.safety().total_interventions(),
        }
    }

    /// Where everything is, for pictures.
    pub fn frame_into(&self, frame: &mut Frame) {
        self.simulation.lock().frame(frame);
    }

    /// Deadline tasks delivered since the last call.
    pub fn take_deliveries(&mut self) -> std::vec::Drain<'_, Delivery> {
        self.board.take_deliveries()
    }

    /// The clock, to change its pace.
    pub fn clock_mut(&mut self) -> &mut RealTime<SimClock> {
        &mut self.clock
    }
}
