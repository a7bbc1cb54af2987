//! A log as a run that can be computed again: everything that made it is attached to it.

mod component;
mod fork;
mod inputs;
mod past;
mod verify;

pub use component::{Alone, component};
pub use fork::{Fork, fork};
pub use past::past;
pub use verify::{Verification, controllers_only, verify};

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hil::bus_file::BusSource;
use replay::LogReader;
use robot_io::{Event, Pool, Time};
use robot_model::RobotModel;
use worlds::World;

use crate::case::{ControllerPlan, PlantKind, Source, TwinPlan};
use crate::run_log::{
    BUS_FOLDER, CALIBRATION_FOLDER, CASE_FILE, CHARTS_FOLDER, CONTINUES, CONTROLLER, MESHES_FOLDER, MOTIONS_FOLDER,
    OBJECTS_FOLDER, PROGRAM_FOLDER, PROGRAM_WORDS, ROBOT_FOLDER, SCANS, WORLD_FOLDER, others_folder,
};
use crate::runner::Runner;
use crate::session::{Session, Snapshot};
use crate::{Case, Registry, ScenarioError, Staffing, Stage, motions};

/// A log, and the stage on which its run took place.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The log.
    pub log: LogReader,
    /// The scenario, the world and the robot that the log carries.
    pub stage: Stage,
}

impl Recording {
    /// Opens a log and reads the files attached to it; one of the controllers that ship made it.
    pub fn open(path: &Path) -> Result<Recording, ScenarioError> {
        Recording::open_with(path, &Arc::default())
    }

    /// Opens a log that one of these controllers made, and reads the files attached to it.
    pub fn open_with(path: &Path, registry: &Arc<Registry>) -> Result<Recording, ScenarioError> {
        let log = LogReader::open(path)?;
        let mut case = case_of(&log)?;
        case.seed = log.header().seed;
        let duration = log.header().meta("duration_ns").and_then(|text| text.parse().ok());
        case.duration = duration.map_or(case.duration, Time::from_nanoseconds);
        let sensors = log.header().meta("sensors");
        case.sensors = sensors.map_or(case.sensors, |names| names.split_whitespace().map(str::to_owned).collect());
        let settings = log.header().meta("settings").and_then(|text| text.parse().ok());
        case.settings = settings.unwrap_or(case.settings);
        let begins = log.header().meta(CONTINUES).and_then(|text| text.parse().ok()).map(Time::from_nanoseconds);
        case.controller_faults.retain(|fault| begins.is_none_or(|begins| fault.from >= begins));
        // a log from before there were plants is one of a simulation
        case.plant = log.header().meta("plant").map_or(Ok(PlantKind::Sim), |text| plant_of(&log, text))?;
        case.controller = controller_of(&log, case.controller)?;
        case.folder = log.header().meta(PROGRAM_FOLDER).map_or(case.folder, PathBuf::from);
        case.twin = case.twin.or(log.header().meta(replay::TWIN).map(|_| TwinPlan::default()));
        let motions = sources_in(&log, MOTIONS_FOLDER);
        motions::read_again(&mut case.mission, &motions)?;
        let robot = Arc::new(robot_of(&log, "")?);
        let mut stage = Stage::new(case, Arc::new(world_of(&log)?), robot, bus_of(&log), registry)?;
        let others = stage.case.others.iter();
        let others = others.map(|other| Ok(other.on_its_base(robot_of(&log, &others_folder(&other.case.name))?)));
        let others = others.collect::<Result<_, ScenarioError>>()?;
        stage = stage.beside(others)?;
        (stage.charts, stage.motions) = (sources_in(&log, CHARTS_FOLDER), motions);
        stage.objects = sources_in(&log, OBJECTS_FOLDER);
        stage.answers = stage.case.controller.is_program().then(|| log.clone());
        if log.header().meta(SCANS).is_some() {
            stage = stage.seeing(&log)?;
        }
        Ok(Recording { log, stage })
    }

    /// The same, but a program that answered then is started and asked anew. Nobody should ask for that who does not trust the log.
    #[must_use]
    pub fn asking_its_program(mut self) -> Recording {
        self.stage.answers = None;
        self
    }

    /// An error if its controller was a program and nobody has asked for it to be started.
    fn expect_controller(&self, what: &str) -> Result<(), ScenarioError> {
        let Some(program) = self.stage.answers.as_ref().map(|_| self.stage.case.controller.program.join(" ")) else {
            return Ok(());
        };
        Err(self.wrong(&format!(
            "{what} needs the run's controller, which was the program `{program}`; --run-program starts it"
        )))
    }

