//! A covariance in blocks of three by three, for states that are made of vectors.

use nalgebra::{Matrix3, Vector3};
use robot_io::State;

/// A symmetric matrix of blocks.
#[derive(Clone, Debug, State)]
pub(crate) struct Covariance {
    #[state(fixed)]
    size: usize,
    /// Row after row.
    blocks: Vec<Matrix3<f64>>,
    #[state(scratch)]
    before: Vec<Matrix3<f64>>,
}

impl Covariance {
    /// So many vectors, all known exactly.
    pub fn new(size: usize) -> Covariance {
        let zeros = vec![Matrix3::zeros(); size * size];
        Covariance { size, before: zeros.clone(), blocks: zeros }
    }

    /// How many vectors.
    pub fn size(&self) -> usize {
        self.size
    }

    /// A block.
    pub fn block(&self, row: usize, column: usize) -> &Matrix3<f64> {
        &self.blocks[row * self.size + column]
    }

    /// Knows a vector by independent errors of this standard deviation.
    pub fn know(&mut self, of: usize, deviation: f64) {
        self.forget(of);
        self.blocks[of * self.size + of] = Matrix3::from_diagonal_element(deviation * deviation);
    }

    /// Knows a vector as well as another, but for independent errors.
    pub fn know_like(&mut self, of: usize, other: usize, error: &Matrix3<f64>) {
        for place in (0..self.size).filter(|place| *place != of) {
            self.set(of, place, *self.block(other, place));
        }
        self.set(of, of, self.block(other, other) + error);
    }

    /// Nothing hangs together with a vector any longer, and it is known exactly.
    pub fn forget(&mut self, of: usize) {
        (0..self.size).for_each(|place| self.set(of, place, Matrix3::zeros()));
    }

    /// Adds to a block of the upper half, and to its mirror image.
    pub fn add(&mut self, row: usize, column: usize, block: &Matrix3<f64>) {
        self.blocks[row * self.size + column] += block;
        if row != column {
            self.blocks[column * self.size + row] += block.transpose();
        }
    }

    /// Goes on by F = 1 + E: F P Fᵀ, with the blocks of E by their rows and columns.
    pub fn propagate(&mut self, changes: &[(usize, usize, Matrix3<f64>)]) {
        let size = self.size;
        self.before.copy_from_slice(&self.blocks);
        for (row, column, change) in changes {
            for place in 0..size {
                self.blocks[row * size + place] += change * self.before[column * size + place];
            }
        }
        self.before.copy_from_slice(&self.blocks);
        for (row, column, change) in changes {
            for place in 0..size {
                self.blocks[place * size + row] += self.before[place * size + column] * change.transpose();
            }
        }
        self.make_symmetric();
    }

    /// Takes in that the difference of two vectors' errors was measured with a noise, if that is within `gate` standard deviations: the errors of all
    /// vectors go to `errors`. False if it is not.
    pub fn observe_difference(
        &mut self,
        (one, other): (usize, usize),
        measured: &Vector3<f64>,
        noise: &Matrix3<f64>,
        gate: f64,
        errors: &mut [Vector3<f64>],
    ) -> bool {
        let size = self.size;
        for (place, column) in self.before.iter_mut().enumerate().take(size) {
            *column = self.blocks[place * size + one] - self.blocks[place * size + other];
        }
        let spread = self.before[one] - self.before[other] + noise;
        let Some(inverse) = spread.try_inverse() else { return false };
        if measured.dot(&(inverse * measured)) > gate * gate {
            return false;
        }
        for (row, error) in errors.iter_mut().enumerate() {
            let gain = self.before[row] * inverse;
            *error = gain * measured;
            for column in 0..size {
                self.blocks[row * size + column] -= gain * self.before[column].transpose();
            }
        }
        self.make_symmetric();
        true
    }

    fn set(&mut self, row: usize, column: usize, block: Matrix3<f64>) {
        self.blocks[column * self.size + row] = block.transpose();
        self.blocks[row * self.size + column] = block;
    }

    fn make_symmetric(&mut self) {
        for row in 0..self.size {
            for column in 0..=row {
                let mean = (self.block(row, column) + self.block(column, row).transpose()) * 0.5;
                self.set(row, column, mean);
            }
        }
    }
}
