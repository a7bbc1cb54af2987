//! How long things took, cycle by cycle, kept without allocating.

use std::fmt;

use hdrhistogram::Histogram;
use robot_io::{IoError, Period};
use serde::Serialize;

use crate::HilError;

/// The longest time that is told apart from longer ones [ns]: a second.
const LONGEST: u64 = 1_000_000_000;
/// Significant digits: 0.1 %.
const DIGITS: u8 = 3;

/// What one cycle took [ns].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleTimes {
    /// How far its beginning was from one period after the last one's beginning, either way.
    pub jitter: u64,
    /// From sending to the last answer.
    pub round_trip: u64,
    /// How late it began.
    pub lateness: u64,
    /// The controller's part.
    pub controller: u64,
    /// From its beginning to its end.
    pub whole: u64,
}

/// The histograms of a run. [`record`](Histograms::record) allocates nothing: all buckets are there from the beginning,
/// and a time above a second counts as a second.
#[derive(Clone, Debug)]
pub struct Histograms {
    period: Period,
    misses: u64,
    rows: [Histogram<u64>; ROWS.len()],
}

/// What is kept, in the order of [`CycleTimes`].
const ROWS: [&str; 5] = ["cycle jitter", "round trip", "lateness", "controller", "whole cycle"];

/// What a report shows of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// How many cycles were counted.
    pub cycles: u64,
    /// The cycle's period [µs].
    pub period_us: f64,
    /// Cycles that ended after their period had passed.
    pub deadline_misses: u64,
    /// What each part took.
    pub rows: Vec<SummaryRow>,
}

/// What one part of all cycles took [µs].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummaryRow {
    /// Which part.
    pub name: &'static str,
    /// Half of them took no longer.
    pub p50_us: f64,
    /// Nine in ten.
    pub p90_us: f64,
    /// 99 in a hundred.
    pub p99_us: f64,
    /// 999 in a thousand.
    pub p999_us: f64,
    /// The longest.
    pub max_us: f64,
}

impl Histograms {
    /// Empty histograms for cycles of `period`. They take about 0.9 MB, once.
    pub fn new(period: Period) -> Result<Histograms, HilError> {
        let rows = [empty()?, empty()?, empty()?, empty()?, empty()?];
        Ok(Histograms { period, misses: 0, rows })
    }

    /// Counts one cycle. It misses its deadline if, late as it began, it ended after its period.
    pub fn record(&mut self, times: &CycleTimes) {
        let CycleTimes { jitter, round_trip, lateness, controller, whole } = *times;
        for (row, time) in self.rows.iter_mut().zip([jitter, round_trip, lateness, controller, whole]) {
            row.saturating_record(time);
        }
        self.misses += u64::from(lateness.saturating_add(whole) > self.period.nanoseconds());
    }

    /// Forgets all cycles, as after a warm-up.
    pub fn clear(&mut self) {
        self.misses = 0;
        self.rows.iter_mut().for_each(Histogram::reset);
    }

    /// What there is to show.
    pub fn summary(&self) -> Summary {
        let rows = ROWS.iter().zip(&self.rows).map(|(name, row)| SummaryRow {
            name,
            p50_us: quantile(row, 0.5),
            p90_us: quantile(row, 0.9),
            p99_us: quantile(row, 0.99),
            p999_us: quantile(row, 0.999),
            max_us: row.max() as f64 / 1e3,
        });
        Summary {
            cycles: self.rows[0].len(),
            period_us: self.period.nanoseconds() as f64 / 1e3,
            deadline_misses: self.misses,
            rows: rows.collect(),
        }
    }
}

fn quantile(row: &Histogram<u64>, share: f64) -> f64 {
    row.value_at_quantile(share).min(row.max()) as f64 / 1e3
}

/// With all its buckets. The error says that a constant of this file is wrong.
fn empty() -> Result<Histogram<u64>, HilError> {
    Histogram::new_with_bounds(1, LONGEST, DIGITS).map_err(|error| {
        let (what, expected) = ("a histogram of times [ns]", "bounds and digits that hdrhistogram accepts");
        HilError::Io(IoError::Value { what, expected, found: error.to_string() })
    })
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<14} {:>10} {:>10} {:>10} {:>10} {:>10}", "[µs]", "p50", "p90", "p99", "p99.9", "max")?;
        for row in &self.rows {
            let SummaryRow { name, p50_us, p90_us, p99_us, p999_us, max_us } = row;
            writeln!(f, "{name:<14} {p50_us:>10.1} {p90_us:>10.1} {p99_us:>10.1} {p999_us:>10.1} {max_us:>10.1}")?;
        }
        let Summary { cycles, period_us, deadline_misses, .. } = self;
        write!(f, "{cycles} cycles of {period_us} µs, {deadline_misses} missed their deadline")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    const PERIOD: Period = Period::from_milliseconds(1);

    fn times(whole: u64, lateness: u64) -> CycleTimes {
        CycleTimes { jitter: 10, round_trip: 2_000, lateness, controller: 300, whole }
    }

    #[test]
    fn quantiles_maxima_and_misses_are_counted() {
        let mut histograms = Histograms::new(PERIOD).unwrap();
        for cycle in 1..=1_000 {
            histograms.record(&times(cycle * 1_000, 500));
        }
        let summary = histograms.summary();
        assert_eq!((summary.cycles, summary.deadline_misses), (1_000, 1), "only 1000 µs and 0.5 µs late are too long");
        let whole = &summary.rows[4];
        assert!((whole.p50_us - 500.0).abs() < 1.0, "{}", whole.p50_us);
        assert!((whole.p99_us - 990.0).abs() < 1.0, "{}", whole.p99_us);
        assert!((whole.max_us - 1_000.0).abs() < 1.0, "{}", whole.max_us);
        histograms.clear();
        assert_eq!(histograms.summary().cycles, 0);
    }

    #[test]
    fn a_time_beyond_all_bounds_counts_as_the_longest() {
        let mut histograms = Histograms::new(PERIOD).unwrap();
        histograms.record(&times(u64::MAX, u64::MAX));
        let summary = histograms.summary();
        assert!(summary.rows[4].max_us >= 1e6, "{summary}");
        assert_eq!(summary.deadline_misses, 1);
    }

    #[test]
    fn the_table_has_a_line_for_each_part() {
        let mut histograms = Histograms::new(Period::from_milliseconds(4)).unwrap();
        histograms.record(&times(150_000, 0));
        let text = histograms.summary().to_string();
        assert_eq!(text.lines().count(), ROWS.len() + 2);
        assert!(text.ends_with("1 cycles of 4000 µs, 0 missed their deadline"), "{text}");
    }
}
