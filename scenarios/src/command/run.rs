//! `chiron run`: one scenario, its log, its metrics, its report.

use std::path::Path;

use robot_io::{Event, Severity, Time};

use crate::case::{PlantKind, TwinPlan};
use crate::cli::{Outcome, RunArgs};
use crate::interrupt;
use crate::outcome::RunOutcome;
use crate::progress::Progress;
use crate::refusal;
use crate::report::{self, Picture, ReportInput};
use crate::run_log::RunLog;
use crate::runner::{Finished, Moment};
use crate::series::Series;
use crate::{Case, Library, ScenarioError, Staffing, Stage};

/// So many errors are told at the terminal.
const MOST_EVENTS: usize = 8;

/// Runs one scenario and leaves `run.mcap`, `metrics.json` and `report.html`.
pub fn run(args: &RunArgs, quiet: bool) -> Result<Outcome, ScenarioError> {
    let library = Library::find();
    let changes =
        Changes { seed: args.seed, duration: args.duration, plant: args.plant.clone(), twin: args.twin.is_some() };
    let mut stage = load_stage(&library, &args.case, &changes)?;
    if let Some(log) = &args.scans {
        stage = stage.seeing(&replay::LogReader::open(log)?)?;
    }
    let out = args.out.clone().unwrap_or_else(|| Path::new("out").join(&stage.case.name));
    std::fs::create_dir_all(&out).map_err(|error| ScenarioError::file(&out, "create", &error))?;
    println!("{}: {} (seed {})", stage.case.name, stage.case.title, stage.case.seed);
    let staffing = Staffing { workers: args.workers, realtime: realtime(args)?, core: args.core, live: None };
    let finished =
        if args.view { watch(&stage, staffing, args, &out)? } else { go(&stage, staffing, args, &out, quiet)? };
    let pictures = if args.no_pictures { Vec::new() } else { take_pictures(&stage, &finished) };
    deliver_with(&stage, &finished, &out, &pictures)?;
    if let (Some(path), Some(at)) = (&args.screenshot, args.at) {
        screenshot(&stage, &finished.moments, at, path)?;
    }
    Ok(finished.outcome.verdict())
}

/// What the command line changes about a scenario.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Another seed.
    pub seed: Option<u64>,
    /// Another length [s].
    pub duration: Option<f64>,
    /// Another plant.
    pub plant: Option<PlantKind>,
    /// A twin beside it.
    pub twin: bool,
}

/// A scenario with its files, and with what the command line changes.
pub fn load_stage(library: &Library, case: &str, changes: &Changes) -> Result<Stage, ScenarioError> {
    let Changes { seed, duration, plant, twin } = changes.clone();
    let mut case = Case::load(library, case)?;
    case.seed = seed.unwrap_or(case.seed);
    case.plant = plant.unwrap_or(case.plant);
    case.twin = case.twin.or(twin.then(TwinPlan::default));
    if let Some(seconds) = duration {
        let sensible = seconds > 0.0 && seconds <= 86_400.0;
        let message =
            || ScenarioError::Usage(format!("--duration: expected more than 0 s, up to 86400 s, found {seconds}"));
        case.duration = sensible.then(|| Time::from_seconds(seconds)).ok_or_else(message)?;
    }
    Stage::load(library, case)
}

fn realtime(args: &RunArgs) -> Result<Option<f64>, ScenarioError> {
    match args.realtime {
        Some(speed) if !(speed > 0.0 && speed.is_finite()) => {
            Err(ScenarioError::Usage(format!("--realtime: expected a factor above 0, found {speed}")))
        }
        speed => Ok(speed),
    }
}

fn go(stage: &Stage, staffing: Staffing, args: &RunArgs, out: &Path, quiet: bool) -> Result<Finished, ScenarioError> {
    interrupt::install();
    let mut progress = Progress::new(&stage.case.name, stage.case.duration, quiet);
    let log = if args.no_log { None } else { Some(RunLog::create(&out.join("run.mcap"), stage, false)?) };
    refusal::run(stage, staffing, log, &mut progress)
}

#[cfg(feature = "viewer")]
fn watch(stage: &Stage, staffing: Staffing, args: &RunArgs, out: &Path) -> Result<Finished, ScenarioError> {
    let log = if args.no_log { None } else { Some(RunLog::create(&out.join("run.mcap"), stage, true)?) };
    let opening = crate::viewer::Opening { paused: false, speed: staffing.realtime.unwrap_or(1.0) };
    crate::viewer::watch(stage, staffing, log, opening)
}

