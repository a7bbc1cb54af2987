//! Small full systems of equations, in memory that is used again.

use core::ops::Range;

/// So many numbers of a row are taken at once: two pivots lie in the same lanes.
const LANES: usize = 4;

/// Some equations, row after row, each with its right side at the end and zeros up to a multiple of [`LANES`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Dense {
    rows: Vec<[f64; LANES]>,
    size: usize,
}

impl Dense {
    /// Room for so many equations.
    pub fn make_room(&mut self, size: usize) {
        self.rows.reserve(size * (size + 1).div_ceil(LANES));
    }

    /// Begins with so many equations, which are all to be written: what stood there before is no more than memory, but beyond the right sides
    /// there are zeros.
    pub fn begin(&mut self, size: usize) {
        self.size = size;
        let stride = self.stride();
        self.rows.resize(size * stride, [0.0; LANES]);
        self.rows.chunks_exact_mut(stride).for_each(|row| row[stride - 1] = [0.0; LANES]);
    }

    fn stride(&self) -> usize {
        (self.size + 1).div_ceil(LANES)
    }

    /// The rows; the right side of each is at the place `size`.
    pub fn rows(&mut self) -> impl Iterator<Item = &mut [f64]> {
        let stride = self.stride();
        self.rows.chunks_exact_mut(stride).map(|row| row.as_flattened_mut())
    }

    /// Solves them by elimination with the largest pivots, which uses them up. False if there is no one solution.
    pub fn solve(&mut self, solution: &mut Vec<f64>) -> bool {
        let (size, stride) = (self.size, self.stride());
        for pivot in (0..size).step_by(2) {
            self.choose(pivot);
            if !self.eliminate(pivot) {
                return false;
            }
        }
        solution.clear();
        solution.resize(size, 0.0);
        for (number, row) in self.rows.chunks_exact(stride).enumerate().rev() {
            let (row, (own, known)) = (row.as_flattened(), solution[number..].split_at_mut(1));
            let beyond = row[number + 1..size].iter().zip(known).rev();
            own[0] = beyond.fold(row[size], |left, (factor, known)| left - factor * *known) / row[number];
        }
        true
    }

    /// Brings the row with the largest number in a pivot's column to its place.
    fn choose(&mut self, pivot: usize) {
        let (stride, place) = (self.stride(), pivot / LANES);
        let below = &mut self.rows[pivot * stride..];
        bring_largest(below, place..stride, |row| row[place][pivot % LANES]);
    }

    /// Eliminates a pivot's column and the next one from the rows below, each of which is read and written once for both. False if there is no
    /// one solution.
    fn eliminate(&mut self, pivot: usize) -> bool {
        let (stride, first, lane) = (self.stride(), pivot / LANES, pivot % LANES);
        let (above, below) = self.rows.split_at_mut((pivot + 1) * stride);
        let own = &above[pivot * stride + first..];
        let inverse = 1.0 / own[0][lane];
        // what is left of a pivot is of no more use, so that all lanes are whole, and the factor has its place there
        bring_largest(below, first..stride, |row| {
            row[first][lane] *= inverse;
            row[first][lane + 1] - row[first][lane] * own[0][lane + 1]
        });
        if below.is_empty() {
            return inverse.is_finite();
        }
        let (next, rows) = below.split_at_mut(stride);
        let next = &mut next[first..];
        let factor = next[0][lane];
        for (values, own) in next.iter_mut().zip(own) {
            *values = core::array::from_fn(|lane| values[lane] - factor * own[lane]);
        }
        let pivots = Pivots { lane, next_inverse: 1.0 / next[0][lane + 1], own: &own[..stride - first], next };
        let take_out = match stride - first {
            1 => Pivots::take_out::<1>,
            2 => Pivots::take_out::<2>,
            3 => Pivots::take_out::<3>,
            4 => Pivots::take_out::<4>,
            5 => Pivots::take_out::<5>,
            6 => Pivots::take_out::<6>,
            7 => Pivots::take_out::<7>,
            8 => Pivots::take_out::<8>,
            9 => Pivots::take_out::<9>,
            10 => Pivots::take_out::<10>,
            _ => Pivots::take_out_wide,
        };
        take_out(&pivots, rows, stride);
        inverse.is_finite() && pivots.next_inverse.is_finite()
    }
}

