//! The one place that knows all the parts: from a scenario to a session.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::Receiver;
use hil::bus_file::{BusPlan, BusSource};
use hil::realtime::RealtimeSetup;
use mission::MissionSettings;
use nalgebra::Vector3;
use plant::{Push, Setup, Simulation};
use replay::LogReader;
use robot_io::{
    Event, Events, FaultInjector, HeightMap, OperatorInput, Pose2, RobotLayout, SafetyFilter, SafetyLimits, Severity,
    Time,
};
use robot_model::RobotModel;
use slam::{Mapper, MapperSetup};
use worlds::World;

use crate::case::{Case, ControllerPlan, OperatorPlan, PlantKind, PushPlan, Spawn};
use crate::checks::{CheckPlan, Metric};
use crate::console::Console;
use crate::controller::{ControllerSetup, Driver, ProgramPlan, Recorded};
use crate::evaluation::Baselines;
use crate::own_plant::Pace;
use crate::plants::Plugged;
use crate::session::{
    ControllerFaults, Desk, Forward, LiveInput, Measurements, OPERATOR_INPUTS, Operator, Parts, Pilot, RealTime,
    RealTimeLoop, ScriptedInput, TimedPush, WorkerBoard, hold, press,
};
use crate::twin::Mirror;
use crate::{Library, Registry, ScenarioError};

/// A program may take so long to answer in simulation, unless the scenario says otherwise [s] …
const IN_LOCK_STEP: f64 = 2.0;
/// … and this share of a cycle over a bus whose time is not ours.
const SHARE_OF_CYCLE: f64 = 0.8;

/// A scenario with its files read: what does not change during a run.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The scenario.
    pub case: Case,
    /// Where it happens.
    pub world: Arc<World>,
    /// The robot.
    pub robot: Arc<RobotModel>,
    /// The boards between the controller and the robot, if the scenario needs them.
    pub bus: Option<Arc<BusPlan>>,
    /// Where the robot starts, in the world.
    pub spawn: Pose2,
    /// What the skills are set to.
    pub settings: MissionSettings,
    /// The controllers and plants that there are.
    pub registry: Arc<Registry>,
    /// The log whose answers take the place of a program's.
    pub answers: Option<LogReader>,
    /// The scans and pictures of a log that take the place of the robot's own.
    pub measurements: Option<Arc<Measurements>>,
}

/// How a run is paced and staffed; none of it changes the result.
#[derive(Debug, Default)]
pub struct Staffing {
    /// Threads for deadline tasks.
    pub workers: usize,
    /// Simulated seconds per second; `None` for as fast as possible.
    pub realtime: Option<f64>,
    /// The core on which a real-time thread stays.
    pub core: Option<usize>,
    /// A picture is to be taken of the first cycle from this time on.
    pub picture_at: Option<Time>,
    /// The person at the desk.
    pub live: Option<Receiver<OperatorInput>>,
    /// The person at a terminal.
    pub console: Option<Console>,
}

impl Stage {
    /// Reads the files that a scenario names.
    pub fn load(library: &Library, case: Case) -> Result<Stage, ScenarioError> {
        let known = library.registry().expect(&case.controller.name);
        known.map_err(|error| case.controller_error(error))?;
        Stage::expect_plant(&case, library.registry())?;
        let world = World::load_for_run(&library.world(&case.world)?, case.seed)?;
        let robot_file = library.robot(&case.robot)?;
        let robot = RobotModel::load(&robot_file)?;
        let bus = case.needs_bus().then(|| bus_source(library, &case, &robot_file)).transpose()?;
        let stage = Stage::new(case, Arc::new(world), Arc::new(robot), bus, library.registry())?;
        stage.checks().map(|_| stage)
    }

    /// The same for measuring zero offsets, with the bus file's path: all offsets are 0, and nothing else goes wrong.
    pub fn load_uncalibrated(library: &Library, case: Case) -> Result<(Stage, PathBuf), ScenarioError> {
        let robot_file = library.robot(&case.robot)?;
        let path = library.bus(case.bus.as_deref(), &robot_file)?;
        let case = Case { bus_faults: Vec::new(), ..case };
        let (world, robot) = (World::load(&library.world(&case.world)?)?, RobotModel::load(&robot_file)?);
        let mut stage = Stage::new(case, Arc::new(world), Arc::new(robot), None, library.registry())?;
        let source = BusSource::read_alone(&path, library.relative(&path))?;
        stage.bus = Some(Arc::new(BusPlan::uncalibrated(&source, &stage.layout())?));
        Ok((stage, path))
    }

