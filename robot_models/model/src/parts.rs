//! What a robot's tree is made of: links with their inertias, and joints.

use nalgebra::{Isometry3, Matrix3, Unit, Vector3};
use robot_io::{JointKind, JointLimits};

use crate::geometry::{Geometry, Shape};

/// One link and how it hangs on its parent.
#[derive(Clone, Debug)]
pub struct Link {
    /// The link's name, unique in the tree.
    pub name: String,
    /// Index of the parent link; `None` for the root only.
    pub parent: Option<usize>,
    /// Name of the joint (of any type) between parent and link; `None` for the root only.
    pub joint_name: Option<String>,
    /// How the link moves relative to its parent.
    pub motion: Motion,
    /// Pose of the link's frame in its parent's frame with the joint at zero [m].
    pub placement_in_parent: Isometry3<f64>,
    /// Axis of rotation or translation in the link's frame (which is the joint's frame); of no meaning if fixed.
    pub axis_in_link: Unit<Vector3<f64>>,
    /// Mass and its distribution; all zero for a mere frame.
    pub inertia: Inertia,
    /// What it looks like.
    pub visuals: Vec<Geometry>,
    /// What it collides with.
    pub collisions: Vec<Geometry>,
}

/// How a link moves relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// Not at all.
    Fixed,
    /// By the independent joint with this index in [`Tree::joints`](crate::Tree::joints).
    Joint(usize),
    /// By a joint whose position follows another's.
    Mimic(Mimic),
}

/// A dependent joint: its position is `multiplier · position of its master + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// Index in [`Tree::joints`](crate::Tree::joints) of the independent joint it finally follows.
    pub joint: usize,
    /// Own position per position of the master [rad/rad, m/m, rad/m or m/rad].
    pub multiplier: f64,
    /// Own position where the master's is zero [rad or m].
    pub offset: f64,
    /// Own way to move; it need not be the master's.
    pub kind: JointKind,
}

/// One independent joint of one degree of freedom.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The joint's name, unique in the tree.
    pub name: String,
    /// Index of the link it moves (its child).
    pub link: usize,
    /// How it moves.
    pub kind: JointKind,
    /// What it may do.
    pub limits: JointLimits,
    /// Viscous friction [N·m·s/rad or N·s/m].
    pub damping: f64,
    /// Coulomb friction [N·m or N].
    pub friction: f64,
}

/// Mass and its distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Mass [kg].
    pub mass: f64,
    /// Centre of mass in the link's frame [m].
    pub com_in_link: Vector3<f64>,
    /// Rotational inertia about the centre of mass, along the link's axes [kg·m²].
    pub rotational_at_com_in_link: Matrix3<f64>,
}

impl Link {
    /// The shapes that light meets, as far as their size is known: the visuals, or where these are all meshes the
    /// collision shapes.
    pub fn seen(&self) -> impl Iterator<Item = &Geometry> {
        let is_known = |geometry: &&Geometry| !matches!(geometry.shape, Shape::Mesh { .. });
        let shapes = if self.visuals.iter().any(|visual| is_known(&visual)) { &self.visuals } else { &self.collisions };
        shapes.iter().filter(is_known)
    }
}

impl Inertia {
    /// The inertia of a mere frame.
    pub fn zero() -> Inertia {
        Inertia { mass: 0.0, com_in_link: Vector3::zeros(), rotational_at_com_in_link: Matrix3::zeros() }
    }

    /// Full edge lengths [m] of the box of uniform density with the same mass and moments of inertia about the link's
    /// axes, which stands in for a mesh; its middle is the centre of mass. `None` without mass.
    pub fn equivalent_box(&self) -> Option<Vector3<f64>> {
        let moments = self.rotational_at_com_in_link.diagonal();
        let sum = moments.sum();
        // I_x = m (b² + c²) / 12 and so on round, solved for the edges
        let edge = |moment: f64| (6.0 / self.mass * (sum - 2.0 * moment)).max(1e-6).sqrt();
        (self.mass > 0.0).then(|| moments.map(edge))
    }
}
