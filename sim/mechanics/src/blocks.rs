//! Small full systems of equations of three by three blocks, in memory that is used again.

/// Three rows of three numbers.
pub(crate) type Block = [[f64; 3]; 3];

/// Solves `matrix` x = `right` in place by elimination; `matrix` is row after row of blocks, and is used up. The blocks on the diagonal are the
/// pivots: rows are not changed about, as the matrix is the unit matrix and one of positive spectrum. False if a pivot is singular.
pub(crate) fn solve(matrix: &mut [Block], right: &mut [[f64; 3]]) -> bool {
    let size = right.len();
    for pivot in 0..size {
        let (above, below) = matrix.split_at_mut((pivot + 1) * size);
        let own = &mut above[pivot * size + pivot..];
        let Some(inverse) = inverse(&own[0]) else { return false };
        own[0] = inverse;
        let known = right[pivot];
        for (row, value) in below.chunks_exact_mut(size).zip(&mut right[pivot + 1..]) {
            let factor = product(&row[pivot], &inverse);
            row[pivot + 1..].iter_mut().zip(&own[1..]).for_each(|(block, own)| subtract(block, &factor, own));
            subtract_vector(value, &factor, &known);
        }
    }
    for row in (0..size).rev() {
        let (own, known) = right[row..].split_at_mut(1);
        let blocks = &matrix[row * size + row..(row + 1) * size];
        blocks[1..].iter().zip(known).for_each(|(block, known)| subtract_vector(&mut own[0], block, known));
        let sum = own[0];
        own[0] = [0.0; 3];
        subtract_vector(&mut own[0], &blocks[0].map(|row| row.map(|number| -number)), &sum);
    }
    true
}

fn product(one: &Block, two: &Block) -> Block {
    one.map(|row| [0, 1, 2].map(|column| row[0] * two[0][column] + row[1] * two[1][column] + row[2] * two[2][column]))
}

/// a −= b c.
fn subtract(a: &mut Block, b: &Block, c: &Block) {
    let product = product(b, c);
    for (row, product) in a.iter_mut().zip(&product) {
        (0..3).for_each(|column| row[column] -= product[column]);
    }
}

fn subtract_vector(a: &mut [f64; 3], b: &Block, c: &[f64; 3]) {
    (0..3).for_each(|row| a[row] -= b[row][0] * c[0] + b[row][1] * c[1] + b[row][2] * c[2]);
}

fn inverse(block: &Block) -> Option<Block> {
    let [[a, b, c], [d, e, f], [g, h, i]] = *block;
    let minors = [e * i - f * h, f * g - d * i, d * h - e * g];
    let determinant = a * minors[0] + b * minors[1] + c * minors[2];
    let inverse = 1.0 / determinant;
    if !inverse.is_finite() || determinant == 0.0 {
        return None;
    }
    Some([
        [minors[0] * inverse, (c * h - b * i) * inverse, (b * f - c * e) * inverse],
        [minors[1] * inverse, (a * i - c * g) * inverse, (c * d - a * f) * inverse],
        [minors[2] * inverse, (b * g - a * h) * inverse, (a * e - b * d) * inverse],
    ])
}

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_solves_what_nalgebra_solves(size in 1_usize..6, numbers in proptest::collection::vec(-1.0_f64..1.0, 342)) {
            // 1 + R W, both symmetric and positive
            let square = |from: usize| {
                let half = DMatrix::from_row_slice(3 * size, 3 * size, &numbers[from..from + 9 * size * size]);
                &half * half.transpose()
            };
            let matrix = DMatrix::identity(3 * size, 3 * size) + square(0) * square(0).map(|number| 10.0 * number);
            let right = DVector::from_column_slice(&numbers[324..324 + 3 * size]);
            let wanted = matrix.clone().lu().solve(&right);
            let block = |row: usize, column: usize| [0, 1, 2].map(|r| [0, 1, 2].map(|c| matrix[(3 * row + r, 3 * column + c)]));
            let mut blocks: Vec<Block> = (0..size * size).map(|place| block(place / size, place % size)).collect();
            let mut found: Vec<[f64; 3]> = right.as_slice().chunks(3).map(|c| [c[0], c[1], c[2]]).collect();
            prop_assert!(solve(&mut blocks, &mut found));
            let error = (DVector::from_vec(found.concat()) - wanted.unwrap_or(right)).norm();
            prop_assert!(error < 1e-9, "{error}");
        }
    }

    #[test]
    fn it_says_when_there_is_no_one_answer() {
        assert!(!solve(&mut [[[0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [3.0, 2.0, 1.0]]], &mut [[1.0; 3]]));
    }
}
