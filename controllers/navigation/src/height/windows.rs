//! Sums and extremes over square windows, one direction after the other.

use super::GridFrame;

/// Smallest and largest value within `radius` cells in both directions, not-a-number ignored; not-a-number where all are.
pub(crate) fn window_extremes(frame: &GridFrame, values: &[f64], radius: usize) -> (Vec<f64>, Vec<f64>) {
    (separable(frame, values, radius, f64::min), separable(frame, values, radius, f64::max))
}

/// Sum of the values within `radius` cells in both directions.
pub(crate) fn box_sum(frame: &GridFrame, values: &[f64], radius: usize) -> Vec<f64> {
    separable(frame, values, radius, |a, b| a + b)
}

fn separable(frame: &GridFrame, values: &[f64], radius: usize, join: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    let (columns, rows) = (frame.columns, frame.rows);
    let mut across = Vec::with_capacity(values.len());
    for row in values.chunks_exact(columns.max(1)) {
        for column in 0..columns {
            let window = &row[column.saturating_sub(radius)..(column + radius + 1).min(columns)];
            across.push(window[1..].iter().fold(window[0], |sum, value| join(sum, *value)));
        }
    }
    let mut result = Vec::with_capacity(values.len());
    for row in 0..rows {
        let (first, end) = (row.saturating_sub(radius), (row + radius + 1).min(rows));
        let begin = result.len();
        result.extend_from_slice(&across[first * columns..(first + 1) * columns]);
        for other in first + 1..end {
            let source = &across[other * columns..(other + 1) * columns];
            result[begin..].iter_mut().zip(source).for_each(|(sum, value)| *sum = join(*sum, *value));
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_end_at_the_edge_and_ignore_what_is_unknown() {
        let frame = GridFrame { cell: 1.0, columns: 4, rows: 2, ..GridFrame::default() };
        let values = [1.0, f64::NAN, 3.0, 9.0, 4.0, 5.0, -6.0, 2.0];
        let (low, high) = window_extremes(&frame, &values, 1);
        assert_eq!(low, [1.0, -6.0, -6.0, -6.0, 1.0, -6.0, -6.0, -6.0]);
        assert_eq!(high, [5.0, 5.0, 9.0, 9.0, 5.0, 5.0, 9.0, 9.0]);
        assert_eq!(box_sum(&frame, &[1.0; 8], 1), [4.0, 6.0, 6.0, 4.0, 4.0, 6.0, 6.0, 4.0]);
    }
}
