//! `chiron run`: one scenario, its log, its metrics, its report.

use std::path::{Path, PathBuf};

use replay::LogOptions;
use robot_io::{Period, Time};
use robot_model::RobotModel;

use super::deliver::deliver;
use crate::case::{ControllerPlan, PlantKind, TwinPlan};
use crate::cli::{Changes, RunArgs};
use crate::console::Console;
use crate::interrupt;
use crate::moment::Moment;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::recording::{Recording, past};
use crate::refusal;
use crate::results::{Results, expect_writable};
use crate::run_log::RunLog;
use crate::runner::Finished;
use crate::{Case, Library, ScenarioError, Staffing, Stage};

/// Runs one scenario and leaves `run.mcap`, `metrics.json` and `report.html`. Nothing is created before all is understood.
pub fn run(args: &RunArgs, library: &Library, quiet: bool) -> Result<Outcome, ScenarioError> {
    if args.view {
        ready_to_show()?;
    }
    let changes = Changes { duration: args.duration, twin: args.twin.is_some(), ..args.changes.clone() };
    let mut stage = load_stage(library, &args.case, &changes)?;
    stage.case.log = log_options(args);
    stage.case.log.check()?;
    if let Some(log) = &args.scans {
        stage = stage.seeing(&replay::LogReader::open(log)?)?;
    }
    if let Some(log) = &args.past {
        stage = continuing(stage, log, library, quiet)?;
    }
    let picture_at = args.at.map(|at| picture_time(at, stage.case.duration)).transpose()?;
    expect_writable(args.screenshot.as_ref(), "--screenshot")?;
    let mut results = Results::place(args.out.as_deref(), &stage.case.name, args.force)?;
    if !quiet {
        println!("{}: {} (seed {})", stage.case.name, stage.case.title, stage.case.seed);
    }
    let staffing = Staffing {
        workers: args.workers.into(),
        realtime: args.realtime,
        core: args.core.map(usize::from),
        picture_at,
        console: console(&stage, args)?,
        ..Staffing::default()
    };
    let finished = if args.view {
        watch(&stage, staffing, args, &mut results)?
    } else {
        unseen(&stage, staffing, args, &mut results, quiet)?
    };
    // whoever has closed the window, or pressed Ctrl-C, waits for no pictures
    let pictures = !args.no_pictures && !args.view && !interrupt::requested();
    deliver(&stage, &finished, &results, pictures, quiet)?;
    match (&args.screenshot, &finished.picture) {
        (Some(path), Some(moment)) => screenshot(&stage, moment, path)?,
        (Some(path), None) => eprintln!("no picture in {}: the run ended before that time", path.display()),
        (None, _) => {}
    }
    // whoever ends an interactive session by Ctrl-C is told so, whatever the checks have answered by then
    let ended = args.view && interrupt::requested();
    Ok(if ended { Outcome::Interrupted } else { finished.outcome.verdict() })
}

/// The stage for a run that goes on from the end of another.
fn continuing(stage: Stage, log: &Path, library: &Library, quiet: bool) -> Result<Stage, ScenarioError> {
    let recording = Recording::open_with(log, library.registry())?;
    let (_, end) = recording.end()?;
    let past = past(&recording, &stage, &mut Progress::new(&stage.case.name, end, quiet))?;
    if !quiet {
        println!("{}: goes on from {} at {}; the checks count from there", stage.case.name, log.display(), past.time);
    }
    let seed = recording.stage.case.seed;
    Ok(Stage { case: Case { seed, ..stage.case.clone() }, ..stage }.continuing(past))
}

/// What the command line says about the log.
fn log_options(args: &RunArgs) -> LogOptions {
    let usual = LogOptions::default();
    let show_interval = args.log_rate.map_or(usual.show_interval, |rate| Period::from_seconds(1.0 / rate));
    LogOptions { show_interval, leave_out: args.log_without.clone(), ..usual }
}

/// The time of a picture, which must be one of the run's.
fn picture_time(at: f64, duration: Time) -> Result<Time, ScenarioError> {
    let sensible = at >= 0.0 && at <= duration.seconds();
    let message = || ScenarioError::Usage(format!("--at: expected 0 s to {duration}, the end of the run, found {at}"));
    sensible.then(|| Time::from_seconds(at)).ok_or_else(message)
}

fn open_folder(results: &mut Results) -> Result<(), ScenarioError> {
    results.create()?;
    if let Some(remark) = results.remark() {
        println!("{remark}");
    }
    Ok(())
}

/// Opens a run's log in its folder, once everything else stands.
pub fn open_log(
    stage: &Stage,
    results: &mut Results,
    wanted: bool,
    live: bool,
) -> Result<Option<RunLog>, ScenarioError> {
    open_folder(results)?;
    wanted.then(|| RunLog::create(&results.log(), stage, live)).transpose()
}

