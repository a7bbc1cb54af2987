//! The results of many runs as a table for the documentation: a row per scenario and plant.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use serde::Deserialize;

use crate::ScenarioError;
use crate::checks::{Metric, Signal};

/// What tables and later runs need to know of a run, as `metrics.json` has it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Run {
    /// The scenario.
    pub case: String,
    /// What stood behind the plug.
    pub plant: String,
    /// The seed.
    pub seed: u64,
    /// True if every check held.
    pub passed: bool,
    /// The metrics that the scenario names.
    pub metrics: BTreeMap<String, Option<f64>>,
    /// The digest of all cycles' digests.
    pub digest: Option<String>,
}

/// Reads the runs of a `metrics.json` or of what `chiron check --results` has written.
pub fn read(path: &Path) -> Result<Vec<Run>, ScenarioError> {
    let file = File::open(path).map_err(|error| ScenarioError::file(path, "open", &error))?;
    let runs = serde_json::Deserializer::from_reader(BufReader::new(file)).into_iter::<Run>();
    let wrong = |error: serde_json::Error| ScenarioError::File {
        path: path.to_owned(),
        message: format!("expected results of `chiron run` or `chiron check --results`: {error}"),
    };
    runs.map(|run| run.map_err(wrong)).collect()
}

/// Markdown: for each scenario a table with a row per plant, or per run if `each`. Of runs with the same scenario, plant and
/// seed the last one counts.
pub fn to_markdown(runs: Vec<Run>, each: bool) -> String {
    let mut by_case: BTreeMap<String, BTreeMap<String, BTreeMap<u64, Run>>> = BTreeMap::new();
    for run in runs {
        let plants = by_case.entry(run.case.clone()).or_default();
        plants.entry(run.plant.clone()).or_default().insert(run.seed, run);
    }
    by_case.iter().map(|(case, plants)| of_case(case, plants, each)).collect()
}

fn of_case(case: &str, plants: &BTreeMap<String, BTreeMap<u64, Run>>, each: bool) -> String {
    let all = plants.values().flat_map(BTreeMap::values);
    let metrics: BTreeSet<&String> = all.flat_map(|run| run.metrics.keys()).collect();
    let heads: String = metrics.iter().map(|metric| format!(" {} |", head(metric))).collect();
    let rule = "---|".repeat(metrics.len());
    let mut text = format!("`{case}`\n\n| plant | passed |{heads}\n|---|---|{rule}\n");
    for (plant, runs) in plants {
        if each {
            runs.values().for_each(|run| write_run(&mut text, run, &metrics));
        }
        let cells: String = metrics.iter().map(|metric| range(&column(runs, metric))).collect();
        // a String takes everything that is written to it
        let _ = writeln!(text, "| {plant} | {} |{cells}", passed(runs));
    }
    text + "\n"
}

fn write_run(text: &mut String, run: &Run, metrics: &BTreeSet<&String>) {
    let cells: String = metrics.iter().map(|metric| cell(run.metrics.get(*metric).copied().flatten())).collect();
    let passed = if run.passed { "yes" } else { "**no**" };
    let _ = writeln!(text, "| {}, seed {} | {passed} |{cells}", run.plant, run.seed);
}

/// How many passed, and the seeds of those that did not.
fn passed(runs: &BTreeMap<u64, Run>) -> String {
    let failed: Vec<String> = runs.values().filter(|run| !run.passed).map(|run| run.seed.to_string()).collect();
    let count = format!("{} of {}", runs.len() - failed.len(), runs.len());
    if failed.is_empty() { count } else { format!("**{count}**, not {}", failed.join(", ")) }
}

/// A metric's name with its unit.
fn head(metric: &str) -> String {
    let unit = metric.parse::<Metric>().map_or("", |Metric { signal, .. }| Signal::unit(signal));
    format!("{metric} [{unit}]")
}

fn column(runs: &BTreeMap<u64, Run>, metric: &str) -> Vec<f64> {
    let mut values: Vec<f64> = runs.values().filter_map(|run| run.metrics.get(metric).copied().flatten()).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// Smallest, median and largest.
fn range(sorted: &[f64]) -> String {
    match [0.0, 0.5, 1.0].map(|share| quantile(sorted, share)) {
        [Some(smallest), Some(median), Some(largest)] => format!(" {smallest:.3} / {median:.3} / {largest:.3} |"),
        _ => cell(None),
    }
}

/// The value at a share of a sorted column; of an even number the median is the mean of the middle two.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let (below, above) = (sorted.get(place.floor() as usize)?, sorted.get(place.ceil() as usize)?);
    Some(0.5 * (below + above))
}

fn cell(value: Option<f64>) -> String {
    value.map_or(" – |".to_owned(), |value| format!(" {value:.3} |"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn run(seed: u64, passed: bool, error: f64) -> Run {
        let metrics = BTreeMap::from([("slam_error.final".to_owned(), Some(error))]);
        Run { case: "a".to_owned(), plant: "sim".to_owned(), seed, passed, metrics, digest: None }
    }

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!([0.0, 0.5, 1.0].map(|share| quantile(&sorted, share)), [Some(1.0), Some(3.0), Some(8.0)]);
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_run_that_was_made_again_counts_once_and_failed_seeds_are_named() {
        let page = to_markdown(vec![run(1, true, 0.5), run(2, true, 0.25), run(1, false, 0.75)], false);
        assert!(page.contains("slam_error.final [m]"), "{page}");
        assert!(page.contains("| sim | **1 of 2**, not 1 | 0.250 / 0.500 / 0.750 |"), "{page}");
    }

    #[test]
    fn what_is_no_result_is_refused_with_file_and_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let good = r#"{"case":"a","plant":"sim","seed":3,"passed":true,"metrics":{"tilt.max":null}}"#;
        std::fs::write(&path, format!("{good}\n{{\"case\": 7}}\n")).unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(message.contains("results.jsonl") && message.contains("line 2"), "{message}");
    }
}
