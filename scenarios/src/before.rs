//! What runs came to before, to see that they still come to the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::ScenarioError;
use crate::checks::Verdict;
use crate::outcome::RunOutcome;
use crate::table::{self, Run};

/// Results of earlier runs, by scenario, plant and seed.
#[derive(Clone, Debug)]
pub struct Before {
    path: PathBuf,
    runs: BTreeMap<(String, String, u64), Run>,
}

impl Before {
    /// Reads a `metrics.json`, or what `chiron check --results` has written. Of runs with the same scenario, plant and seed the last counts.
    pub fn read(path: &Path) -> Result<Before, ScenarioError> {
        let key = |run: &Run| (run.case.clone(), run.plant.clone(), run.seed);
        let runs = table::read(path)?.into_iter().map(|run| (key(&run), run)).collect();
        Ok(Before { path: path.to_owned(), runs })
    }

    /// Adds a check that the run came to the same digest as before. One that is not there has failed: nobody knows.
    pub fn judge(&self, outcome: &mut RunOutcome) {
        let key = (outcome.case.clone(), outcome.plant.clone(), outcome.seed);
        let verdict = self.verdict(self.runs.get(&key), outcome);
        outcome.passed &= verdict.passed;
        outcome.checks.push(verdict);
    }

    fn verdict(&self, before: Option<&Run>, now: &RunOutcome) -> Verdict {
        let file = self.path.display();
        let verdict = |name: String, value: Option<f64>, passed: bool| {
            let limit = value.map(|_| 0.0);
            Verdict { name, value, limit, unit: "metrics that differ", passed, remark: "" }
        };
        let Some(before) = before else {
            return verdict(format!("digest as in {file}, which has no such run"), None, false);
        };
        let others: Vec<String> = others(&before.metrics, &now.metrics).collect();
        let is_same = before.digest.as_ref() == Some(&now.digest);
        let there = before.digest.as_deref().unwrap_or("none");
        let name = match others.first() {
            _ if is_same => format!("digest as in {file}"),
            None => format!("digest as in {file}, {there} there"),
            Some(first) => format!("digest as in {file}, {there} there; {first}"),
        };
        verdict(name, Some(others.len() as f64), is_same)
    }
}

/// The metrics that were others, each with what it was and is.
fn others<'m>(
    before: &'m BTreeMap<String, Option<f64>>,
    now: &'m BTreeMap<String, Option<f64>>,
) -> impl Iterator<Item = String> + use<'m> {
    let number = |value: Option<f64>| value.map_or_else(|| "nothing".to_owned(), |value| value.to_string());
    before.iter().filter_map(move |(name, was)| {
        let is = now.get(name).copied().flatten();
        (!is_same(*was, is)).then(|| format!("{name} was {}, is {}", number(*was), number(is)))
    })
}

/// Numbers in files are read to the last bit but one.
fn is_same(was: Option<f64>, is: Option<f64>) -> bool {
    match (was, is) {
        (Some(was), Some(is)) => (was - is).abs() <= 1e-12 * was.abs(),
        (was, is) => was == is,
    }
}
