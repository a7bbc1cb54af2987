//! x
mod dense;
mod hierarchy;
mod qp;
pub use dense::Rows;
pub use hierarchy::{Hierarchy, HierarchyError, Level, Problem};
pub use qp::{Constraints, Limits, QpError, Quadratic, Side, Solver, Working};