    /// A session that computes the run again from the log's beginning, which is the middle of a run if it forked, with the recorded input of whoever was at the desk.
    pub fn session(&self, workers: usize) -> Result<Session, ScenarioError> {
        self.expect_simulated()?;
        let mut parts = self.stage.assemble(Staffing { workers, ..Staffing::default() })?;
        if self.log.header().meta("live") == Some("true") {
            parts.robot.inner_mut().replay(inputs::operator(&self.log)?);
            parts.pushes = inputs::pushes(&self.log, &self.stage)?;
        }
        let mut session = Session::start(parts)?;
        if let Some(snapshot) = self.first_snapshot()? {
            session.restore(&snapshot)?;
        }
        Ok(session)
    }

    /// An error if the run cannot be computed again, because the world behind the plug was not ours.
    pub fn expect_simulated(&self) -> Result<(), ScenarioError> {
        let plant = &self.stage.case.plant;
        let message = || {
            self.wrong(&format!(
                "the run was on '{plant}', whose world cannot be computed again; --controllers-only feeds its readings to the controllers"
            ))
        };
        plant.is_simulated().then_some(()).ok_or_else(message)
    }

    /// An error if nobody can go on from the middle of the run, with what can be done instead.
    fn expect_forkable(&self) -> Result<(), ScenarioError> {
        self.expect_simulated()?;
        self.expect_controller("a fork")?;
        let Stage { case, .. } = &self.stage;
        if !case.plant.has_bus() {
            return Ok(());
        }
        Err(self.wrong(&format!(
            "the run was on '{}', and a run over a bus cannot be forked: what its boards remember is not in the log. Instead: \
             `chiron run {1} --plant sim --out DIR` and fork that log, or `chiron run {1} --seed N` from the beginning",
            case.plant, case.name
        )))
    }

    /// True if the log holds states from which the run can go on; over a bus it is computed from the beginning.
    pub fn has_snapshots(&self) -> bool {
        !self.stage.case.plant.has_bus()
    }

    /// The run computed again until just before a time, from the nearest saved state or from the beginning, with what its
    /// checks have seen until then.
    pub fn runner_at(&self, time: Time) -> Result<Runner, ScenarioError> {
        let mut runner = Runner::resume(&self.stage, self.session(0)?, None)?;
        if self.has_snapshots() {
            runner.resume_from(&self.snapshot_before(time)?)?;
        }
        let period = runner.session().layout().period;
        while Time::from_nanoseconds(runner.session().next_cycle() * period.nanoseconds()) < time {
            runner.cycle()?;
        }
        Ok(runner)
    }

    /// The time of the first cycle.
    pub fn begin(&self) -> Result<Time, ScenarioError> {
        let first = self.log.cycles().next_cycle()?.map(|cycle| cycle.readings.time);
        first.ok_or_else(|| self.wrong("expected at least one cycle, found none"))
    }

    /// The state from which a log begins that does not begin at the first cycle.
    pub fn first_snapshot(&self) -> Result<Option<Snapshot>, ScenarioError> {
        let first = self.log.cycles().next_cycle()?.map(|cycle| (cycle.readings.cycle, cycle.readings.time));
        match first {
            Some((cycle, time)) if cycle > 0 => self.snapshot_before(time).map(Some),
            _ => Ok(None),
        }
    }

    /// The last state saved at or before a time.
    pub fn snapshot_before(&self, time: Time) -> Result<Snapshot, ScenarioError> {
        let cycle = self.log.cycle_at(time)?.unwrap_or(0);
        let missing = || self.wrong("expected a saved state at the beginning, found none");
        let place = self.log.snapshot_before(cycle)?.ok_or_else(missing)?;
        Snapshot::from_log(self.log.snapshot(&place, &Pool::default())?, self.log.path())
    }

    /// All saved states, in order of time.
    pub fn snapshots(&self) -> Result<Vec<Snapshot>, ScenarioError> {
        let mut known = Pool::default();
        let read = |place| {
            let snapshot = self.log.snapshot(&place, &known)?;
            known.extend(&snapshot.pool);
            Snapshot::from_log(snapshot, self.log.path())
        };
        self.log.snapshots()?.into_iter().map(read).collect()
    }

    /// What happened, by recomputed events' wording.
    pub fn events(&self) -> Result<Vec<Event>, ScenarioError> {
        let event = |logged: replay::LoggedEvent| Event {
            time: logged.time,
            severity: logged.severity,
            source: logged.source.into(),
            subject: robot_io::Subject::Robot,
            what: logged.message.into(),
            value: f64::NAN,
            limit: f64::NAN,
        };
        Ok(self.log.events()?.into_iter().map(event).collect())
    }

    /// The last cycle and its time.
    pub fn end(&self) -> Result<(u64, Time), ScenarioError> {
        self.log.last_cycle()?.ok_or_else(|| self.wrong("expected at least one cycle, found none"))
    }

