//! Prioritised whole-body inverse dynamics and kinematics for floating-base robots with contacts.
//!
//! A motion is a list of [`Task`]s with priorities; where the robot touches the world are its [`Contact`]s. In each cycle
//! [`InverseDynamics`] turns the measured state into joint torques, [`InverseKinematics`] finds poses. Below them are a
//! solver for levels of tasks, [`Hierarchy`], and one for quadratic programs, [`Solver`].
//!
//! ```
//! use nalgebra::{Isometry3, Vector3};
//! use robot_model::{Configuration, Urdf};
//! use whole_body::{CenterOfMass, Contact, Goal, InverseDynamics, Settings, Task};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let tree = Urdf::read("biped.urdf", include_str!("../tests/support/biped.urdf"))?.tree;
//! let corner = |x, y| Vector3::new(0.03 + x, y, -0.08);
//! let corners = [corner(-0.12, -0.06), corner(0.12, -0.06), corner(0.12, 0.06), corner(-0.12, 0.06)];
//! let contacts = vec![
//!     Contact::patch("left sole", "left_foot", corners, 0.6)?,
//!     Contact::patch("right sole", "right_foot", corners, 0.6)?,
//! ];
//! let balance = CenterOfMass::at(Vector3::new(0.03, 0.0, 0.87));
//! let tasks = vec![Task::new("balance", 0, Goal::CenterOfMass(balance))];
//! let mut control = InverseDynamics::new(&tree, tasks, contacts, Settings::default())?;
//!
//! let mut measured = Configuration::zero(&tree);
//! measured.base_in_world = Isometry3::translation(0.0, 0.0, 0.817);
//! for (knee, ankle, hip) in [(3, 4, 2), (9, 10, 8)] {
//!     (measured.joints[hip], measured.joints[knee], measured.joints[ankle]) = (-0.4, 0.8, -0.4);
//! }
//! let velocity = vec![0.0; tree.velocity_dof()];
//! control.solve(&measured, &velocity)?;
//! let weight: f64 = ["left sole", "right sole"].iter().filter_map(|sole| control.wrench(sole)).map(|w| w[2]).sum();
//! assert!(weight > 500.0 && control.torques().iter().all(|torque| torque.abs() < 280.001));
//! # Ok(())
//! # }
//! ```
//!
//! Nothing allocates after construction, but for error messages; the same input gives the same bits.

mod base_step;
mod contacts;
mod dense;
mod error;
mod hierarchy;
mod inverse_dynamics;
mod inverse_kinematics;
mod joint_limits;
mod observation;
mod qp;
mod robot_state;
mod self_collision;
mod tasks;

pub use contacts::{Contact, Surface};
pub use dense::Rows;
pub use error::WholeBodyError;
pub use hierarchy::{Hierarchy, HierarchyError, Level, Problem};
pub use inverse_dynamics::{InverseDynamics, Settings};
pub use inverse_kinematics::InverseKinematics;
pub use qp::{Constraints, Limits, QpError, Quadratic, Side, Solver, Working};
pub use self_collision::Capsule;
pub use tasks::{AngularMomentum, CenterOfMass, Gaze, Goal, JointGoal, Pose, Posture, Task};
