//! How far a board's clock is from the reference clock, over a run.

use hdrhistogram::Histogram;
use serde::Serialize;

/// Digits of the histograms.
const DIGITS: u8 = 2;

/// One board's clock.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClockUse {
    /// The board's name in the bus file.
    pub board: String,
    /// How often it was asked.
    pub samples: u64,
    /// The smallest difference from the reference clock, with its sign [ns].
    pub min_ns: i64,
    /// The median [ns], to 1 %.
    pub median_ns: i64,
    /// The largest [ns].
    pub max_ns: i64,
}

/// Differences of either sign, by their magnitude.
#[derive(Debug)]
pub(super) struct ClockTally {
    board: String,
    below: Option<Histogram<u32>>,
    above: Option<Histogram<u32>>,
    ends: Option<(i64, i64)>,
}

impl ClockTally {
    pub fn new(board: &str) -> ClockTally {
        // two digits are possible; without a histogram nothing would be counted
        let histogram = || Histogram::new(DIGITS).ok();
        ClockTally { board: board.to_owned(), below: histogram(), above: histogram(), ends: None }
    }

    /// One difference [ns].
    pub fn note(&mut self, difference: i64) {
        let side = if difference < 0 { &mut self.below } else { &mut self.above };
        if let Some(histogram) = side {
            histogram.saturating_record(difference.unsigned_abs());
        }
        let (least, most) = self.ends.unwrap_or((difference, difference));
        self.ends = Some((least.min(difference), most.max(difference)));
    }

    /// What came of it; `None` for a clock that was never asked.
    pub fn outcome(&self) -> Option<ClockUse> {
        let ((min_ns, max_ns), below, above) = (self.ends?, self.below.as_ref()?, self.above.as_ref()?);
        let samples = below.len() + above.len();
        // the place of the median, from 0
        let middle = (samples - 1) / 2;
        let median = match middle.checked_sub(below.len()) {
            Some(place) => value_at(above, place),
            None => -value_at(below, below.len() - 1 - middle),
        };
        let median_ns = median.clamp(min_ns, max_ns);
        Some(ClockUse { board: self.board.clone(), samples, min_ns, median_ns, max_ns })
    }
}

/// The magnitude at a place, from 0, in order of size.
fn value_at(histogram: &Histogram<u32>, place: u64) -> i64 {
    histogram.value_at_quantile((place + 1) as f64 / histogram.len() as f64) as i64
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn of(differences: &[i64]) -> Option<(i64, i64, i64)> {
        let mut tally = ClockTally::new("hip");
        differences.iter().for_each(|difference| tally.note(*difference));
        tally.outcome().map(|clock| (clock.min_ns, clock.median_ns, clock.max_ns))
    }

    #[test]
    fn smallest_median_and_largest_keep_their_signs() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[-7]), Some((-7, -7, -7)));
        assert_eq!(of(&[5, -3, 1]), Some((-3, 1, 5)));
        assert_eq!(of(&[-30, -20, -10, 40]), Some((-30, -20, 40)));
        assert_eq!(of(&[0, 0, 0, -1_000_000, 3]), Some((-1_000_000, 0, 3)));
    }
}
