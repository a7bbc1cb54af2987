//! `chiron replay`: what can be done with a log.

use std::path::Path;

use robot_io::Time;

use super::deliver::deliver;
use super::run::open_log;
use crate::cli::ReplayArgs;
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::recording::{Alone, Fork, Recording, Verification, component, controllers_only, fork, verify};
use crate::results::{Results, expect_writable};
use crate::{Library, ScenarioError, Stage};

/// Verifies, feeds the controllers, forks or shows; with none of these, tells what the log holds.
pub fn replay(args: &ReplayArgs, library: &Library, quiet: bool) -> Result<Outcome, ScenarioError> {
    let recording = Recording::open_with(&args.log, library.registry())?;
    let recording = if args.run_program { recording.asking_its_program() } else { recording };
    if let Some(cut) = recording.log.cut() {
        println!("the log was cut: {} bytes lost at byte {} ({})", cut.lost_bytes, cut.at_byte, cut.reason);
    }
    let (_, end) = recording.end()?;
    let mut progress = Progress::new(&recording.stage.case.name, end, quiet);
    if args.verify {
        Ok(tell("run", &verify(&recording, 1, &mut progress)?))
    } else if args.controllers_only {
        Ok(tell("controllers' commands", &controllers_only(&recording, &mut progress)?))
    } else if let Some(name) = &args.component {
        Ok(tell_component(name, &component(&recording, name, &mut progress)?))
    } else if let (Some(at), Some(out)) = (args.fork_at, &args.out) {
        let fork = Fork { at: Time::from_seconds(at), seed: args.seed, settings: args.settings.clone() };
        let mut results = Results::place(Some(out), &recording.stage.case.name, args.force)?;
        run_fork(&recording, &fork, &mut results, &mut progress, !args.no_pictures, quiet)
    } else if let (Some(path), Some(at)) = (&args.screenshot, args.at) {
        expect_writable(Some(path), "--screenshot")?;
        screenshot(&recording, Time::from_seconds(at), path)
    } else if args.view {
        watch(&recording)
    } else {
        describe(&recording)
    }
}

fn tell(what: &str, verification: &Verification) -> Outcome {
    match &verification.divergence {
        None => {
            println!("the {what} came out the same, bit for bit, in all {} cycles", verification.cycles);
            Outcome::Passed
        }
        Some(divergence) => {
            println!("the {what} came out the same in {} cycles and then differently:", verification.cycles);
            println!("  {divergence}");
            Outcome::Failed
        }
    }
}

fn tell_component(name: &str, alone: &Alone) -> Outcome {
    match alone.differs {
        None => {
            println!("component '{name}' did the same again, alone, in all {} calls", alone.calls);
            Outcome::Passed
        }
        Some((at, what)) => {
            println!(
                "component '{name}' did the same again, alone, in {} calls, and then something else:",
                alone.calls
            );
            println!("  at {at} {what} differs");
            Outcome::Failed
        }
    }
}

fn run_fork(
    recording: &Recording,
    change: &Fork,
    out: &mut Results,
    progress: &mut Progress,
    pictures: bool,
    quiet: bool,
) -> Result<Outcome, ScenarioError> {
    let stage: Stage = change.stage(recording)?;
    let runner =
        fork(recording, &stage, change.at, || open_log(&stage, out, true, false)).inspect_err(|_| out.abandon())?;
    if !quiet {
        println!("{}: forked at {}; the checks count what was before it", stage.case.name, change.at);
    }
    let finished = runner.run(progress)?;
    deliver(&stage, &finished, out, pictures, quiet)?;
    Ok(finished.outcome.verdict())
}

fn describe(recording: &Recording) -> Result<Outcome, ScenarioError> {
    let header = recording.log.header();
    let (last, end) = recording.end()?;
    println!(
        "{}: scenario {}, seed {}, by {}",
        recording.log.path().display(),
        header.case,
        header.seed,
        header.program
    );
    println!("  robot {}, {} joints, cycle {}", header.layout.robot, header.layout.joints.len(), header.layout.period);
    println!("  {} cycles, {end} simulated, {} saved states", last + 1, recording.log.snapshots()?.len());
    println!("  topics: {}", recording.log.topics().join(" "));
    for file in &header.attachments {
        println!("  attached: {} ({} bytes)", file.name, file.bytes.len());
    }
    for event in recording.log.events()? {
        println!("  {:>10}  {:7}  {}", event.time.to_string(), event.severity.to_string(), event.message);
    }
    Ok(Outcome::Passed)
}

#[cfg(feature = "viewer")]
fn watch(recording: &Recording) -> Result<Outcome, ScenarioError> {
    station::ready()?;
    let folder = recording.log.path().parent().unwrap_or(Path::new("."));
    crate::viewer::watch_log(recording, folder)?;
    Ok(Outcome::Passed)
}

#[cfg(feature = "viewer")]
fn screenshot(recording: &Recording, at: Time, path: &Path) -> Result<Outcome, ScenarioError> {
    let (begin, (_, end)) = (recording.begin()?, recording.end()?);
    if !(begin..=end).contains(&at) {
        return Err(ScenarioError::Usage(format!(
            "--at: expected {begin} to {end}, the log's beginning and end, found {at}"
        )));
    }
    let mut runner = recording.runner_at(at)?;
    runner.cycle()?;
    crate::pictures::screenshot(&recording.stage, &crate::moment::Moment::of(runner.session()), path)?;
    Ok(Outcome::Passed)
}

#[cfg(not(feature = "viewer"))]
fn watch(_: &Recording) -> Result<Outcome, ScenarioError> {
    Err(super::no_viewer())
}

#[cfg(not(feature = "viewer"))]
fn screenshot(_: &Recording, _: Time, _: &Path) -> Result<Outcome, ScenarioError> {
    Err(super::no_viewer())
}
