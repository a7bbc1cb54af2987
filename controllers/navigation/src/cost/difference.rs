//! Height differences at several scales (Momaro, sections 6.1 and 6.2).

use super::CostSettings;
use crate::height::{GridFrame, box_sum, window_extremes};

/// The scales of the paper [cells].
pub(super) const SCALES: [usize; 3] = [1, 3, 6];

/// D_l of equation 1: the largest difference of a cell's height from those within `scale` cells in both directions;
/// not-a-number where the cell or all others are unknown.
///
/// As printed, the window is |u − x| < l and leaves out the cell's whole row and column; it would be empty for l = 1. Taken
/// here as |u − x| ≤ l without the cell itself.
pub fn difference(frame: &GridFrame, heights: &[f64], scale: usize) -> Vec<f64> {
    let (low, high) = window_extremes(frame, heights, scale);
    let known: Vec<f64> = heights.iter().map(|height| f64::from(u8::from(!height.is_nan()))).collect();
    let known = box_sum(frame, &known, scale);
    let cells = heights.iter().zip(low.iter().zip(&high)).zip(&known);
    let largest = |height: f64, low: f64, high: f64| (high - height).max(height - low);
    cells.map(|((h, (low, high)), known)| if *known > 1.5 { largest(*h, *low, *high) } else { f64::NAN }).collect()
}

/// D̃ of equation 2: the weighted sum of the differences at all scales, the larger scales limited. Not-a-number where a cell
/// is unknown.
pub fn combined_difference(frame: &GridFrame, heights: &[f64], settings: &CostSettings) -> Vec<f64> {
    let mut sum = vec![0.0; heights.len()];
    for (scale, weight) in SCALES.into_iter().zip(settings.weights) {
        let limit = if scale == 1 { f64::INFINITY } else { settings.largest_share };
        let differences = difference(frame, heights, scale);
        for (sum, difference) in sum.iter_mut().zip(differences) {
            // a cell without neighbours at one scale may have some at the next: the sum goes over what is known
            *sum += if difference.is_nan() { 0.0 } else { (weight * difference).min(limit) };
        }
    }
    sum.iter_mut().zip(heights).filter(|(_, height)| height.is_nan()).for_each(|(sum, _)| *sum = f64::NAN);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(columns: usize, rows: usize) -> GridFrame {
        GridFrame { cell: 0.1, columns, rows, ..GridFrame::default() }
    }

    #[test]
    fn differences_by_hand() {
        let heights = [0.0, 0.1, 0.4, f64::NAN, f64::NAN, f64::NAN, 1.0];
        let one = difference(&frame(7, 1), &heights, 1);
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
        assert!(close(one[0], 0.1) && close(one[1], 0.3) && close(one[2], 0.3), "{one:?}");
        assert!(one[3].is_nan(), "unknown itself");
        assert!(one[6].is_nan(), "no known neighbours");
        let six = difference(&frame(7, 1), &heights, 6);
        assert!(close(six[0], 1.0) && close(six[2], 0.6) && close(six[6], 1.0), "{six:?}");
    }

    #[test]
    fn the_combined_difference_by_hand() {
        // a stone of 10 cm in the middle of a plane: at the stone 2.2·0.1 + 3.6·0.1 + 2.5·0.1
        let mut heights = vec![0.0; 21 * 21];
        heights[10 * 21 + 10] = 0.1;
        let settings = CostSettings::default();
        let d = combined_difference(&frame(21, 21), &heights, &settings);
        let at = |column: usize, row: usize| d[row * 21 + column];
        assert!((at(10, 10) - 0.83).abs() < 1e-12 && (at(11, 11) - 0.83).abs() < 1e-12, "{}", at(10, 10));
        assert!((at(13, 10) - 0.61).abs() < 1e-12, "scales 3 and 6: {}", at(13, 10));
        assert!((at(16, 16) - 0.25).abs() < 1e-12, "scale 6 alone: {}", at(16, 16));
        assert_eq!(at(17, 10), 0.0);
        // a wall of 1 m: 2.2 + 0.5 + 0.5, the larger scales limited
        heights[10 * 21 + 10] = 1.0;
        let d = combined_difference(&frame(21, 21), &heights, &settings);
        assert!((d[10 * 21 + 10] - 3.2).abs() < 1e-12 && (d[10 * 21 + 13] - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_smooth_slope_of_15_degrees_is_no_obstacle() {
        let rise = 0.1 * libm::tan(15.0_f64.to_radians());
        let heights: Vec<f64> =
            (0..900).map(|i| rise * ((i % 30) as f64 + (i / 30) as f64) / libm::sqrt(2.0)).collect();
        let d = combined_difference(&frame(30, 30), &heights, &CostSettings::default());
        assert!(d[15 * 30 + 15] > 0.9 && d[15 * 30 + 15] < 1.0, "{}", d[15 * 30 + 15]);
    }
}
