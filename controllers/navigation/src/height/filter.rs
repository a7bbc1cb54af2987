//! The median filter, after Huang, Yang and Tang, "A fast two-dimensional median filtering algorithm" (1979): a histogram moves
//! along with the window, so that a step costs two columns of it and not the whole.

use super::{GridFrame, Ground, HeightSettings, Heights};

/// Width of the histogram's bins [m].
const BIN: f64 = 0.004;
/// Heights further above the lowest than this share the last bin [m].
const RANGE: f64 = 16.0;
const UNKNOWN: u16 = u16::MAX;

/// Replaces heights by the median of their windows. A cell that is well measured, or
/// filled in, and stands out from its window is left as it is.
pub(super) fn filter(heights: &mut Heights, settings: &HeightSettings) {
    let radius = libm::floor(settings.filter_radius / heights.frame.cell + 1e-9) as usize;
    if radius == 0 || heights.frame.is_empty() {
        return;
    }
    let low = heights.height.iter().copied().fold(f64::INFINITY, f64::min);
    let bin_of = |height: f64| (libm::floor((height - low) / BIN) as usize).min((RANGE / BIN) as usize) as u16;
    let bins: Vec<u16> = heights.height.iter().map(|h| if h.is_nan() { UNKNOWN } else { bin_of(*h) }).collect();
    let medians = median_bins(&heights.frame, &bins, radius);
    for (cell, bin) in medians.into_iter().enumerate() {
        let (height, ground) = (heights.height[cell], heights.ground[cell]);
        let median = low + (f64::from(bin) + 0.5) * BIN;
        let stands_out = (height - median).abs() > settings.filter_limit;
        // half a bin nearer is nothing but rounding
        let rounding = (height - median).abs() <= 0.5 * BIN;
        if !height.is_nan() && !rounding && (ground == Ground::Weak || !stands_out) {
            heights.height[cell] = median;
        }
    }
}

/// Counts of bins in a window, and where its median is.
struct Histogram {
    counts: Vec<u16>,
    total: usize,
    /// The bin that holds the median, and how many values lie in the bins before it.
    bin: usize,
    before: usize,
}

impl Histogram {
    fn new(bins: usize) -> Histogram {
        Histogram { counts: vec![0; bins], total: 0, bin: 0, before: 0 }
    }

    fn add(&mut self, bin: u16) {
        if bin != UNKNOWN {
            self.counts[usize::from(bin)] += 1;
            self.total += 1;
            self.before += usize::from(usize::from(bin) < self.bin);
        }
    }

    fn take(&mut self, bin: u16) {
        if bin != UNKNOWN {
            self.counts[usize::from(bin)] -= 1;
            self.total -= 1;
            self.before -= usize::from(usize::from(bin) < self.bin);
        }
    }

    /// The bin of the middle value; of the lower one of two.
    fn median(&mut self) -> u16 {
        let Some(last) = self.total.checked_sub(1) else { return UNKNOWN };
        let wanted = last / 2;
        while self.before > wanted {
            self.bin -= 1;
            self.before -= usize::from(self.counts[self.bin]);
        }
        while self.before + usize::from(self.counts[self.bin]) <= wanted {
            self.before += usize::from(self.counts[self.bin]);
            self.bin += 1;
        }
        self.bin as u16
    }
}

/// The median bin of each cell's window.
fn median_bins(frame: &GridFrame, bins: &[u16], radius: usize) -> Vec<u16> {
    let (columns, rows) = (frame.columns, frame.rows);
    let highest = bins.iter().copied().filter(|bin| *bin != UNKNOWN).max().unwrap_or(0);
    let mut histogram = Histogram::new(usize::from(highest) + 1);
    let mut medians = Vec::with_capacity(bins.len());
    for row in 0..rows {
        let window = row.saturating_sub(radius)..(row + radius + 1).min(rows);
        let column_of = |column: usize| window.clone().map(move |r| bins[r * columns + column]);
        (0..radius.min(columns)).flat_map(column_of).for_each(|bin| histogram.add(bin));
        for column in 0..columns {
            if column + radius < columns {
                column_of(column + radius).for_each(|bin| histogram.add(bin));
            }
            if column > radius {
                column_of(column - radius - 1).for_each(|bin| histogram.take(bin));
            }
            medians.push(histogram.median());
        }
        (columns.saturating_sub(radius + 1)..columns).flat_map(column_of).for_each(|bin| histogram.take(bin));
    }
    medians
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slow_median(frame: &GridFrame, bins: &[u16], radius: i32, cell: usize) -> u16 {
        let steps = (-radius..=radius).flat_map(|along| (-radius..=radius).map(move |across| (across, along)));
        let window = steps.filter_map(|(across, along)| frame.neighbour(cell, across, along));
        let mut values: Vec<u16> = window.map(|other| bins[other]).filter(|bin| *bin != UNKNOWN).collect();
        values.sort_unstable();
        values.len().checked_sub(1).map_or(UNKNOWN, |last| values[last / 2])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn the_moving_histogram_finds_what_sorting_finds(
            columns in 1_usize..14,
            radius in 1_usize..4,
            values in proptest::collection::vec(prop_oneof![4 => 0_u16..40, 1 => Just(UNKNOWN)], 14..140),
        ) {
            let rows = values.len() / columns;
            let frame = GridFrame { cell: 1.0, columns, rows, ..GridFrame::default() };
            let bins = &values[..columns * rows];
            let medians = median_bins(&frame, bins, radius);
            for (cell, median) in medians.iter().enumerate() {
                prop_assert_eq!(*median, slow_median(&frame, bins, radius as i32, cell));
            }
        }
    }

    #[test]
    fn noise_goes_and_a_well_measured_stone_stays() {
        let frame = GridFrame { cell: 0.1, columns: 9, rows: 9, ..GridFrame::default() };
        let mut heights = Heights {
            frame,
            height: vec![0.0; 81],
            ground: vec![Ground::Measured; 81],
            spread: vec![0.0; 81],
            thin: Vec::new(),
        };
        (heights.height[20], heights.height[40]) = (0.015, 0.12);
        (heights.height[60], heights.ground[60]) = (0.3, Ground::Weak);
        filter(&mut heights, &HeightSettings::default());
        assert!(heights.height[20].abs() < 0.01 && heights.height[60].abs() < 0.01, "{heights:?}");
        assert_eq!(heights.height[40], 0.12);
    }
}
