//! `chiron check`: many scenarios and seeds, no pictures.

use std::path::Path;

use rayon::prelude::*;

use super::run::{Changes, load_stage};
use crate::cli::{CheckArgs, Outcome};
use crate::junit::{TestCase, to_xml};
use crate::progress::Progress;
use crate::refusal;
use crate::{Library, ScenarioError, Staffing};

/// Runs every case with every seed; a line each, and JUnit XML on demand.
pub fn check(args: &CheckArgs, quiet: bool) -> Result<Outcome, ScenarioError> {
    let library = Library::find();
    let cases = if args.cases.is_empty() { library.case_names()? } else { args.cases.clone() };
    let seeds: Vec<Option<u64>> = args.seeds.clone().map_or(vec![None], |range| range.map(Some).collect());
    let todo: Vec<(String, Option<u64>)> =
        cases.iter().flat_map(|case| seeds.iter().map(move |seed| (case.clone(), *seed))).collect();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(args.jobs.max(1)).build();
    let pool = pool.map_err(|error| ScenarioError::Usage(format!("--jobs: {error}")))?;
    let one = |(case, seed): &(String, Option<u64>)| {
        run_one(&library, case, &Changes { seed: *seed, duration: None, plant: args.plant.clone(), twin: false }, quiet)
    };
    let runs: Vec<TestCase> = pool.install(|| todo.par_iter().map(one).collect());
    if let Some(path) = &args.junit {
        write(path, &to_xml(&runs))?;
    }
    summarise(&runs)
}

fn run_one(library: &Library, case: &str, changes: &Changes, quiet: bool) -> TestCase {
    let result = load_stage(library, case, changes).and_then(|stage| {
        let seed = stage.case.seed;
        let finished = refusal::run(&stage, Staffing::default(), None, &mut Progress::silent())?;
        Ok((seed, finished.outcome))
    });
    let run = match result {
        Ok((seed, outcome)) => TestCase { case: case.to_owned(), seed, result: Ok(outcome) },
        Err(error) => {
            TestCase { case: case.to_owned(), seed: changes.seed.unwrap_or_default(), result: Err(error.to_string()) }
        }
    };
    println!("{}", line(&run, quiet));
    run
}

/// One line for a run, and one more for each check that failed.
fn line(run: &TestCase, quiet: bool) -> String {
    match &run.result {
        Err(message) => format!("ERROR   {} seed {}: {message}", run.case, run.seed),
        Ok(outcome) => {
            let mark = if outcome.passed { "passed" } else { "FAILED" };
            let failed = outcome.checks.iter().filter(|check| !check.passed && !quiet);
            let failed: String = failed
                .map(|check| {
                    let value = check.value.map_or("nothing".to_owned(), |value| format!("{value:.4} {}", check.unit));
                    format!("\n        {}: found {value}", check.name)
                })
                .collect();
            format!(
                "{mark}  {:28} seed {:<4} {:6.1} s simulated, {:5.2} × real time, digest {}{failed}",
                run.case, run.seed, outcome.simulated_s, outcome.real_time_factor, outcome.digest
            )
        }
    }
}

fn write(path: &Path, text: &str) -> Result<(), ScenarioError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| ScenarioError::file(folder, "create", &error))?;
    }
    std::fs::write(path, text).map_err(|error| ScenarioError::file(path, "write", &error))
}

/// Bad input weighs more than a failed check: it is an error of the whole command.
fn summarise(runs: &[TestCase]) -> Result<Outcome, ScenarioError> {
    let failed = runs.iter().filter(|run| matches!(&run.result, Ok(outcome) if !outcome.passed)).count();
    let broken: Vec<&str> = runs.iter().filter_map(|run| run.result.as_ref().err().map(String::as_str)).collect();
    println!("{} passed, {failed} failed, {} not run", runs.len() - failed - broken.len(), broken.len());
    match broken.first() {
        Some(message) => Err(ScenarioError::Usage((*message).to_owned())),
        None if failed > 0 => Ok(Outcome::Failed),
        None => Ok(Outcome::Passed),
    }
}
