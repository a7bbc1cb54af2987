//! A quadratic program in three variables, solved by going through the sets of bounds that can be active.
//!
//! With five rows that are each bounded below and above there are 131 sets of up to three bounds. In all but a few cycles the
//! first one, the empty set, is the solution.

use nalgebra::{Matrix3, Matrix5x3, SVector, Vector3, Vector5};

/// Minimize (x − wanted)ᵀ weight (x − wanted) with least ≤ rows x ≤ most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Program {
    /// Symmetric and positive definite.
    pub weight: Matrix3<f64>,
    /// Where the cost is zero.
    pub wanted: Vector3<f64>,
    /// What is bounded.
    pub rows: Matrix5x3<f64>,
    /// Lower bounds.
    pub least: Vector5<f64>,
    /// Upper bounds.
    pub most: Vector5<f64>,
}

const ROWS: usize = 5;
/// Bounds are kept to so far; they are lengths [m] and growths around 1.
const ROUNDING: f64 = 1e-9;

/// Active bounds: the row and whether it is the upper one.
type Active = [(usize, bool)];

impl Program {
    /// The solution; none if no x keeps to the bounds.
    pub fn solve(&self) -> Option<Vector3<f64>> {
        let inverse = self.weight.try_inverse()?;
        if self.keeps(&self.wanted) {
            return Some(self.wanted);
        }
        let mut set = [(0, false); 3];
        (1..=3).find_map(|size| self.extend(&inverse, &mut set, 0, 0, size))
    }

    fn keeps(&self, x: &Vector3<f64>) -> bool {
        let value = self.rows * x;
        (0..ROWS).all(|k| value[k] >= self.least[k] - ROUNDING && value[k] <= self.most[k] + ROUNDING)
    }

    /// Goes through all sets of `size` bounds that begin with the first `chosen` of `set`; further rows come from `from` on.
    fn extend(
        &self,
        inverse: &Matrix3<f64>,
        set: &mut [(usize, bool); 3],
        chosen: usize,
        from: usize,
        size: usize,
    ) -> Option<Vector3<f64>> {
        if chosen == size {
            return self.optimum(inverse, &set[..size]);
        }
        for row in from..ROWS {
            for upper in [false, true] {
                set[chosen] = (row, upper);
                if let Some(x) = self.extend(inverse, set, chosen + 1, row + 1, size) {
                    return Some(x);
                }
            }
        }
        None
    }

    /// The point with exactly these bounds active, if it is the optimum: it keeps to the other bounds, and no bound pulls.
    fn optimum(&self, inverse: &Matrix3<f64>, active: &Active) -> Option<Vector3<f64>> {
        let outwards = |k: usize| if active[k].1 { 1.0 } else { -1.0 };
        let normal = |k: usize| self.rows.row(active[k].0).transpose() * outwards(k);
        let bound = |k: usize| if active[k].1 { self.most[active[k].0] } else { -self.least[active[k].0] };
        let size = active.len();
        let mut gram = Matrix3::identity();
        let mut excess = Vector3::zeros();
        for k in 0..size {
            excess[k] = normal(k).dot(&self.wanted) - bound(k);
            for l in 0..size {
                gram[(k, l)] = normal(k).dot(&(inverse * normal(l)));
            }
        }
        if !excess.iter().all(|value| value.is_finite()) {
            return None;
        }
        let multipliers = positive_solution(&gram, &excess, size)?;
        let push: Vector3<f64> = (0..size).map(|k| normal(k) * multipliers[k]).sum();
        let x = self.wanted - inverse * push;
        self.keeps(&x).then_some(x)
    }
}

/// Solves gram · y = right by Cholesky; none if the rows depend on each other or a multiplier is negative.
fn positive_solution(gram: &Matrix3<f64>, right: &Vector3<f64>, size: usize) -> Option<SVector<f64, 3>> {
    const DEPENDENT: f64 = 1e-10;
    let mut scaled = *gram;
    let scale = Vector3::from_fn(|k, _| if k < size { 1.0 / gram[(k, k)].max(1e-30).sqrt() } else { 1.0 });
    for k in 0..3 {
        for l in 0..3 {
            scaled[(k, l)] *= scale[k] * scale[l];
        }
    }
    let factor = scaled.cholesky()?;
    if factor.l_dirty().diagonal().iter().any(|value| *value < DEPENDENT) {
        return None;
    }
    let solution = factor.solve(&right.component_mul(&scale)).component_mul(&scale);
    (0..size).all(|k| solution[k] >= -ROUNDING).then_some(solution)
}
