//! What a solution must keep to.

use crate::dense::{Rows, dot, norm};

/// Constraints `lower ≤ c·x ≤ upper`, seen by their numbers. One whose limits are equal is an equality.
///
/// The solver asks for all values at a point, and for the row itself of the few that become active: rows that are costly
/// to compute are computed when they are needed.
pub trait Constraints {
    /// How many there are.
    fn count(&self) -> usize;

    /// The lower and the upper limit of row `row`; either may be infinite.
    fn range(&self, row: usize) -> (f64, f64);

    /// About how long the row is: violations count relative to it.
    fn scale(&self, row: usize) -> f64;

    /// The values of all rows at `x`.
    fn evaluate(&mut self, x: &[f64], values: &mut [f64]);

    /// The row itself.
    fn normal(&mut self, row: usize, normal: &mut [f64]);
}

/// Constraints as they are written down: bounds of the variables first, then rows.
///
/// A row says only those numbers that may differ from zero, which are next to each other.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    bounds: Vec<(f64, f64)>,
    rows: Vec<Row>,
    numbers: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// The first variable that it has to do with.
    first: usize,
    /// Where its numbers begin and how many they are.
    begin: usize,
    len: usize,
    lower: f64,
    upper: f64,
    length: f64,
}

impl Limits {
    /// No limits, with memory for so many variables, rows, and numbers in rows.
    pub fn new(variables: usize, rows: usize, numbers: usize) -> Limits {
        let mut limits = Limits {
            bounds: Vec::with_capacity(variables),
            rows: Vec::with_capacity(rows),
            numbers: Vec::with_capacity(numbers),
        };
        limits.begin(variables);
        limits
    }

    /// All of a matrix's rows, none of the bounds.
    pub fn of_rows(matrix: &Rows, lower: &[f64], upper: &[f64]) -> Limits {
        let mut limits = Limits::new(matrix.width(), matrix.len(), matrix.len() * matrix.width());
        for row in 0..matrix.len() {
            limits.push(0, lower[row], upper[row], matrix.row(row).iter().copied());
        }
        limits
    }

    /// Forgets all limits.
    pub fn begin(&mut self, variables: usize) {
        self.bounds.clear();
        self.bounds.resize(variables, (f64::NEG_INFINITY, f64::INFINITY));
        self.rows.clear();
        self.numbers.clear();
    }

    /// Limits one variable.
    pub fn bound(&mut self, variable: usize, lower: f64, upper: f64) {
        self.bounds[variable] = (lower, upper);
    }

    /// One more row, whose numbers begin at variable `first`.
    pub fn push(&mut self, first: usize, lower: f64, upper: f64, numbers: impl IntoIterator<Item = f64>) {
        let begin = self.numbers.len();
        self.numbers.extend(numbers);
        let numbers = &self.numbers[begin..];
        self.rows.push(Row { first, begin, len: numbers.len(), lower, upper, length: norm(numbers) });
    }

    /// How many variables there are, which is the number of the first row that is not a bound.
    pub fn variables(&self) -> usize {
        self.bounds.len()
    }

    fn row(&self, number: usize) -> (&Row, &[f64]) {
        let row = &self.rows[number - self.bounds.len()];
        (row, &self.numbers[row.begin..][..row.len])
    }
}

impl Constraints for Limits {
    fn count(&self) -> usize {
        self.bounds.len() + self.rows.len()
    }

    fn range(&self, row: usize) -> (f64, f64) {
        match self.bounds.get(row) {
            Some(bounds) => *bounds,
            None => (self.row(row).0.lower, self.row(row).0.upper),
        }
    }

    fn scale(&self, row: usize) -> f64 {
        if row < self.bounds.len() { 1.0 } else { self.row(row).0.length }
    }

    fn evaluate(&mut self, x: &[f64], values: &mut [f64]) {
        let (bounds, rows) = values.split_at_mut(self.bounds.len());
        bounds.copy_from_slice(x);
        for (row, value) in self.rows.iter().zip(rows) {
            *value = dot(&self.numbers[row.begin..][..row.len], &x[row.first..]);
        }
    }

    fn normal(&mut self, row: usize, normal: &mut [f64]) {
        normal.fill(0.0);
        if row < self.bounds.len() {
            normal[row] = 1.0;
        } else {
            let (row, numbers) = self.row(row);
            normal[row.first..][..row.len].copy_from_slice(numbers);
        }
    }
}
