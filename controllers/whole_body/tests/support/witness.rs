//! The same quadratic program, solved by clarabel's interior-point method.

use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SolverStatus, SupportedConeT, ZeroConeT,
};
use whole_body::Rows;

pub struct Witness {
    pub status: SolverStatus,
    pub x: Vec<f64>,
    pub objective: f64,
}

/// Minimise ½ xᵀHx + gᵀx with `lower ≤ C x ≤ upper`.
pub fn solve(hessian: &Rows, gradient: &[f64], rows: &Rows, lower: &[f64], upper: &[f64]) -> Witness {
    let n = gradient.len();
    let (mut a, mut b) = (Vec::new(), Vec::new());
    let scaled = |row: usize, factor: f64| rows.row(row).iter().map(|c| factor * c).collect::<Vec<f64>>();
    for row in (0..rows.len()).filter(|row| lower[*row] == upper[*row]) {
        a.push(scaled(row, 1.0));
        b.push(upper[row]);
    }
    let equalities = a.len();
    for row in (0..rows.len()).filter(|row| lower[*row] != upper[*row]) {
        if upper[row].is_finite() {
            a.push(scaled(row, 1.0));
            b.push(upper[row]);
        }
        if lower[row].is_finite() {
            a.push(scaled(row, -1.0));
            b.push(-lower[row]);
        }
    }
    let symmetric: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|k| hessian.row(i.max(k))[i.min(k)]).collect()).collect();
    let upper_triangle: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|k| if k >= i { symmetric[i][k] } else { 0.0 }).collect()).collect();
    let cones: Vec<SupportedConeT<f64>> = vec![ZeroConeT(equalities), NonnegativeConeT(b.len() - equalities)];
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-12,
        tol_gap_rel: 1e-12,
        tol_feas: 1e-12,
        ..DefaultSettings::default()
    };
    let a = if a.is_empty() { CscMatrix::zeros((0, n)) } else { CscMatrix::from(&a) };
    let mut solver = DefaultSolver::new(&CscMatrix::from(&upper_triangle), gradient, &a, &b, &cones, settings).unwrap();
    solver.solve();
    Witness { status: solver.solution.status, x: solver.solution.x.clone(), objective: solver.solution.obj_val }
}