    /// Puts a scenario on a world with a robot; `bus` is the bus file.
    pub fn new(
        case: Case,
        world: Arc<World>,
        robot: Arc<RobotModel>,
        bus: Option<BusSource>,
        registry: &Arc<Registry>,
    ) -> Result<Stage, ScenarioError> {
        let spawn = spawn_pose(&case, &world)?;
        let settings = case.mission_settings()?;
        let registry = Arc::clone(registry);
        let mut stage =
            Stage { case, world, robot, bus: None, spawn, settings, registry, answers: None, measurements: None };
        if let Some(source) = bus {
            stage.bus = Some(Arc::new(BusPlan::from_source(&source, &stage.layout())?));
        }
        stage.check()?;
        Ok(stage)
    }

    /// The same stage for a robot that sees what was seen in a log, cycle by cycle; past its end it sees nothing.
    pub fn seeing(self, log: &LogReader) -> Result<Stage, ScenarioError> {
        let measurements = Measurements::of(log)?;
        measurements.check(&self.layout())?;
        Ok(Stage { measurements: Some(Arc::new(measurements)), ..self })
    }

    /// Which joints and sensors the robot has.
    pub fn layout(&self) -> RobotLayout {
        let mut layout = self.robot.layout_with(&self.case.sensors);
        layout.period = self.case.cycle.unwrap_or(layout.period);
        let plan = self.bus.as_ref().filter(|_| self.case.plant.has_bus());
        for joint in plan.into_iter().flat_map(|plan| &plan.boards).flat_map(|board| board.kind.joints()) {
            layout.joints[*joint].latency = 1;
        }
        layout.boards = plan.map_or_else(Vec::new, |plan| plan.boards.iter().map(|board| board.name.clone()).collect());
        layout
    }

    /// Builds the robot in the world and everything around it.
    pub fn assemble(&self, staffing: Staffing) -> Result<Parts, ScenarioError> {
        let layout = self.layout();
        // nobody computes on a real-time thread what takes longer than a cycle
        let workers = if self.is_real_time() { staffing.workers.max(1) } else { staffing.workers };
        let pilot = self.pilot(&layout, workers)?;
        let pushes = self.case.pushes.iter().map(|push| self.push(push)).collect::<Result<_, _>>()?;
        let Plugged { robot, clock, simulation, half } = self.plant()?;
        let robot = FaultInjector::new(robot, self.case.faults.clone(), self.case.seed)?;
        let on_card = self.is_real_time();
        let (live, forward) = live_input(staffing.live, on_card);
        let robot = Desk::new(robot, Operator { script: self.script(), recorded: None, live });
        let robot = SafetyFilter::new(robot, SafetyLimits::default());
        let clock = RealTime::new(clock, staffing.realtime.filter(|_| !on_card));
        let shadow = self.case.twin.as_ref().map(|twin| self.shadow(twin)).transpose()?;
        let setup = RealtimeSetup { core: staffing.core, ..RealtimeSetup::default() };
        let realtime = on_card.then_some(RealTimeLoop { setup, forward });
        let mirror = (!self.case.plant.is_simulated()).then(|| Mirror::new(self)).transpose()?;
        let notes = self.notes();
        let baselines = self.baselines(&layout)?;
        Ok(Parts {
            robot,
            clock,
            simulation,
            half,
            shadow,
            pilot,
            pushes,
            log: None,
            realtime,
            mirror,
            baselines,
            notes,
        })
    }

    /// True if time goes on by itself behind the plug.
    pub(crate) fn is_real_time(&self) -> bool {
        match &self.case.plant {
            PlantKind::Own { name, .. } => self.registry.pace(name) == Some(Pace::RealTime),
            plant => !plant.is_simulated(),
        }
    }

