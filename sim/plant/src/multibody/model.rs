//! What is constant about the robot's bodies.

use nalgebra::{Isometry3, Vector3};
use robot_model::{Inertia, JointKind, Tree};

use crate::lumped::Lump;

/// The bodies of a robot, parents before children; body 0 is the base.
#[derive(Clone, Debug)]
pub(crate) struct Skeleton {
    /// All of them.
    pub bodies: Vec<Bone>,
}

/// One body and the joint above it.
#[derive(Clone, Debug)]
pub(crate) struct Bone {
    /// The body on which it hangs; its own number for the base.
    pub parent: usize,
    /// The joint's frame, at position zero, in the parent's frame.
    pub joint_in_parent: Isometry3<f64>,
    /// The joint's axis, in the joint's and the body's frame.
    pub axis: Vector3<f64>,
    /// Whether the joint slides (or turns).
    pub slides: bool,
    /// Mass and rotational inertia in the body's frame.
    pub inertia: Inertia,
}

impl Skeleton {
    /// The skeleton of lumped links.
    pub fn new(tree: &Tree, lumps: &[Lump]) -> Skeleton {
        let bone = |lump: &Lump| Bone {
            parent: lump.parent.unwrap_or(0),
            joint_in_parent: lump.joint_in_parent,
            axis: tree.links[lump.link].axis_in_link.into_inner(),
            slides: tree.kind(lump.link) == Some(JointKind::Prismatic),
            inertia: lump.inertia,
        };
        Skeleton { bodies: lumps.iter().map(bone).collect() }
    }
}
