//! `chiron check`: many scenarios and seeds, no pictures.

use rayon::prelude::*;

use super::run::load_stage;
use crate::before::Before;
use crate::cli::{Changes, CheckArgs};
use crate::collected::Collected;
use crate::junit::{Ran, TestCase, to_xml};
use crate::outcome::Outcome;
use crate::progress::Progress;
use crate::refusal;
use crate::results::{expect_writable, write_whole};
use crate::seeds::Seeds;
use crate::{Case, Library, ScenarioError, Staffing, interrupt};

/// Runs every case with every seed; a line each, and JUnit XML on demand. After Ctrl-C no further run begins.
pub fn check(args: &CheckArgs, library: &Library, quiet: bool) -> Result<Outcome, ScenarioError> {
    interrupt::install();
    if let Some(kind) = args.map.map {
        return super::map::map(kind, args, library, quiet);
    }
    let cases = if args.cases.is_empty() { library.case_names()? } else { args.cases.clone() };
    expect_writable(args.junit.as_ref(), "--junit")?;
    expect_writable(args.results.as_ref(), "--results")?;
    let before = args.same_as.as_deref().map(Before::read).transpose()?;
    let collected = args.results.as_deref().map(Collected::open).transpose()?;
    let seeds: Vec<Option<u64>> = args.seeds.as_ref().map_or(vec![None], |seeds| seeds.iter().map(Some).collect());
    if let Some(remark) = args.seeds.as_ref().and_then(Seeds::remark) {
        println!("{remark}");
    }
    let todo: Vec<(&str, Option<u64>)> =
        cases.iter().flat_map(|case| seeds.iter().map(move |seed| (case.as_str(), *seed))).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.into()).build();
    let pool = pool.map_err(|error| ScenarioError::Usage(format!("--jobs: {error}")))?;
    let one = |(case, seed): &(&str, Option<u64>)| {
        if interrupt::requested() {
            return Ok(None);
        }
        let changes = Changes { seed: *seed, ends: args.ends.clone(), ..Changes::default() };
        let mut run = run_one(library, case, &changes);
        if run.outcome().is_some_and(|outcome| outcome.interrupted) {
            return Ok(None);
        }
        if let (Some(before), Ran::Finished(outcome)) = (&before, &mut run.result) {
            before.judge(outcome);
        }
        line(&run, quiet).into_iter().for_each(|line| println!("{line}"));
        if let (Some(collected), Some(outcome)) = (&collected, run.outcome()) {
            collected.add(outcome)?;
        }
        Ok(Some(run))
    };
    let runs: Result<Vec<Option<TestCase>>, ScenarioError> =
        pool.install(|| todo.par_iter().with_max_len(1).map(one).collect());
    let runs: Vec<TestCase> = runs?.into_iter().flatten().collect();
    if let Some(path) = &args.junit {
        write_whole(path, to_xml(&runs).as_bytes())?;
    }
    summarise(&runs)
}

fn run_one(library: &Library, case: &str, changes: &Changes) -> TestCase {
    let (seed, result) = match outcome(library, case, changes) {
        Ok(result) => result,
        Err(error) => (changes.seed.unwrap_or_default(), Ran::Broken(error.to_string())),
    };
    TestCase { case: case.to_owned(), seed, result }
}

/// A scenario's seed and what came of it. One that means nothing on the plant of the command line is left out.
fn outcome(library: &Library, name: &str, changes: &Changes) -> Result<(u64, Ran), ScenarioError> {
    let case = Case::load(library, name)?;
    if let Some(why) = changes.ends.plant.as_ref().and_then(|plant| case.senseless_on(plant)) {
        return Ok((changes.seed.unwrap_or(case.seed), Ran::LeftOut(why)));
    }
    let stage = load_stage(library, name, changes)?;
    let finished = refusal::run(&stage, Staffing::default(), None, &mut Progress::silent())?;
    Ok((stage.case.seed, Ran::Finished(Box::new(finished.outcome))))
}

/// A run in a line, and one more for each check that failed; a quiet terminal shows no more than what went wrong.
fn line(run: &TestCase, quiet: bool) -> Option<String> {
    match &run.result {
        Ran::Broken(message) => Some(format!("ERROR   {} seed {}: {message}", run.case, run.seed)),
        Ran::LeftOut(why) => (!quiet).then(|| format!("not run {:28} seed {:<4} {why}", run.case, run.seed)),
        Ran::Finished(outcome) => {
            (!quiet || !outcome.passed).then(|| super::deliver::line(&run.case, run.seed, outcome))
        }
    }
}

/// Bad input weighs more than a failed check: it is an error of the whole command.
fn summarise(runs: &[TestCase]) -> Result<Outcome, ScenarioError> {
    let failed = runs.iter().filter(|run| run.has_failed()).count();
    let passed = runs.iter().filter_map(TestCase::outcome).count() - failed;
    let left_out = runs.iter().filter(|run| run.left_out().is_some()).count();
    let broken: Vec<&str> = runs.iter().filter_map(TestCase::error).collect();
    println!("{passed} passed, {failed} failed, {left_out} not run, {} in error", broken.len());
    match broken.first() {
        Some(message) => Err(ScenarioError::Usage((*message).to_owned())),
        None if interrupt::requested() => Ok(Outcome::Interrupted),
        None if failed > 0 => Ok(Outcome::Failed),
        None => Ok(Outcome::Passed),
    }
}
