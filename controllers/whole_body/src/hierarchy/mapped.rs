//! The limits, seen from the coordinates that are still free.

use crate::hierarchy::coordinates::Coordinates;
use crate::qp::{Constraints, Limits};

/// How far a limit is moved beyond what the level above reached, relative to its row: rounding must not make a level
/// impossible that the one above has shown to be possible.
const ROUNDING: f64 = 1e-10;

/// Limits over x as constraints on the free coordinates.
pub(crate) struct Mapped<'m> {
    pub limits: &'m mut Limits,
    pub coordinates: &'m Coordinates,
    /// Each row's value with the free coordinates at zero.
    pub offsets: &'m [f64],
    /// Each row's value at the solution of the level above, if there is one.
    pub reached: Option<&'m [f64]>,
    pub x: &'m mut [f64],
}

impl Constraints for Mapped<'_> {
    fn count(&self) -> usize {
        self.limits.count()
    }

    fn range(&self, row: usize) -> (f64, f64) {
        let (mut lower, mut upper) = self.limits.range(row);
        if let Some(reached) = self.reached {
            let rounding = ROUNDING * self.limits.scale(row);
            (lower, upper) = (lower.min(reached[row] - rounding), upper.max(reached[row] + rounding));
        }
        (lower - self.offsets[row], upper - self.offsets[row])
    }

    fn scale(&self, row: usize) -> f64 {
        self.limits.scale(row)
    }

    fn evaluate(&mut self, free: &[f64], values: &mut [f64]) {
        self.coordinates.point_of_free(free, self.x);
        self.limits.evaluate(self.x, values);
    }

    fn normal(&mut self, row: usize, normal: &mut [f64]) {
        self.limits.normal(row, self.x);
        self.coordinates.rotate(self.x);
        normal.copy_from_slice(&self.x[self.coordinates.decided()..]);
    }
}
