//! What a robot is: URDF and `NAME.toml` → [`RobotModel`]; kinematics and dynamics of its [`Tree`].

mod body;
mod data;
mod error;
mod geometry;
mod model;
mod report;
pub mod spatial;
mod tree;
mod urdf;

pub use data::{Configuration, Data};
pub use error::ModelError;
pub use geometry::{Geometry, Shape};
pub use model::{RobotModel, Source};
pub use report::ImportReport;
pub use robot_io::{JointKind, JointLimits};
pub use tree::{BASE_DOF, Inertia, Joint, Link, Mimic, Motion, Tree};
