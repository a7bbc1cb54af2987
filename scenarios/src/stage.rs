//! A scenario with its files read.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hil::bus_file::{BusPlan, BusSource};
use mission::MissionSettings;
use plant::{Member, PlantError, Setup, Simulation};
use replay::LogReader;
use robot_io::{Pose2, RobotLayout};
use robot_model::RobotModel;
use slam::{Mapper, MapperSetup};
use worlds::World;

use crate::case::{Case, Load, Other, PlantKind, Source, Spawn};
use crate::controller::{HandsOffer, Offer};
use crate::own_plant::Pace;
use crate::past::Past;
use crate::plug::Measurements;
use crate::told::{Told, Truth};
use crate::{Library, Registry, ScenarioError};
use crate::{charts, motions, objects};

/// A scenario with its files read: what does not change during a run.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The scenario.
    pub case: Case,
    /// Where it happens.
    pub world: Arc<World>,
    /// The robot.
    pub robot: Arc<RobotModel>,
    /// The robots beside it, each as a scenario of its own in the same world.
    pub others: Vec<Stage>,
    /// The boards between the controller and the robot, if the scenario needs them.
    pub bus: Option<Arc<BusPlan>>,
    /// The files of the statechart beside the mission.
    pub charts: Vec<Source>,
    /// The files of the motions that the mission names.
    pub motions: Vec<Source>,
    /// The file of objects that its eyes know by their look.
    pub objects: Vec<Source>,
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
    /// The run from whose end this one goes on.
    pub past: Option<Arc<Past>>,
}

impl Stage {
    /// Reads the files that a scenario names.
    pub fn load(library: &Library, mut case: Case) -> Result<Stage, ScenarioError> {
        let known = library.registry().expect(&case.controller.name);
        known.map_err(|error| case.controller_error(error))?;
        Stage::expect_plant(&case, library.registry())?;
        case.mission.clone().find_skills(library.registry().skills())?;
        let library = &library.beside(&case.folder);
        let world = World::load_for_run(&library.world(&case.world)?, case.seed)?;
        let robot_file = library.robot(&case.robot)?;
        let robot = RobotModel::load(&robot_file)?;
        let bus = case.needs_bus().then(|| bus_source(library, &case, &robot_file)).transpose()?;
        let (charts, motions) = (charts::read(library, &case)?, motions::read(library, &mut case)?);
        let objects = objects::read(library, &case)?;
        let stage = Stage::new(case, Arc::new(world), Arc::new(robot), bus, library.registry())?;
        let load = |other: &Other| Ok(other.on_its_base(RobotModel::load(&library.robot(&other.case.robot)?)?));
        let others = stage.case.others.iter().map(load).collect::<Result<_, ScenarioError>>()?;
        let stage = Stage { charts, motions, objects, ..stage }.beside(others)?;
        stage.checks()?;
        stage.behaviour()?;
        stage.hands()?;
        Ok(stage)
    }

    /// The same for measuring zero offsets, with the bus file's path: all offsets are 0, and nothing else goes wrong.
    pub fn load_uncalibrated(library: &Library, case: Case) -> Result<(Stage, PathBuf), ScenarioError> {
        let library = &library.beside(&case.folder);
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
        let settings = case.mission_settings(&robot)?;
        let registry = Arc::clone(registry);
        let mut stage = Stage {
            case,
            world,
            robot,
            others: Vec::new(),
            bus: None,
            charts: Vec::new(),
            motions: Vec::new(),
            objects: Vec::new(),
            spawn,
            settings,
            registry,
            answers: None,
            measurements: None,
            past: None,
        };
        if let Some(source) = bus {
            stage.bus = Some(Arc::new(BusPlan::from_source(&source, &stage.layout())?));
        }
        stage.check()?;
        Ok(stage)
    }

    /// The same stage with the scenario's other robots, which are these.
    pub fn beside(mut self, robots: Vec<RobotModel>) -> Result<Stage, ScenarioError> {
        let others = self.case.others.iter().zip(robots).map(|(other, robot)| {
            let case = Case { cycle: Some(self.layout().period), ..other.beside(&self.case) };
            self.registry.expect(&case.controller.name).map_err(|error| case.controller_error(error))?;
            case.mission.clone().find_skills(self.registry.skills())?;
            Stage::new(case, Arc::clone(&self.world), Arc::new(robot), None, &self.registry)
        });
        self.others = others.collect::<Result<_, ScenarioError>>()?;
        Ok(self)
    }

    /// Another seed, for everything random.
    pub fn set_seed(&mut self, seed: u64) {
        self.case.seed = seed;
        for (stage, other) in self.others.iter_mut().zip(&self.case.others) {
            stage.case.seed = other.seed(seed);
        }
    }

