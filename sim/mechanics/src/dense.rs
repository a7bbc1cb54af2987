//! Small full systems of equations, in memory that is used again.

/// Solves `size` equations in place by elimination with the largest pivots; `rows` has one row after the other, each with its right side at its
/// end. False if there is no one solution.
pub(crate) fn solve(rows: &mut [f64], size: usize, solution: &mut Vec<f64>) -> bool {
    let width = size + 1;
    for pivot in 0..size {
        let at = |row: usize| row * width + pivot;
        let largest = (pivot + 1..size)
            .fold(pivot, |best, row| if rows[at(row)].abs() > rows[at(best)].abs() { row } else { best });
        let (above, below) = rows.split_at_mut((pivot + 1) * width);
        let own = &mut above[pivot * width + pivot..];
        if largest > pivot {
            own.swap_with_slice(&mut below[(largest - pivot - 1) * width + pivot..][..width - pivot]);
        }
        let inverse = 1.0 / own[0];
        if !inverse.is_finite() {
            return false;
        }
        for row in below.chunks_exact_mut(width) {
            let (first, others) = row[pivot..].split_at_mut(1);
            let factor = first[0] * inverse;
            others.iter_mut().zip(&own[1..]).for_each(|(value, own)| *value -= factor * own);
        }
    }
    solution.clear();
    solution.resize(size, 0.0);
    for row in (0..size).rev() {
        let own = &rows[row * width..(row + 1) * width];
        let known: f64 = own[row + 1..size].iter().zip(&solution[row + 1..]).map(|(value, x)| value * x).sum();
        solution[row] = (own[size] - known) / own[row];
    }
    true
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_solves_what_nalgebra_solves(size in 1_usize..19, numbers in proptest::collection::vec(-1.0_f64..1.0, 666)) {
            // 1 + R W, both symmetric and positive
            let square = |from: usize| {
                let half = DMatrix::from_row_slice(size, size, &numbers[from..from + size * size]);
                &half * half.transpose()
            };
            let matrix = DMatrix::identity(size, size) + square(0) * square(324).map(|number| 10.0 * number);
            let right = DVector::from_column_slice(&numbers[648..648 + size]);
            let wanted = matrix.clone().lu().solve(&right);
            let mut rows = matrix.insert_column(size, 0.0);
            rows.set_column(size, &right);
            let mut rows: Vec<f64> = rows.transpose().as_slice().to_vec();
            let mut found = Vec::new();
            prop_assert!(solve(&mut rows, size, &mut found));
            let error = (DVector::from_vec(found) - wanted.unwrap_or(right)).norm();
            prop_assert!(error < 1e-9, "{error}");
        }
    }

    #[test]
    fn it_says_when_there_is_no_one_answer() {
        let mut rows = [0.0, 0.0, 0.0, 1.0, 1.0, 2.0, 3.0, 1.0, 3.0, 2.0, 1.0, 1.0];
        assert!(!solve(&mut rows, 3, &mut Vec::new()));
    }

    #[test]
    fn it_needs_no_order_of_the_rows() {
        let mut found = Vec::new();
        assert!(solve(&mut [0.0, 2.0, 4.0, 3.0, 0.0, 9.0], 2, &mut found));
        assert_eq!(found, [3.0, 2.0]);
    }
}