    fn wrong(&self, message: &str) -> ScenarioError {
        ScenarioError::File { path: self.log.path().to_owned(), message: message.to_owned() }
    }
}

/// Who answered, where the command line said another than the scenario.
fn controller_of(log: &LogReader, scenario: ControllerPlan) -> Result<ControllerPlan, ScenarioError> {
    let Some(name) = log.header().meta(CONTROLLER) else { return Ok(scenario) };
    let words = log.header().meta(PROGRAM_WORDS).map(serde_json::from_str::<Vec<String>>);
    let wrong = |error| ScenarioError::File { path: log.path().to_owned(), message: format!("program: {error}") };
    let words = words.transpose().map_err(wrong)?.unwrap_or_default();
    let is_scenarios = name == scenario.name && words == scenario.program;
    Ok(if is_scenarios { scenario } else { ControllerPlan { program: words, ..ControllerPlan::named(name) } })
}

fn attached<'l>(log: &'l LogReader, name: &str) -> Result<&'l [u8], ScenarioError> {
    log.header().file(name).ok_or_else(|| lacks(log, &format!("the file '{name}'")))
}

fn case_of(log: &LogReader) -> Result<Case, ScenarioError> {
    let text = String::from_utf8_lossy(attached(log, CASE_FILE)?);
    let path = log.header().meta("case_file").unwrap_or(CASE_FILE);
    Case::parse(&text, path)
}

/// The bus file and its calibration, if the run had them.
fn bus_of(log: &LogReader) -> Option<BusSource> {
    let first = |folder| {
        let (name, bytes) = files_in(log, folder).next()?;
        Some((name, String::from_utf8_lossy(bytes).into_owned()))
    };
    let (file, text) = first(BUS_FOLDER)?;
    Some(BusSource { file, text, calibration: first(CALIBRATION_FOLDER) })
}

fn sources_in(log: &LogReader, folder: &str) -> Vec<Source> {
    let source = |(name, bytes): (String, &[u8])| Source {
        path: format!("{folder}{name}"),
        text: String::from_utf8_lossy(bytes).into_owned(),
    };
    files_in(log, folder).map(source).collect()
}

fn plant_of(log: &LogReader, text: &str) -> Result<PlantKind, ScenarioError> {
    let wrong = |message| ScenarioError::File { path: log.path().to_owned(), message: format!("plant: {message}") };
    text.parse().map_err(wrong)
}

fn world_of(log: &LogReader) -> Result<World, ScenarioError> {
    let sources = files_in(log, WORLD_FOLDER).map(|(name, bytes)| worlds::Source { name, bytes: bytes.into() });
    let sources: Vec<worlds::Source> = sources.collect();
    if sources.is_empty() {
        return Err(lacks(log, "the world's file"));
    }
    // what is wrong with a file of the log is the log's fault: whoever reads it knows no other
    World::from_sources(&sources).map_err(|error| within(log, &error))
}

/// The robot whose folders begin with `prefix`.
fn robot_of(log: &LogReader, prefix: &str) -> Result<RobotModel, ScenarioError> {
    let source = |(name, bytes): (String, &[u8])| robot_model::Source { name, bytes: bytes.into() };
    let mut sources: Vec<robot_model::Source> = files_in(log, &format!("{prefix}{ROBOT_FOLDER}")).map(source).collect();
    let toml = sources.iter().position(|source| source.name.ends_with(".toml")).map(|index| sources.remove(index));
    let urdf = sources.pop();
    let robot = match (toml, urdf) {
        (Some(toml), Some(urdf)) => RobotModel::from_sources(toml, urdf).map_err(|error| within(log, &error))?,
        (None, Some(urdf)) => RobotModel::from_urdf(urdf).map_err(|error| within(log, &error))?,
        (_, None) => return Err(lacks(log, "the robot's URDF")),
    };
    Ok(robot.with_meshes(files_in(log, &format!("{prefix}{MESHES_FOLDER}")).map(source).collect()))
}

/// A log without one of its files.
fn lacks(log: &LogReader, what: &str) -> ScenarioError {
    ScenarioError::File { path: log.path().to_owned(), message: format!("expected {what} attached, found none") }
}

/// What is wrong with a file that a log carries.
fn within(log: &LogReader, error: &dyn std::error::Error) -> ScenarioError {
    ScenarioError::File { path: log.path().to_owned(), message: format!("in its attached {error}") }
}

/// The attached files of a folder, in order, with their names in it.
fn files_in<'l>(log: &'l LogReader, folder: &str) -> impl Iterator<Item = (String, &'l [u8])> {
    let attachments = log.header().attachments.iter();
    attachments.filter_map(move |file| Some((file.name.strip_prefix(folder)?.to_owned(), file.bytes.as_slice())))
}