    /// The baselines of mapping that a check or a metric asks for.
    fn baselines(&self, layout: &RobotLayout) -> Result<Option<Baselines>, ScenarioError> {
        let checks = self.case.checks.iter().filter_map(CheckPlan::metric);
        let metrics = self.case.metrics.iter().filter_map(|metric| metric.parse().ok());
        let mut kinds = Vec::new();
        for kind in checks.chain(metrics).filter_map(|metric: Metric| metric.signal.needs_baseline()) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        if kinds.is_empty() {
            return Ok(None);
        }
        let baselines = Baselines::new(&kinds, &self.robot, layout, &self.settings.slam, &self.spawn);
        baselines.map(Some).map_err(|error| ScenarioError::Case {
            file: self.case.source.path.clone(),
            line: line_of(&self.case.source.text, "baseline"),
            message: error.to_string(),
        })
    }

    /// What a person should know of this plant.
    fn notes(&self) -> Events {
        let note = |what| Event::note(Time::ZERO, Severity::Warning, "session", what);
        let mut notes = Events::new();
        if !self.case.plant.is_simulated() && !self.case.pushes.is_empty() {
            notes.push(note("the scenario's pushes are left out: there is no simulation behind this plant"));
        }
        if !self.case.plant.is_simulated() && !self.case.bus_faults.is_empty() {
            notes.push(note("the scenario's bus faults are left to the program that serves the boards"));
        }
        notes
    }

    /// The controller with `workers` threads for its deadline tasks.
    pub fn pilot(&self, layout: &RobotLayout, workers: usize) -> Result<Pilot, ScenarioError> {
        let trouble = ControllerFaults::new(self.case.controller_faults.clone(), layout.period);
        Ok(Pilot { controller: self.controller(layout)?, board: WorkerBoard::new(workers), trouble })
    }

    /// The simulated world alone.
    pub fn simulation(&self) -> Result<Simulation, ScenarioError> {
        Simulation::new(&self.world, &self.robot, &self.setup())
            .map_err(|error| self.case.plant_error(&self.robot, error))
    }

    /// How the simulated world begins.
    pub fn setup(&self) -> Setup {
        let Case { seed, pose, cycle, sensors, kidnaps, .. } = &self.case;
        Setup {
            seed: *seed,
            spawn: self.spawn,
            pose: pose.clone(),
            cycle_period: *cycle,
            relocations: kidnaps.clone(),
            sensors: sensors.clone(),
            ..Setup::default()
        }
    }

    /// The controller alone.
    fn controller(&self, layout: &RobotLayout) -> Result<Box<dyn Driver>, ScenarioError> {
        if let Some(log) = &self.answers {
            return Ok(Box::new(Recorded::new(log)));
        }
        let (told, program) = (self.told(layout)?, self.program(layout));
        let mut skills = self.settings.clone();
        skills.slam.assembly.scan_delay += self.case.miscalibration.map_or(0.0, |wrong| wrong.scan_delay);
        let setup = ControllerSetup {
            robot: told.as_ref().unwrap_or(&self.robot),
            layout,
            start_in_world: self.spawn,
            settings: &self.case.controller.settings,
            program: program.as_ref(),
            plan: &self.case.mission,
            skills,
            prior: self.world.prior_map().map(height_map),
        };
        let controller = self.registry.build(&self.case.controller.name, &setup);
        controller.map_err(|error| self.case.controller_error(error))
    }

    /// The program that answers, if one does. Relative to the scenario's folder it is started as one would start it there.
    fn program(&self, layout: &RobotLayout) -> Option<ProgramPlan> {
        let ControllerPlan { program: words, answer_within, .. } = &self.case.controller;
        // in lock-step nothing goes on meanwhile, and yet nobody waits for ever
        let usual = if self.is_real_time() { SHARE_OF_CYCLE * layout.period.seconds() } else { IN_LOCK_STEP };
        let patience = Duration::from_secs_f64(answer_within.unwrap_or(usual));
        let plan = ProgramPlan { words: words.clone(), folder: self.case.folder.clone(), patience };
        (!words.is_empty()).then_some(plan)
    }

