//! A symmetric system of six equations.

/// Solves `matrix · x = right` in place by Cholesky's method; `matrix` is symmetric and positive definite, and only its lower
/// half is looked at. False, and nothing of use in `right`, if it is not.
#[allow(clippy::needless_range_loop, reason = "rows and columns of one matrix are read while others are written")]
pub(crate) fn solve(matrix: &mut [[f64; 6]; 6], right: &mut [f64; 6]) -> bool {
    for column in 0..6 {
        for row in column..6 {
            let mut rest = matrix[row][column];
            for before in 0..column {
                rest -= matrix[row][before] * matrix[column][before];
            }
            if row > column {
                matrix[row][column] = rest / matrix[column][column];
            } else if rest > 0.0 {
                matrix[row][row] = rest.sqrt();
            } else {
                return false;
            }
        }
    }
    for row in 0..6 {
        for before in 0..row {
            right[row] -= matrix[row][before] * right[before];
        }
        right[row] /= matrix[row][row];
    }
    for row in (0..6).rev() {
        for after in row + 1..6 {
            right[row] -= matrix[after][row] * right[after];
        }
        right[row] /= matrix[row][row];
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[allow(clippy::needless_range_loop, reason = "as above")]
    fn what_is_solved_for_is_met() {
        let half = |row: usize, column: usize| f64::from((row * 7 + column * 3) as u32 % 5) - 1.5;
        let mut matrix = [[0.0; 6]; 6];
        for row in 0..6 {
            for column in 0..6 {
                matrix[row][column] = (0..6).map(|k| half(row, k) * half(column, k)).sum::<f64>();
            }
            matrix[row][row] += 0.5;
        }
        let (whole, wanted) = (matrix, [1.0, -2.0, 0.5, 3.0, 0.0, 7.0]);
        let mut found = core::array::from_fn(|row| (0..6).map(|k| whole[row][k] * wanted[k]).sum());
        assert!(solve(&mut matrix, &mut found));
        for (found, wanted) in found.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-9, "{found} instead of {wanted}");
        }
        assert!(!solve(&mut [[0.0; 6]; 6], &mut [1.0; 6]), "a matrix of zeros is refused");
    }
}
