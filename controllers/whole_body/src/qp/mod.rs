//! A dense strictly convex quadratic program, by the dual method of Goldfarb and Idnani.
//!
//! Minimise ½ xᵀHx + gᵀx subject to `lower ≤ C x ≤ upper`, after D. Goldfarb and A. Idnani, "A numerically stable dual
//! method for solving strictly convex quadratic programs", Mathematical Programming 27 (1983): it begins at the minimum
//! without constraints and takes in one violated constraint after the other, so that it needs no feasible point to begin
//! with, and the objective only grows on the way.
//!
//! ```
//! use whole_body::{Limits, Quadratic, Rows, Solver, Working};
//!
//! # fn main() -> Result<(), whole_body::QpError> {
//! // the point of x + y ≥ 1 that is nearest to the origin
//! let mut hessian = Rows::new(2, 2);
//! hessian.push()[0] = 1.0;
//! hessian.push()[1] = 1.0;
//! let mut limits = Limits::new(2, 1, 2);
//! limits.push(0, 1.0, f64::INFINITY, [1.0, 1.0]);
//!
//! let mut solver = Solver::new(2, 3);
//! let problem = Quadratic { hessian: &hessian, gradient: &[0.0, 0.0] };
//! solver.solve(&problem, &mut limits, &mut Working::default())?;
//! assert!((solver.solution()[0] - 0.5).abs() < 1e-12);
//! # Ok(())
//! # }
//! ```

mod constraints;
mod factor;
mod solver;
mod working;

pub use constraints::{Constraints, Limits};
pub use solver::{Quadratic, Solver};
pub use working::{Side, Working};

/// Why a quadratic program has no answer.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum QpError {
    /// The Hessian is not positive definite.
    #[error("the Hessian: expected positive pivots, found {found} at variable {variable}")]
    NotConvex {
        /// The variable at which its factorisation stops.
        variable: usize,
        /// The pivot there.
        found: f64,
    },
    /// What is wanted is no number, or the numbers grew beyond all bounds.
    #[error("expected finite numbers, found another at variable {variable}")]
    NotFinite {
        /// The variable.
        variable: usize,
    },
    /// No point keeps to all constraints.
    #[error("constraint {row} contradicts others: it is violated by {by}, and nothing can be done about it")]
    Infeasible {
        /// The constraint that cannot be met.
        row: usize,
        /// By how much, in its own unit.
        by: f64,
    },
    /// No end came within the steps that are allowed.
    #[error("expected an end within {most} steps, constraint {row} is still violated by {by}")]
    TooManySteps {
        /// The steps that are allowed.
        most: usize,
        /// The constraint that was worked on.
        row: usize,
        /// By how much it is violated, in its own unit.
        by: f64,
    },
}
