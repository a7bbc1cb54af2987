//! A scenario: the world, the robot, the mission, what goes wrong and what must hold.

mod behaviour;
mod controller;
mod file;
mod hands;
mod link;
mod load;
mod miscalibration;
mod other;
mod plant;
pub mod settings;
mod trouble;
mod twin;
mod uncertainty;

pub use behaviour::BehaviourTable;
pub use controller::ControllerPlan;
pub use hands::HandsTable;
pub use link::{BlackOut, Link};
pub use load::Load;
pub use miscalibration::{Miscalibration, Misplaced};
pub use other::Other;
pub use plant::PlantKind;
pub use trouble::{BusFaultPlan, ControllerFault, ControllerTrouble};
pub use twin::{MixedPlan, TwinPlan};
pub use uncertainty::Uncertainty;

use std::path::{Path, PathBuf};

use ::plant::Relocation;
use mission::MissionPlan;
use robot_io::{Fault, OperatorRequest, Period, Pose2, Time, Twist};

use crate::checks::CheckPlan;
use crate::{Library, ScenarioError};

/// A scenario as its file says it. Names are resolved when it is assembled.
#[derive(Clone, Debug)]
pub struct Case {
    /// The file's stem.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// What it shows, in a paragraph.
    pub about: String,
    /// The world's name or path.
    pub world: String,
    /// The robot's name or path.
    pub robot: String,
    /// The seed of everything random.
    pub seed: u64,
    /// The simulated time after which the run ends.
    pub duration: Time,
    /// Where the robot starts.
    pub spawn: Spawn,
    /// The named pose in which the robot starts.
    pub pose: String,
    /// The names of the lasers and cameras that are switched on.
    pub sensors: Vec<String>,
    /// What the robot is to do.
    pub mission: MissionPlan,
    /// Who answers.
    pub controller: ControllerPlan,
    /// The statechart that is carried out beside the mission, if there is one.
    pub behaviour: Option<BehaviourTable>,
    /// Eyes and hands for the chart's skills, if it shall have them.
    pub hands: Option<HandsTable>,
    /// End the run this long after the mission is done or has stopped; `None` to go on until `duration`.
    pub linger: Option<Time>,
    /// Why it fails, where that is known and not mended yet. It counts as failed all the same.
    pub known_failure: Option<String>,
    /// What stands behind the plug unless the command line says otherwise.
    pub plant: PlantKind,
    /// The bus file's name or path; `None` for `bus.toml` beside the robot's file.
    pub bus: Option<String>,
    /// The control cycle; `None` for the robot's own.
    pub cycle: Option<Period>,
    /// What breaks in the robot, and when.
    pub faults: Vec<Fault>,
    /// What happens to the controller, and when.
    pub controller_faults: Vec<ControllerFault>,
    /// What breaks on the bus, and when.
    pub bus_faults: Vec<BusFaultPlan>,
    /// The twin beside the run, if it shall have one.
    pub twin: Option<TwinPlan>,
    /// Which joints are on the bus, if not all of them.
    pub mixed: Option<MixedPlan>,
    /// What the controller is told wrongly of the robot.
    pub miscalibration: Option<Miscalibration>,
    /// How well what the controller is told is known.
    pub uncertainty: Uncertainty,
    /// Who pushes the robot, and when.
    pub pushes: Vec<PushPlan>,
    /// What it carries and its controller is not told of.
    pub loads: Vec<Load>,
    /// When somebody carries the robot to another place, and where.
    pub kidnaps: Vec<Relocation>,
    /// What the operator does, and when.
    pub operator: Vec<OperatorPlan>,
    /// How far the operator is from the robot; `None` for beside it.
    pub link: Option<Link>,
    /// The robots beside this one.
    pub others: Vec<Other>,
    /// What must hold.
    pub checks: Vec<CheckPlan>,
    /// Which metrics go into `metrics.json` beside those of the checks.
    pub metrics: Vec<String>,
    /// The settings of the skills that differ from their defaults, as TOML.
    pub settings: toml::Table,
    /// What the run's log shows, and how often.
    pub log: replay::LogOptions,
    /// Where a program that it names is started: the folder of its file, or the working directory.
    pub folder: PathBuf,
    /// The file itself, so that a log can carry it.
    pub source: Source,
}

/// A file: path relative to the library, and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path relative to the library.
    pub path: String,
    /// The file's text.
    pub text: String,
}

/// Where the robot starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Spawn {
    /// At one of the world's named places.
    Place(String),
    /// At a pose in the world.
    Pose(Pose2),
}

/// A push: a force on a link for a while.
#[derive(Clone, Debug, PartialEq)]
pub struct PushPlan {
    /// When it begins.
    pub at: Time,
    /// When it ends.
    pub until: Time,
    /// The link's name.
    pub link: String,
    /// Where, in the link's frame [m].
    pub point: [f64; 3],
    /// The force, in the world frame [N].
    pub force: [f64; 3],
}

/// Something that the operator does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum OperatorPlan {
    /// Presses a button.
    Press(Time, OperatorRequest),
    /// Holds the stick from a time until another.
    Hold(Time, Time, Twist),
}

impl Case {
    /// True if a bus file must be read.
    pub fn needs_bus(&self) -> bool {
        self.plant.has_bus()
    }

    /// Why the scenario means nothing on another plant than its own; `None` if it can be run there.
    pub fn senseless_on(&self, plant: &PlantKind) -> Option<&'static str> {
        let can_break = matches!(plant, PlantKind::VirtualBus | PlantKind::EtherCat(_));
        let why = "its bus faults need a bus that can break (virtual-bus)";
        (!can_break && !self.bus_faults.is_empty()).then_some(why)
    }

    /// Reads a scenario given by name or path.
    pub fn load(library: &Library, name: &str) -> Result<Case, ScenarioError> {
        let path = library.case(name)?;
        let text = std::fs::read_to_string(&path).map_err(|error| ScenarioError::file(&path, "read", &error))?;
        let shown = library.relative(&path).display().to_string();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.map_or_else(|| PathBuf::from("."), Path::to_owned);
        Ok(Case { folder, ..Case::parse(&text, &shown)? })
    }

    /// Reads a scenario's text; `path` is for its name and for errors.
    pub fn parse(text: &str, path: &str) -> Result<Case, ScenarioError> {
        let name = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        file::parse(text, path, name)
    }
}
