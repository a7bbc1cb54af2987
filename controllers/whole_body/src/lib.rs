//! x
mod contacts;
mod dense;
mod error;
mod hierarchy;
mod inverse_dynamics;
mod joint_limits;
mod observation;
mod qp;
mod robot_state;
mod tasks;
pub use contacts::{Contact, Surface};
pub use dense::Rows;
pub use error::WholeBodyError;
pub use hierarchy::{Hierarchy, HierarchyError, Level, Problem};
pub use inverse_dynamics::{InverseDynamics, Settings};
pub use qp::{Constraints, Limits, QpError, Quadratic, Side, Solver, Working};
pub use tasks::{AngularMomentum, CenterOfMass, Gaze, Goal, JointGoal, Pose, Posture, Task};