#[cfg(not(feature = "viewer"))]
fn watch(_: &Stage, _: Staffing, _: &RunArgs, _: &Path) -> Result<Finished, ScenarioError> {
    Err(super::no_viewer())
}

/// Writes metrics and report and tells the person at the terminal.
pub fn deliver(stage: &Stage, finished: &Finished, out: &Path) -> Result<(), ScenarioError> {
    deliver_with(stage, finished, out, &take_pictures(stage, finished))
}

fn deliver_with(stage: &Stage, finished: &Finished, out: &Path, pictures: &[Picture]) -> Result<(), ScenarioError> {
    finished.outcome.write(&out.join("metrics.json"))?;
    let route: Vec<robot_io::Pose2> = route(stage);
    let input = ReportInput {
        case: &stage.case,
        outcome: &finished.outcome,
        series: &finished.series,
        layout: &stage.layout(),
        world: &stage.world,
        route: &route,
        pictures,
        machine: &super::bench::machine(),
    };
    report::write(&out.join("report.html"), &input)?;
    tell_stops(stage, &finished.series);
    tell(stage, &finished.outcome, out);
    Ok(())
}

/// The waypoints of the mission, in the world.
fn route(stage: &Stage) -> Vec<robot_io::Pose2> {
    let in_world = stage.case.mission.frame == mission::Frame::World;
    let legs = stage.case.mission.steps.iter().filter_map(|step| step.leg).filter(|_| in_world);
    legs.map(|leg| robot_io::Pose2 { x: leg.x, y: leg.y, yaw: leg.yaw.unwrap_or(0.0) }).collect()
}

/// What stopped the robot, and what went wrong: the first of it, with its time.
fn tell_stops(stage: &Stage, series: &Series) {
    let layout = stage.layout();
    let bad = |event: &&Event| event.severity >= Severity::Error;
    let count = series.events.iter().filter(bad).count();
    for event in series.events.iter().filter(bad).take(MOST_EVENTS) {
        println!(
            "  {:>10}  {}",
            event.time.to_string(),
            event.describe(|joint| layout.joints.get(joint).map(|joint| joint.name.as_str()))
        );
    }
    if count > MOST_EVENTS {
        println!("  … and {} more, all in the report", count - MOST_EVENTS);
    }
}

fn tell(stage: &Stage, outcome: &RunOutcome, out: &Path) {
    for check in &outcome.checks {
        let mark = if check.passed { "passed" } else { "FAILED" };
        let value = match check.value {
            Some(value) if check.unit == "1" => format!("{value:.4} {}", check.remark),
            Some(value) => format!("{value:.4} {} {}", check.unit, check.remark),
            None if check.remark.is_empty() => "never".to_owned(),
            None => check.remark.to_owned(),
        };
        println!("  {mark}  {:52}  {}", check.name, value.trim_end());
    }
    let (lasted, wall, factor) = (outcome.simulated_s, outcome.wall_s, outcome.real_time_factor);
    println!("  mission: {}", outcome.mission);
    let granted = outcome.bus.iter().flat_map(|bus| &bus.granted).flat_map(|report| &report.steps);
    granted
        .filter(|step| !step.granted)
        .for_each(|step| println!("  not granted: {}: {}", step.kind.name(), step.found));
    let (how, again) = match stage.case.plant.is_simulated() {
        true => ("simulated", "--verify"),
        false => ("of the robot's time", "--controllers-only"),
    };
    println!("  {lasted:.1} s {how} in {wall:.1} s, {factor:.2} × real time; digest {}", outcome.digest);
    println!("  {}", out.join("report.html").display());
    let log = out.join("run.mcap");
    if log.is_file() {
        println!("  {0}  (chiron replay {0} {again})", log.display());
    }
}

/// Pictures are worth having, and no reason to fail a run that needs none.
#[cfg(feature = "viewer")]
fn take_pictures(stage: &Stage, finished: &Finished) -> Vec<Picture> {
    crate::pictures::of_run(stage, &finished.moments).unwrap_or_else(|error| {
        eprintln!("no pictures in the report: {error}");
        Vec::new()
    })
}

#[cfg(not(feature = "viewer"))]
fn take_pictures(_: &Stage, _: &Finished) -> Vec<Picture> {
    Vec::new()
}

#[cfg(feature = "viewer")]
fn screenshot(stage: &Stage, moments: &[Moment], at: f64, path: &Path) -> Result<(), ScenarioError> {
    crate::pictures::screenshot(stage, moments, Time::from_seconds(at), path)
}

#[cfg(not(feature = "viewer"))]
fn screenshot(_: &Stage, _: &[Moment], _: f64, _: &Path) -> Result<(), ScenarioError> {
    Err(super::no_viewer())
}
