//! Coordinates x = Q y in which what is decided comes first.

use crate::dense::{Rows, add_scaled, dot, norm};

/// A row that is shorter than this, relative to the longest of its level, is taken for a combination of the others.
const INDEPENDENT: f64 = 1e-10;

/// An orthogonal change of coordinates, made of Householder's reflections, one for each decided coordinate.
///
/// Rows that are to hold are made lower triangular by reflections from the right, the longest row first (the QR
/// decomposition with column pivoting of the transposed matrix): after it they speak of the coordinates decided so far
/// and of nothing else, so that the others are free to move in what is their null space.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    /// The unit vector of each reflection; of number k the first k numbers are zero.
    reflections: Rows,
    y: Vec<f64>,
}

impl Coordinates {
    /// Memory for that many variables.
    pub fn new(variables: usize) -> Coordinates {
        Coordinates { reflections: Rows::new(variables, variables), y: vec![0.0; variables] }
    }

    /// Begins anew: y is x, nothing is decided.
    pub fn begin(&mut self, variables: usize) {
        self.reflections.reset(0, variables);
        self.y.resize(variables, 0.0);
        self.y.fill(0.0);
    }

    /// How many coordinates are decided.
    pub fn decided(&self) -> usize {
        self.reflections.len()
    }

    /// The values of the decided coordinates.
    pub fn decided_values(&self) -> &[f64] {
        &self.y[..self.decided()]
    }

    /// The values of the free coordinates.
    pub fn free_values_mut(&mut self) -> &mut [f64] {
        let decided = self.decided();
        &mut self.y[decided..]
    }

    /// In place: a row over x becomes one over y.
    pub fn rotate(&self, row: &mut [f64]) {
        (0..self.decided()).for_each(|k| self.reflect(k, row));
    }

    /// x of the present y.
    pub fn point(&self, x: &mut [f64]) {
        x.copy_from_slice(&self.y);
        self.rotate_back(x);
    }

    /// How x changes with these free coordinates, the decided ones being zero.
    pub fn point_of_free(&self, free: &[f64], x: &mut [f64]) {
        let (head, tail) = x.split_at_mut(self.decided());
        head.fill(0.0);
        tail.copy_from_slice(free);
        self.rotate_back(x);
    }

    /// Takes `rows` over y, which are rotated along, as decided by the present y. `order` is the order in which the
    /// first rows were made triangular, one per coordinate; the rest depends on them.
    pub fn decide(&mut self, rows: &mut Rows, order: &mut Vec<usize>) -> usize {
        order.clear();
        order.extend(0..rows.len());
        let mut rank = 0;
        let mut longest = 0.0;
        while rank < rows.len() && self.decided() < self.y.len() {
            let first = self.decided();
            let length = |row: &usize| norm(&rows.row(*row)[first..]);
            let lengths = order[rank..].iter().map(length).enumerate();
            let Some((place, pivot)) = lengths.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
            if rank == 0 {
                longest = pivot;
            }
            if pivot <= INDEPENDENT * longest || pivot.is_nan() {
                break;
            }
            order.swap(rank, rank + place);
            self.push_reflection(&rows.row(order[rank])[first..], pivot);
            for row in &order[rank..] {
                self.reflect(first, rows.row_mut(*row));
            }
            let reflection = self.reflections.row(first);
            reflect(reflection, first, &mut self.y);
            rank += 1;
        }
        rank
    }

    /// Sets the coordinates that were decided last so that triangular rows have these values.
    pub fn substitute(&mut self, rows: &Rows, order: &[usize], targets: &[f64]) {
        let before = self.decided() - order.len();
        for (place, row) in order.iter().enumerate() {
            let k = before + place;
            let numbers = rows.row(*row);
            self.y[k] = (targets[*row] - dot(&numbers[..k], &self.y[..k])) / numbers[k];
        }
    }

    /// The reflection that leaves of a row's numbers from the next free coordinate on only the first.
    fn push_reflection(&mut self, numbers: &[f64], length: f64) {
        let first = self.decided();
        let reflection = self.reflections.push();
        let tail = &mut reflection[first..];
        tail.copy_from_slice(numbers);
        tail[0] += if numbers[0] < 0.0 { -length } else { length };
        let length = norm(tail);
        tail.iter_mut().for_each(|number| *number /= length);
    }

    fn reflect(&self, k: usize, vector: &mut [f64]) {
        reflect(self.reflections.row(k), k, vector);
    }

    fn rotate_back(&self, vector: &mut [f64]) {
        (0..self.decided()).rev().for_each(|k| self.reflect(k, vector));
    }
}

/// The mirror image of a vector in the plane across a unit vector that begins at `first`.
fn reflect(across: &[f64], first: usize, vector: &mut [f64]) {
    let (across, vector) = (&across[first..], &mut vector[first..]);
    add_scaled(vector, -2.0 * dot(across, vector), across);
}
