//! What a run leaves in its folder and says at the terminal: the verdict first, then everything that takes longer.

use robot_io::{Event, Severity};

use crate::checks::Verdict;
use crate::environment::called;
use crate::outcome::RunOutcome;
use crate::report::{self, Picture, ReportInput};
use crate::results::Results;
use crate::runner::Finished;
use crate::series::Series;
use crate::{ScenarioError, Stage};

/// So many errors are told at the terminal.
const MOST_EVENTS: usize = 8;

/// Tells the verdict, then writes metrics and report, with pictures if they are wanted.
pub fn deliver(
    stage: &Stage,
    finished: &Finished,
    results: &Results,
    pictures: bool,
    quiet: bool,
) -> Result<(), ScenarioError> {
    let outcome = &finished.outcome;
    if quiet {
        println!("{}", line(&outcome.case, outcome.seed, outcome));
    } else {
        tell_stops(stage, &finished.series);
        tell(stage, outcome);
    }
    outcome.write(&results.metrics())?;
    results.remove_old(finished.has_log);
    let pictures = if pictures { take_pictures(stage, finished, quiet) } else { Vec::new() };
    let route: Vec<robot_io::Pose2> = route(stage);
    let input = ReportInput {
        case: &stage.case,
        outcome,
        series: &finished.series,
        layout: &stage.layout(),
        world: &stage.world,
        route: &route,
        pictures: &pictures,
        machine: &super::bench::machine(),
    };
    report::write(&results.report(), &input)?;
    let log = results.log();
    if !quiet {
        println!("  {}", results.report().display());
        let again = if stage.case.plant.is_simulated() { "--verify" } else { "--controllers-only" };
        if finished.has_log {
            println!("  {0}  ({1} replay {0} {again})", log.display(), called());
        }
    }
    Ok(())
}

/// A run in one line, and one more for each check that failed.
pub fn line(case: &str, seed: u64, outcome: &RunOutcome) -> String {
    let mark = if outcome.passed { "passed" } else { "FAILED" };
    let failed = outcome.checks.iter().filter(|check| !check.passed);
    let mut failed: String = failed
        .map(|check| {
            let value = check.value.map_or("nothing".to_owned(), |value| format!("{value:.4} {}", check.unit));
            format!("\n        {}: found {value}", check.name)
        })
        .collect();
    if !outcome.passed && !outcome.stopped_by.is_empty() {
        failed += &format!("\n        mission: {}", outcome.ending());
    }
    if let Some(why) = outcome.known_failure.as_ref().filter(|_| !outcome.passed) {
        failed += &format!("\n        known failure: {why}");
    }
    format!(
        "{mark}  {case:28} seed {seed:<4} {:6.1} s, {:5.2} × real time, digest {}{failed}",
        outcome.simulated_s, outcome.real_time_factor, outcome.digest
    )
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

fn tell(stage: &Stage, outcome: &RunOutcome) {
    for check in &outcome.checks {
        let mark = if check.passed { "passed" } else { "FAILED" };
        let value = match check.value {
            Some(value) if check.unit == "1" => format!("{value:.4} {}", check.remark),
            Some(value) => format!("{value:.4} {} {}", check.unit, check.remark),
            None if check.remark.is_empty() => "never".to_owned(),
            None => check.remark.to_owned(),
        };
        println!("  {mark}  {:52}  {}{}", check.name, value.trim_end(), limit_beside(check));
    }
    let (lasted, wall, factor) = (outcome.simulated_s, outcome.wall_s, outcome.real_time_factor);
    let whose = if outcome.is_of_mission { "mission: " } else { "" };
    println!("  {whose}{}", outcome.ending());
    if let Some(why) = outcome.known_failure.as_ref().filter(|_| !outcome.passed) {
        println!("  known failure: {why}");
    }
    if outcome.interventions > 0 {
        let so_often = outcome.interventions;
        println!(
            "  the safety filter changed {so_often} commands: which and why, in the report's events and section Safety filter"
        );
    }
    let granted = outcome.bus.iter().flat_map(|bus| &bus.granted).flat_map(|report| &report.steps);
    granted
        .filter(|step| !step.granted)
        .for_each(|step| println!("  not granted: {}: {}", step.kind.name(), step.found));
    let how = if stage.case.plant.is_simulated() { "simulated" } else { "of the robot's time" };
    println!("  {lasted:.1} s {how} in {wall:.1} s, {factor:.2} × real time; digest {}", outcome.digest);
}

/// What a check had to keep to, where its words do not say it.
fn limit_beside(check: &Verdict) -> String {
    let unit = if check.unit == "1" { "" } else { check.unit };
    match check.limit {
        Some(limit) if check.value != Some(limit) && !check.name.contains(&limit.to_string()) => {
            format!(", limit {limit} {unit}").trim_end().to_owned()
        }
        _ => String::new(),
    }
}

/// Pictures are worth having, and no reason to fail a run that needs none.
#[cfg(feature = "viewer")]
fn take_pictures(stage: &Stage, finished: &Finished, quiet: bool) -> Vec<Picture> {
    crate::pictures::of_run(stage, &finished.moments, quiet).unwrap_or_else(|error| {
        eprintln!("no pictures in the report: {error}");
        Vec::new()
    })
}

#[cfg(not(feature = "viewer"))]
fn take_pictures(_: &Stage, _: &Finished, _: bool) -> Vec<Picture> {
    Vec::new()
}
