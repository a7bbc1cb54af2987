//! The signals of a whole log, to be plotted from end to end.

use std::collections::BTreeMap;
use std::sync::Arc;

/// Signals over time, by name with unit.
#[derive(Clone, Debug, Default)]
pub struct LogSignals(BTreeMap<String, Column>);

#[derive(Clone, Debug)]
struct Column {
    /// [s], rising; many columns share them.
    times: Arc<[f64]>,
    values: Vec<f32>,
}

impl LogSignals {
    /// Adds a signal: a value for each time [s], which rise. One that has no value that is a number is left out.
    pub fn insert(&mut self, name: &str, times: &Arc<[f64]>, values: Vec<f32>) {
        if values.iter().any(|value| value.is_finite()) {
            self.0.insert(name.to_owned(), Column { times: Arc::clone(times), values });
        }
    }

    /// The names, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Time [s] and value from one time to another, with one sample beyond at each end; about `most` of them: where there are more,
    /// the smallest and the largest of each stretch, so that no peak is lost. `None` if there is no such signal.
    pub fn points(&self, name: &str, from: f64, to: f64, most: usize) -> Option<Vec<[f64; 2]>> {
        let Column { times, values } = self.0.get(name)?;
        let begin = times.partition_point(|time| *time < from).saturating_sub(1);
        let end = (times.partition_point(|time| *time <= to) + 1).min(times.len()).min(values.len());
        let samples: Vec<[f64; 2]> = (begin..end.max(begin))
            .map(|index| [times[index], f64::from(values[index])])
            .filter(|[_, value]| value.is_finite())
            .collect();
        if samples.len() <= most.max(4) {
            return Some(samples);
        }
        let stretch = (2 * samples.len()).div_ceil(most.max(4));
        Some(samples.chunks(stretch).flat_map(extremes).collect())
    }
}

/// The smallest and the largest sample, in order of time.
fn extremes(samples: &[[f64; 2]]) -> impl Iterator<Item = [f64; 2]> {
    let low = samples.iter().min_by(|a, b| a[1].total_cmp(&b[1])).copied();
    let high = samples.iter().max_by(|a, b| a[1].total_cmp(&b[1])).copied();
    let (first, second) = if low.map(|at| at[0]) <= high.map(|at| at[0]) { (low, high) } else { (high, low) };
    first.into_iter().chain(second.filter(move |at| first.is_some_and(|first| first[0] != at[0])))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn ramp(samples: usize) -> LogSignals {
        let times: Arc<[f64]> = (0..samples).map(|index| index as f64 * 0.01).collect();
        let mut signals = LogSignals::default();
        let mut values: Vec<f32> = (0..samples).map(|index| index as f32).collect();
        values[samples / 2] = 1e6;
        signals.insert("ramp [m]", &times, values);
        signals.insert("nothing [m]", &times, vec![f32::NAN; samples]);
        signals
    }

    #[test]
    fn a_peak_of_one_sample_is_seen_however_long_the_log() {
        let points = ramp(100_000).points("ramp [m]", 0.0, 1e9, 1_000).unwrap();
        assert!(points.len() <= 1_001, "{}", points.len());
        assert!(points.iter().any(|point| point[1] == 1e6));
        assert!(points.windows(2).all(|pair| pair[0][0] < pair[1][0]), "in order of time");
    }

    #[test]
    fn a_stretch_of_time_has_its_samples_and_a_neighbour_at_each_end() {
        let points = ramp(1_000).points("ramp [m]", 1.005, 1.025, 1_000).unwrap();
        let values: Vec<f64> = points.iter().map(|point| point[1]).collect();
        assert_eq!(values, [100.0, 101.0, 102.0, 103.0]);
    }

    #[test]
    fn what_has_no_value_is_not_there() {
        let signals = ramp(10);
        assert_eq!(signals.names().collect::<Vec<_>>(), ["ramp [m]"]);
        assert!(signals.points("nothing [m]", 0.0, 1.0, 10).is_none());
    }
}