/// A scenario with its files, and with what the command line changes.
pub fn load_stage(library: &Library, case: &str, changes: &Changes) -> Result<Stage, ScenarioError> {
    let mut case = Case::load(library, case)?;
    case.seed = changes.seed.unwrap_or(case.seed);
    case.plant = changes.ends.plant.clone().unwrap_or(case.plant);
    let is_other = |other: &ControllerPlan| other.name != case.controller.name || other.is_program();
    if let Some(controller) = changes.ends.answer().filter(is_other) {
        (case.controller, case.folder) = (controller, PathBuf::from("."));
    }
    switch_on(library, &mut case, &changes.sensors)?;
    case.twin = case.twin.or(changes.twin.then(TwinPlan::default));
    if let Some(seconds) = changes.duration {
        case.duration = Time::from_seconds(seconds);
    }
    Stage::load(library, case)
}

/// A run in real time listens to a person at the terminal; in the viewer the person is there already.
fn console(stage: &Stage, args: &RunArgs) -> Result<Option<Console>, ScenarioError> {
    let name = match &stage.case.plant {
        PlantKind::EtherCat(interface) => interface,
        _ => &stage.case.name,
    };
    let is_real = stage.is_real_time() || args.realtime.is_some();
    (is_real && !args.view).then(|| Console::open(name)).transpose()
}

/// Switches sensors on that the scenario leaves off.
fn switch_on(library: &Library, case: &mut Case, sensors: &[String]) -> Result<(), ScenarioError> {
    if sensors.is_empty() {
        return Ok(());
    }
    let robot = RobotModel::load(&library.beside(&case.folder).robot(&case.robot)?)?;
    let known: Vec<&str> = robot.description.switchable_sensors().collect();
    let all = sensors.iter().any(|name| name == "all");
    if let Some(unknown) = sensors.iter().find(|name| *name != "all" && !known.contains(&name.as_str())) {
        let known =
            if known.is_empty() { "none, the robot has no laser, camera or skin".to_owned() } else { known.join(", ") };
        return Err(ScenarioError::Usage(format!("--sensors: expected all or some of {known}; found '{unknown}'")));
    }
    // in the robot's order, so that the order of the words on the command line means nothing
    let wanted = known.into_iter().filter(|name| all || sensors.iter().any(|wanted| wanted == name));
    for name in wanted {
        if !case.sensors.iter().any(|on| on == name) {
            case.sensors.push(name.to_owned());
        }
    }
    Ok(())
}

fn unseen(
    stage: &Stage,
    staffing: Staffing,
    args: &RunArgs,
    results: &mut Results,
    quiet: bool,
) -> Result<Finished, ScenarioError> {
    interrupt::install();
    let mut progress = Progress::new(&stage.case.name, stage.case.duration, quiet);
    // what a person says is input, and a replay takes it from the log
    let live = staffing.console.is_some();
    let log = || open_log(stage, results, !args.no_log, live);
    let finished = refusal::open(stage, staffing, log, &mut progress);
    finished.inspect_err(|_| results.abandon())
}

/// What the window shows the run through, where it is to show what its operator sees.
#[cfg(feature = "viewer")]
pub(super) fn seen_through(stage: &Stage, through_link: bool) -> Result<Option<crate::case::Link>, ScenarioError> {
    let none = || ScenarioError::Usage(format!("--through-link: {} has no [link]", stage.case.name));
    through_link.then(|| stage.case.link.clone().ok_or_else(none)).transpose()
}

#[cfg(feature = "viewer")]
fn watch(stage: &Stage, staffing: Staffing, args: &RunArgs, results: &mut Results) -> Result<Finished, ScenarioError> {
    open_folder(results)?;
    let log = (!args.no_log).then(|| crate::interactive::LogPlace(results.log()));
    let link = seen_through(stage, args.through_link)?;
    let opening = crate::interactive::Opening { paused: false, speed: staffing.realtime.unwrap_or(1.0), link };
    let finished = crate::viewer::watch(stage, &staffing, log, opening, results.folder());
    finished.inspect_err(|_| results.abandon())
}

/// Asked first, so that nothing is loaded, computed or written for a window that cannot be.
#[cfg(feature = "viewer")]
fn ready_to_show() -> Result<(), ScenarioError> {
    Ok(station::ready()?)
}

#[cfg(not(feature = "viewer"))]
fn ready_to_show() -> Result<(), ScenarioError> {
    Err(super::no_viewer())
}

#[cfg(not(feature = "viewer"))]
fn watch(_: &Stage, _: Staffing, _: &RunArgs, _: &mut Results) -> Result<Finished, ScenarioError> {
    Err(super::no_viewer())
}

#[cfg(feature = "viewer")]
fn screenshot(stage: &Stage, moment: &Moment, path: &Path) -> Result<(), ScenarioError> {
    crate::pictures::screenshot(stage, moment, path)
}

#[cfg(not(feature = "viewer"))]
fn screenshot(_: &Stage, _: &Moment, _: &Path) -> Result<(), ScenarioError> {
    Err(super::no_viewer())
}
