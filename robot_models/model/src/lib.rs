//! What a robot is: URDF and `NAME.toml` → [`RobotModel`]; kinematics and dynamics of its [`Tree`].
//!
//! The model is constant and the data changes: a [`Tree`] says what moves, a [`Configuration`] where it is, a [`Data`]
//! holds the answers, and each algorithm is a free function over them that allocates nothing.
//!
//! ```
//! use robot_model::{Configuration, Data, Urdf, forward_kinematics};
//!
//! # fn main() -> Result<(), robot_model::ModelError> {
//! let pendulum = Urdf::read("pendulum.urdf", r#"
//!     <robot name="pendulum">
//!       <link name="stand"/>
//!       <link name="bob"><inertial>
//!         <origin xyz="0 0 -0.5"/> <mass value="2"/>
//!         <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>
//!       </inertial></link>
//!       <joint name="swing" type="continuous">
//!         <parent link="stand"/> <child link="bob"/> <origin xyz="0 0 1"/> <axis xyz="0 1 0"/>
//!       </joint>
//!     </robot>"#)?;
//! let tree = &pendulum.tree;
//! assert_eq!((tree.dof(), tree.mass()), (1, 2.0));
//!
//! let mut data = Data::new(tree);
//! forward_kinematics(tree, &Configuration::zero(tree), &mut data);
//! assert_eq!(data.link_in_world[1].translation.z, 1.0);
//! # Ok(())
//! # }
//! ```
//!
//! Conventions: velocities are ordered base linear, base angular (both in the base frame), then the joints; spatial
//! vectors are (linear, angular), as in Pinocchio. Mimic joints follow their master and have no velocity coordinate.

mod aba;
mod bias;
mod body;
mod chain;
mod crba;
mod data;
pub mod description;
mod error;
mod eval;
mod geometry;
mod jacobian;
mod kinematics;
mod meshes;
mod model;
mod momentum;
mod parts;
mod report;
mod rnea;
mod spatial;
mod summary;
mod tree;
mod urdf;

pub use aba::aba;
pub use bias::{center_of_mass_bias_in_world, centroidal_momentum_bias, forward_bias, link_bias_in_world};
pub use body::{Place, RigidBody};
pub use chain::Chain;
pub use crba::crba;
pub use data::{Configuration, Data};
pub use description::Description;
pub use error::ModelError;
pub use eval::{Evaluation, LinkPose, LinkPoses, evaluate};
pub use geometry::{Attached, Geometry, Shape};
pub use jacobian::{link_jacobian_in_base, link_jacobian_in_world};
pub use kinematics::{forward_kinematics, forward_velocities, link_velocity_in_world, relative_pose};
pub use meshes::MeshFinder;
pub use model::{RobotModel, Source};
pub use momentum::{
    center_of_mass_in_base, center_of_mass_in_world, center_of_mass_jacobian_in_world, centroidal_momentum,
    centroidal_momentum_matrix, kinetic_energy, potential_energy,
};
pub use parts::{Inertia, Joint, Link, Mimic, Motion};
pub use report::{Entry, ImportReport, Treatment};
pub use rnea::{GRAVITY_IN_WORLD, rnea};
pub use robot_io::{JointKind, JointLimits};
pub use spatial::{OfForce, OfMotion, Spatial, SpatialInertia, Twist, Wrench};
pub use summary::Summary;
pub use tree::{BASE_DOF, Tree};
pub use urdf::Urdf;