    /// The same stage for a robot that sees what was seen in a log, cycle by cycle; past its end it sees nothing.
    pub fn seeing(self, log: &LogReader) -> Result<Stage, ScenarioError> {
        let measurements = Measurements::of(log)?;
        measurements.check(&self.layout())?;
        Ok(Stage { measurements: Some(Arc::new(measurements)), ..self })
    }

    /// The same stage for a run that goes on from the end of another. What was to happen to the controller until then has happened.
    #[must_use]
    pub fn continuing(mut self, past: Past) -> Stage {
        self.case.controller_faults.retain(|fault| fault.from >= past.time);
        Stage { past: Some(Arc::new(past)), ..self }
    }

    /// One of the robots with what is its own, by its number; the first is this stage itself.
    pub fn of_robot(&self, number: usize) -> Option<&Stage> {
        if number == 0 { Some(self) } else { self.others.get(number - 1) }
    }

    /// The names of the links of all robots, in the robots' order: those beside the first have their robot's name before their own.
    pub fn link_names(&self) -> impl Iterator<Item = String> {
        let of = |stage: &Stage| stage.robot.tree.links.iter().map(|link| link.name.clone()).collect::<Vec<_>>();
        let others = self.others.iter().flat_map(move |other| {
            let name = other.case.name.clone();
            of(other).into_iter().map(move |link| format!("{name}/{link}"))
        });
        of(self).into_iter().chain(others)
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

    /// The behaviour beside the mission, if the scenario has one.
    pub(crate) fn behaviour(&self) -> Result<Option<Offer>, ScenarioError> {
        charts::offer(&self.case, &self.charts, self.registry.skills())
    }

    /// Eyes and hands for that behaviour, if it shall have them.
    pub(crate) fn hands(&self) -> Result<Option<HandsOffer>, ScenarioError> {
        objects::offer(&self.case, &self.objects)
    }

    /// True if time goes on by itself behind the plug.
    pub(crate) fn is_real_time(&self) -> bool {
        match &self.case.plant {
            PlantKind::Own { name, .. } => self.registry.pace(name) == Some(Pace::RealTime),
            plant => !plant.is_simulated(),
        }
    }

    /// The simulated world alone, with all robots.
    pub fn simulation(&self) -> Result<Simulation, ScenarioError> {
        let stages = || std::iter::once(self).chain(&self.others);
        let setups: Vec<Setup> = stages().map(Stage::setup).collect();
        let robots: Vec<RobotModel> = stages().map(Stage::loaded).collect::<Result<_, ScenarioError>>()?;
        let member = |(number, stage): (usize, &Stage)| {
            let name = if number > 0 { stage.case.name.clone() } else { String::new() };
            (name, &robots[number], &setups[number])
        };
        let members: Vec<(String, &RobotModel, &Setup)> = stages().enumerate().map(member).collect();
        let members = members.iter().map(|(name, robot, setup)| Member { name, robot, setup });
        let members: Vec<Member<'_>> = members.collect();
        Simulation::with(&self.world, &members).map_err(|error| self.plant_error(error))
    }

    /// The simulated world with the first robot alone, where nobody answers the others.
    pub fn lone_simulation(&self) -> Result<Simulation, ScenarioError> {
        let simulation = Simulation::new(&self.world, &self.loaded()?, &self.setup());
        simulation.map_err(|error| self.plant_error(error))
    }

    /// The robot with what it carries.
    fn loaded(&self) -> Result<RobotModel, ScenarioError> {
        if self.case.loads.is_empty() { Ok((*self.robot).clone()) } else { Load::on(&self.robot, &self.case.loads) }
    }

    /// What the plant refuses, at the line of the robot that is to blame.
    fn plant_error(&self, error: PlantError) -> ScenarioError {
        match error {
            PlantError::Of { robot, error } => match self.others.iter().find(|other| other.case.name == robot) {
                Some(other) => other.case.plant_error(&other.robot, *error),
                None => PlantError::Of { robot, error }.into(),
            },
            error => self.case.plant_error(&self.robot, error),
        }
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

    /// What the controller is told of robot, start and map.
    pub(crate) fn told(&self, layout: &RobotLayout) -> Result<Told, ScenarioError> {
        let Stage { case, robot, spawn, world, .. } = self;
        Told::of(Truth { case, robot, start: spawn, world }, layout)
    }

    /// The robot's mapping alone, for the scans of a log.
    pub fn mapper(&self) -> Result<Mapper, ScenarioError> {
        let MissionSettings { slam, align_to_prior, .. } = &self.settings;
        let Told { start, prior, .. } = self.told(&self.layout())?;
        let prior = prior.filter(|_| *align_to_prior);
        Ok(Mapper::new(MapperSetup { settings: slam.mapper.clone(), start, prior }))
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
    found
        .map(|spawn| Pose2 { x: spawn.x, y: spawn.y, yaw: spawn.yaw })
        .ok_or_else(|| case.wrong_at(place, format!("spawn: expected {}, found '{place}'", known())))
}