    /// The robot as the controller is wrongly told that it is, if the scenario wants that.
    fn told(&self, layout: &RobotLayout) -> Result<Option<RobotModel>, ScenarioError> {
        let Some(wrong) = &self.case.miscalibration else { return Ok(None) };
        let told = wrong.told(&self.robot, layout);
        told.map(Some).ok_or_else(|| ScenarioError::Case {
            file: self.case.source.path.clone(),
            line: line_of(&self.case.source.text, "miscalibration"),
            message: "miscalibration: expected a laser on an axis among the sensors, found none".to_owned(),
        })
    }

    /// The robot's mapping alone, for the scans of a log.
    pub fn mapper(&self) -> Mapper {
        let MissionSettings { slam, align_to_prior, .. } = &self.settings;
        let prior = self.world.prior_map().filter(|_| *align_to_prior).map(height_map);
        Mapper::new(MapperSetup { settings: slam.mapper.clone(), start: self.spawn, prior })
    }

    fn script(&self) -> Vec<ScriptedInput> {
        let line = |plan: &OperatorPlan| match *plan {
            OperatorPlan::Press(at, request) => press(at, request),
            OperatorPlan::Hold(at, until, twist) => hold(at, until, twist),
        };
        self.case.operator.iter().map(line).collect()
    }

    fn push(&self, plan: &PushPlan) -> Result<TimedPush, ScenarioError> {
        let PushPlan { at, until, link, point, force } = plan;
        let unknown = || ScenarioError::Case {
            file: self.case.source.path.clone(),
            line: line_of(&self.case.source.text, link),
            message: format!("push: {} has no link named '{link}'", self.robot.name),
        };
        let link = self.robot.tree.link(link).ok_or_else(unknown)?;
        let (point_in_link, force_in_world) = (Vector3::from(*point), Vector3::from(*force));
        Ok(TimedPush { at: *at, push: Push { link, point_in_link, force_in_world, until: *until } })
    }
}

/// Input of a live person: directly, or by a ring into a real-time thread.
fn live_input(live: Option<Receiver<OperatorInput>>, realtime: bool) -> (Option<LiveInput>, Option<Forward>) {
    match live {
        Some(from) if realtime => {
            let (to, ring) = rtrb::RingBuffer::new(OPERATOR_INPUTS);
            (Some(LiveInput::Ring(ring)), Some(Forward { from, to }))
        }
        live => (live.map(LiveInput::Channel), None),
    }
}

/// A scenario's bus file with what it names.
fn bus_source(library: &Library, case: &Case, robot_file: &Path) -> Result<BusSource, ScenarioError> {
    let path = library.bus(case.bus.as_deref(), robot_file)?;
    Ok(BusSource::read(&path, library.relative(&path))?)
}

fn spawn_pose(case: &Case, world: &World) -> Result<Pose2, ScenarioError> {
    let place = match &case.spawn {
        Spawn::Pose(pose) => return Ok(*pose),
        Spawn::Place(place) => place,
    };
    let found = world.spawns.iter().find(|spawn| spawn.name == *place);
    let known = || match world.spawns.as_slice() {
        [] => format!("{{ x, y, yaw }}, since world '{}' has no places", world.name),
        spawns => {
            let names: Vec<&str> = spawns.iter().map(|spawn| spawn.name.as_str()).collect();
            format!("one of the places {} of world '{}'", names.join(", "), world.name)
        }
    };
    found.map(|spawn| Pose2 { x: spawn.x, y: spawn.y, yaw: spawn.yaw }).ok_or_else(|| ScenarioError::Case {
        file: case.source.path.clone(),
        line: line_of(&case.source.text, place),
        message: format!("spawn: expected {}, found '{place}'", known()),
    })
}

/// The first line that holds `text`, from 1.
fn line_of(source: &str, text: &str) -> usize {
    1 + source.lines().position(|line| line.contains(text)).unwrap_or(0)
}

/// A world's prior map in the words of the plug.
fn height_map(terrain: &worlds::Terrain) -> HeightMap {
    HeightMap {
        cell: terrain.cell,
        origin_x: terrain.origin_x,
        origin_y: terrain.origin_y,
        columns: terrain.columns,
        rows: terrain.rows,
        heights: terrain.heights.clone(),
    }
}
