//! What Goldfarb and Idnani keep of the Hessian and the active constraints: J = L⁻ᵀQ and R with JᵀN = [R; 0].

use crate::dense::{Rows, add_scaled, dot, rotate, rotation_to_first};

/// The Hessian's factor, turned so that its first columns span the active normals.
#[derive(Clone, Debug)]
pub(crate) struct Factor {
    /// L of the Hessian, while it is inverted.
    lower: Rows,
    /// Row k is column k of J.
    j: Rows,
    /// Row k is column k of R, its first k + 1 numbers.
    r: Rows,
    /// Jᵀ times the normal that was asked about last.
    d: Vec<f64>,
    variables: usize,
    active: usize,
}

/// What a vector less than this, relative to what it came from, is: nothing.
const NOTHING: f64 = 1e-10;

impl Factor {
    /// Memory for that many variables.
    pub fn new(variables: usize) -> Factor {
        let square = || Rows::new(variables, variables);
        Factor { lower: square(), j: square(), r: square(), d: vec![0.0; variables], variables, active: 0 }
    }

    /// Begins anew with this Hessian (its lower triangle counts) and no active constraint; else the pivot that is not
    /// positive, and its value.
    pub fn begin(&mut self, hessian: &Rows) -> Result<(), (usize, f64)> {
        let n = hessian.width();
        (self.variables, self.active) = (n, 0);
        self.d.resize(n, 0.0);
        self.r.reset(n, n);
        self.factor(hessian)?;
        self.invert();
        Ok(())
    }

    /// `x` = −H⁻¹ g.
    pub fn unconstrained(&mut self, gradient: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        for k in 0..self.variables {
            let column = self.j.row(k);
            add_scaled(x, -dot(column, gradient), column);
        }
    }

    /// Looks at a normal: d = Jᵀn. Is it independent of the active ones? The square of what is left of it is how far
    /// its constraint moves per unit of its multiplier.
    pub fn look_at(&mut self, normal: &[f64]) -> Option<f64> {
        for (k, d) in self.d[..self.variables].iter_mut().enumerate() {
            *d = dot(self.j.row(k), normal);
        }
        let (spanned, left) = self.d[..self.variables].split_at(self.active);
        let (spanned, left) = (dot(spanned, spanned), dot(left, left));
        (left > NOTHING * NOTHING * (spanned + left)).then_some(left)
    }

    /// The direction in which the constraint looked at is met at the least cost while the active ones are kept.
    pub fn primal_direction(&self, z: &mut [f64]) {
        z.fill(0.0);
        for k in self.active..self.variables {
            add_scaled(z, self.d[k], self.j.row(k));
        }
    }

    /// How the active multipliers fall per unit of that of the constraint looked at.
    pub fn dual_direction(&self, r: &mut [f64]) {
        r[..self.active].copy_from_slice(&self.d[..self.active]);
        self.solve(r);
    }

    /// In place: R⁻¹ of a vector.
    pub fn solve(&self, vector: &mut [f64]) {
        for k in (0..self.active).rev() {
            let column = self.r.row(k);
            vector[k] /= column[k];
            let value = vector[k];
            add_scaled(&mut vector[..k], -value, &column[..k]);
        }
    }

    /// In place: R⁻ᵀ of a vector.
    pub fn solve_transposed(&self, vector: &mut [f64]) {
        for k in 0..self.active {
            let column = self.r.row(k);
            vector[k] = (vector[k] - dot(&column[..k], &vector[..k])) / column[k];
        }
    }

    /// Adds J₁ `vector` to `x`.
    pub fn add_in_range(&self, vector: &[f64], x: &mut [f64]) {
        for (k, factor) in vector[..self.active].iter().enumerate() {
            add_scaled(x, *factor, self.j.row(k));
        }
    }

    /// J₁ᵀ of a vector.
    pub fn in_range(&self, vector: &[f64], result: &mut [f64]) {
        for (k, result) in result[..self.active].iter_mut().enumerate() {
            *result = dot(self.j.row(k), vector);
        }
    }

    /// Makes the constraint looked at last active.
    pub fn add(&mut self) {
        let q = self.active;
        for k in (q + 1..self.variables).rev() {
            if self.d[k] == 0.0 {
                continue;
            }
            let (cos, sin, length) = rotation_to_first(self.d[k - 1], self.d[k]);
            (self.d[k - 1], self.d[k]) = (length, 0.0);
            let (first, second) = self.j.pair_mut(k - 1, k);
            rotate(first, second, cos, sin);
        }
        self.r.row_mut(q)[..=q].copy_from_slice(&self.d[..=q]);
        self.active += 1;
    }

    /// Makes the active constraint at `place` inactive; those behind it move up.
    pub fn drop(&mut self, place: usize) {
        for k in place + 1..self.active {
            let (to, from) = self.r.pair_mut(k - 1, k);
            to[..=k].copy_from_slice(&from[..=k]);
        }
        self.active -= 1;
        for k in place..self.active {
            let column = self.r.row_mut(k);
            let (cos, sin, length) = rotation_to_first(column[k], column[k + 1]);
            (column[k], column[k + 1]) = (length, 0.0);
            for later in k + 1..self.active {
                let column = self.r.row_mut(later);
                let (a, b) = (column[k], column[k + 1]);
                (column[k], column[k + 1]) = (cos * a + sin * b, cos * b - sin * a);
            }
            let (first, second) = self.j.pair_mut(k, k + 1);
            rotate(first, second, cos, sin);
        }
    }

    /// Cholesky's factor, row by row.
    fn factor(&mut self, hessian: &Rows) -> Result<(), (usize, f64)> {
        let n = self.variables;
        self.lower.reset(n, n);
        for i in 0..n {
            for k in 0..i {
                let (above, row) = self.lower.pair_mut(k, i);
                row[k] = (hessian.row(i)[k] - dot(&above[..k], &row[..k])) / above[k];
            }
            let row = self.lower.row_mut(i);
            let pivot = hessian.row(i)[i] - dot(&row[..i], &row[..i]);
            // what rounding leaves of nothing is not positive
            if pivot.is_nan() || pivot <= 1e-15 * hessian.row(i)[i].abs() {
                return Err((i, pivot));
            }
            row[i] = pivot.sqrt();
        }
        Ok(())
    }

    /// Row k of L⁻¹ is column k of L⁻ᵀ, which is J while nothing is active.
    fn invert(&mut self) {
        let n = self.variables;
        self.j.reset(n, n);
        for i in 0..n {
            let row = self.lower.row(i);
            for k in 0..i {
                let (above, inverse) = self.j.pair_mut(k, i);
                add_scaled(&mut inverse[..=k], -row[k], &above[..=k]);
            }
            let inverse = self.j.row_mut(i);
            inverse[i] = 1.0;
            inverse[..=i].iter_mut().for_each(|value| *value /= row[i]);
        }
    }
}