/// The rows of two pivots in neighbouring lanes, from theirs on.
struct Pivots<'a> {
    own: &'a [[f64; LANES]],
    next: &'a [[f64; LANES]],
    lane: usize,
    next_inverse: f64,
}

impl Pivots<'_> {
    /// Takes them out of some rows, where they and what is beyond are so many blocks wide: all of it in one piece, which the compiler lays out as
    /// it is, where a loop over few blocks costs more than what it does.
    fn take_out<const WIDTH: usize>(&self, rows: &mut [[f64; LANES]], stride: usize) {
        let (Some(own), Some(next)) = (self.own.first_chunk::<WIDTH>(), self.next.first_chunk::<WIDTH>()) else {
            return;
        };
        let (own, next) = (*own, *next);
        for row in rows.chunks_exact_mut(stride) {
            let Some(row) = row.last_chunk_mut::<WIDTH>() else { return };
            let factors = self.factors(row);
            for place in 0..WIDTH {
                row[place] = without(&row[place], factors, (&own[place], &next[place]));
            }
        }
    }

    /// The same of any width.
    fn take_out_wide(&self, rows: &mut [[f64; LANES]], stride: usize) {
        for row in rows.chunks_exact_mut(stride) {
            let row = &mut row[stride - self.own.len()..];
            let factors = self.factors(row);
            for (values, pair) in row.iter_mut().zip(self.own.iter().zip(self.next)) {
                *values = without(values, factors, pair);
            }
        }
    }

    fn factors(&self, row: &[[f64; LANES]]) -> (f64, f64) {
        let left = row[0][self.lane + 1] - row[0][self.lane] * self.own[0][self.lane + 1];
        (row[0][self.lane], left * self.next_inverse)
    }
}

/// Some numbers of a row without those of two pivots, so many times.
#[inline(always)]
fn without(values: &[f64; LANES], factors: (f64, f64), (own, next): (&[f64; LANES], &[f64; LANES])) -> [f64; LANES] {
    core::array::from_fn(|lane| values[lane] - factors.0 * own[lane] - factors.1 * next[lane])
}

/// Brings the row with the largest number, of either sign, to the front: so much of it as is of use, up to its end.
fn bring_largest(rows: &mut [[f64; LANES]], used: Range<usize>, mut number: impl FnMut(&mut [[f64; LANES]]) -> f64) {
    let (mut largest, mut most) = (0, -1.0);
    for (place, row) in rows.chunks_exact_mut(used.end).enumerate() {
        let value = number(row).abs();
        if value > most {
            (largest, most) = (place, value);
        }
    }
    if largest > 0 {
        let (above, below) = rows.split_at_mut(largest * used.end);
        above[used.clone()].swap_with_slice(&mut below[used]);
    }
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
            let mut dense = Dense::default();
            dense.begin(size);
            for (number, row) in dense.rows().enumerate() {
                (0..size).for_each(|column| row[column] = matrix[(number, column)]);
                row[size] = right[number];
            }
            let mut found = Vec::new();
            prop_assert!(dense.solve(&mut found));
            let error = (DVector::from_vec(found) - wanted.unwrap_or(right)).norm();
            prop_assert!(error < 1e-9, "{error}");
        }
    }

    fn of<const COLUMNS: usize>(equations: &[[f64; COLUMNS]]) -> Dense {
        let mut dense = Dense::default();
        dense.begin(equations.len());
        dense.rows().zip(equations).for_each(|(row, equation)| row[..COLUMNS].copy_from_slice(equation));
        dense
    }

    #[test]
    fn it_says_when_there_is_no_one_answer() {
        let mut dense = of(&[[0.0, 0.0, 0.0, 1.0], [1.0, 2.0, 3.0, 1.0], [3.0, 2.0, 1.0, 1.0]]);
        assert!(!dense.solve(&mut Vec::new()));
    }

    #[test]
    fn it_needs_no_order_of_the_rows() {
        let mut found = Vec::new();
        assert!(of(&[[0.0, 2.0, 4.0], [3.0, 0.0, 9.0]]).solve(&mut found));
        assert_eq!(found, [3.0, 2.0]);
    }

    #[test]
    fn nothing_has_an_answer() {
        let mut dense = Dense::default();
        dense.begin(0);
        assert!(dense.solve(&mut Vec::new()));
    }
}
