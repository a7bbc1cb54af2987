//! Small full systems of equations, in memory that is used again.

/// Solves `matrix` x = `right` in place, by elimination with the largest pivots; `matrix` is row after row and is used up. False if it is
/// singular.
pub(crate) fn solve(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let size = right.len();
    for pivot in 0..size {
        let (mut largest, mut row) = (0.0, pivot);
        for candidate in pivot..size {
            let found = matrix[candidate * size + pivot].abs();
            if found > largest {
                (largest, row) = (found, candidate);
            }
        }
        if !(largest > 0.0 && largest.is_finite()) {
            return false;
        }
        let (above, below) = matrix.split_at_mut((pivot + 1) * size);
        let own = &mut above[pivot * size..];
        if row > pivot {
            let start = (row - pivot - 1) * size;
            own.swap_with_slice(&mut below[start..start + size]);
            right.swap(pivot, row);
        }
        let inverse = 1.0 / own[pivot];
        let known = right[pivot];
        for (row, value) in below.chunks_exact_mut(size).zip(&mut right[pivot + 1..]) {
            let factor = row[pivot] * inverse;
            if factor != 0.0 {
                row[pivot + 1..].iter_mut().zip(&own[pivot + 1..]).for_each(|(value, own)| *value -= factor * own);
                *value -= factor * known;
            }
        }
    }
    for row in (0..size).rev() {
        let own = &matrix[row * size..(row + 1) * size];
        let known: f64 = own[row + 1..].iter().zip(&right[row + 1..]).map(|(value, right)| value * right).sum();
        right[row] = (right[row] - known) / own[row];
    }
    true
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    use super::solve;

    proptest! {
        #[test]
        fn it_solves_what_nalgebra_solves(size in 1_usize..20, numbers in proptest::collection::vec(-1.0_f64..1.0, 420)) {
            let matrix = DMatrix::from_row_slice(size, size, &numbers[..size * size]);
            let right = DVector::from_column_slice(&numbers[400..400 + size]);
            let Some(wanted) = matrix.clone().lu().solve(&right) else { return Ok(()) };
            let (mut rows, mut found) = (numbers[..size * size].to_vec(), numbers[400..400 + size].to_vec());
            prop_assert!(solve(&mut rows, &mut found));
            let error = (DVector::from_vec(found) - &wanted).norm();
            prop_assert!(error <= 1e-9 * (1.0 + wanted.norm()) * matrix.norm() / matrix.singular_values().min(), "{error}");
        }

        #[test]
        fn it_says_when_there_is_no_one_answer(row in proptest::collection::vec(-1.0_f64..1.0, 2)) {
            let mut matrix = [0.0, 0.0, row[0], row[1]];
            prop_assert!(!solve(&mut matrix, &mut [1.0, 1.0]));
        }
    }
}
