//! The metrics of many seeds as a table for the documentation.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::checks::{Metric, Signal};
use crate::junit::TestCase;
use crate::outcome::RunOutcome;

/// Markdown: for each scenario a row per seed with the metrics that it names, then smallest, median and largest; `command` made it.
pub fn to_markdown(runs: &[TestCase], command: &str) -> String {
    let mut by_case: BTreeMap<&str, Vec<&RunOutcome>> = BTreeMap::new();
    for run in runs {
        if let Some(outcome) = run.outcome() {
            by_case.entry(&run.case).or_default().push(outcome);
        }
    }
    let mut text = format!("<!-- made by `{command}` -->\n");
    for (case, outcomes) in by_case {
        write_case(&mut text, case, &outcomes);
    }
    text
}

fn write_case(text: &mut String, case: &str, outcomes: &[&RunOutcome]) {
    let metrics: Vec<&String> = outcomes.first().map_or(Vec::new(), |first| first.metrics.keys().collect());
    let passed = outcomes.iter().filter(|outcome| outcome.passed).count();
    let heads: String = metrics.iter().map(|metric| format!(" {} |", head(metric))).collect();
    let rule = "---|".repeat(metrics.len());
    // a String takes everything that is written to it
    let _ = writeln!(
        text,
        "\n`{case}`: {passed} of {} passed.\n\n| seed | passed |{heads}\n|---|---|{rule}",
        outcomes.len()
    );
    for outcome in outcomes {
        let cells: String = metrics.iter().map(|metric| cell(value(outcome, metric))).collect();
        let _ = writeln!(text, "| {} | {} |{cells}", outcome.seed, if outcome.passed { "yes" } else { "**no**" });
    }
    for (name, pick) in [("smallest", 0.0), ("median", 0.5), ("largest", 1.0)] {
        let cells: String = metrics.iter().map(|metric| cell(quantile(&column(outcomes, metric), pick))).collect();
        let _ = writeln!(text, "| {name} | |{cells}");
    }
}

/// A metric's name with its unit.
fn head(metric: &str) -> String {
    let unit = metric.parse::<Metric>().map_or("", |Metric { signal, .. }| Signal::unit(signal));
    format!("{metric} [{unit}]")
}

fn value(outcome: &RunOutcome, metric: &str) -> Option<f64> {
    outcome.metrics.get(metric).copied().flatten()
}

fn column(outcomes: &[&RunOutcome], metric: &str) -> Vec<f64> {
    let mut values: Vec<f64> = outcomes.iter().filter_map(|outcome| value(outcome, metric)).collect();
    values.sort_by(f64::total_cmp);
    values
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
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!([0.0, 0.5, 1.0].map(|share| quantile(&sorted, share)), [Some(1.0), Some(3.0), Some(8.0)]);
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn a_column_is_headed_by_its_unit() {
        assert_eq!(head("slam_error.final"), "slam_error.final [m]");
    }
}
