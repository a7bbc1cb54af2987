//! The robot as a tree of links: what is constant about it.

use std::collections::BTreeMap;

use nalgebra::{Isometry3, Matrix3, Unit, Vector3};
use robot_io::{JointKind, JointLimits};

use crate::ModelError;
use crate::body::{Body, lump_bodies};
use crate::geometry::{Geometry, Shape};

/// How many velocity coordinates the floating base has: linear x, y, z, then angular x, y, z, both in the base frame.
pub const BASE_DOF: usize = 6;

/// A floating-base robot: links joined by fixed joints and joints of one degree of freedom.
///
/// A tree is constant once [made](Tree::new): make another to change a mass, since lumped inertias are computed there.
/// What changes is a [`Configuration`](crate::Configuration) (the question) and a [`Data`](crate::Data) (the answer);
/// the algorithms are free functions over the three.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Parents before children, children in file order; `links[0]` is the root, which is the floating base.
    pub links: Vec<Link>,
    /// The independent joints; this order is that of positions, velocities, efforts and of the robot's layout.
    pub joints: Vec<Joint>,
    /// Links that move as one, with their inertias lumped; `bodies[0]` holds the root.
    pub(crate) bodies: Vec<Body>,
    /// For each link the index of its body.
    pub(crate) body_of_link: Vec<usize>,
}

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
    /// By the independent joint with this index in [`Tree::joints`].
    Joint(usize),
    /// By a joint whose position follows another's.
    Mimic(Mimic),
}

/// A dependent joint: its position is `multiplier · position of its master + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// Index in [`Tree::joints`] of the independent joint it finally follows.
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

impl Tree {
    /// A tree of `links` (parents before children) moved by `joints`; refused if an index leads nowhere.
    pub fn new(links: Vec<Link>, joints: Vec<Joint>) -> Result<Tree, ModelError> {
        check_links(&links, &joints)?;
        check_joints(&links, &joints)?;
        let (bodies, body_of_link) = lump_bodies(&links, &joints);
        Ok(Tree { links, joints, bodies, body_of_link })
    }

    /// Index of the link with this name.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link.name == name)
    }

    /// Index of the independent joint with this name.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// Mass of the whole robot [kg].
    pub fn mass(&self) -> f64 {
        self.links.iter().map(|link| link.inertia.mass).sum()
    }

    /// How many independent joints there are.
    pub fn dof(&self) -> usize {
        self.joints.len()
    }

    /// How many velocity coordinates there are: the base's six and one per joint.
    pub fn velocity_dof(&self) -> usize {
        BASE_DOF + self.joints.len()
    }

    /// Names of the velocity coordinates in order.
    pub fn velocity_names(&self) -> Vec<String> {
        let base = ["linear_x", "linear_y", "linear_z", "angular_x", "angular_y", "angular_z"];
        let base = base.iter().map(|name| format!("base_{name}"));
        base.chain(self.joints.iter().map(|joint| joint.name.clone())).collect()
    }

    /// How a link moves relative to its parent; `None` if it does not.
    pub fn kind(&self, link: usize) -> Option<JointKind> {
        match self.links[link].motion {
            Motion::Fixed => None,
            Motion::Joint(joint) => Some(self.joints[joint].kind),
            Motion::Mimic(mimic) => Some(mimic.kind),
        }
    }

    /// Position of the joint above a link [rad or m], by its own or its master's; zero if fixed.
    pub fn position(&self, link: usize, joints: &[f64]) -> f64 {
        match self.links[link].motion {
            Motion::Fixed => 0.0,
            Motion::Joint(joint) => joints[joint],
            Motion::Mimic(mimic) => mimic.multiplier * joints[mimic.joint] + mimic.offset,
        }
    }
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

fn check_links(links: &[Link], joints: &[Joint]) -> Result<(), ModelError> {
    if links.is_empty() {
        return Err(ModelError::tree("the tree", "at least one link", "none"));
    }
    let mut seen = BTreeMap::new();
    for (index, link) in links.iter().enumerate() {
        let what = format!("link \"{}\"", link.name);
        if let Some(first) = seen.insert(link.name.as_str(), index) {
            return Err(ModelError::tree(&what, "a name of its own", format!("the name of links {first} and {index}")));
        }
        match (index, link.parent) {
            (0, None) => {}
            (0, Some(parent)) => return Err(ModelError::tree(&what, "no parent for the root", parent)),
            (_, Some(parent)) if parent < index => {}
            (_, parent) => return Err(ModelError::tree(&what, "a parent before it", format!("{parent:?}"))),
        }
        match link.motion {
            Motion::Joint(joint) if joints.get(joint).is_none_or(|joint| joint.link != index) => {
                return Err(ModelError::tree(&what, "a joint that moves it", format!("joint {joint}")));
            }
            Motion::Mimic(mimic) if mimic.joint >= joints.len() => {
                return Err(ModelError::tree(&what, "an independent master", format!("joint {}", mimic.joint)));
            }
            Motion::Joint(_) | Motion::Mimic(_) if index == 0 => {
                return Err(ModelError::tree(&what, "a root that no joint moves", format!("{:?}", link.motion)));
            }
            _ => {}
        }
    }
    Ok(())
}

fn check_joints(links: &[Link], joints: &[Joint]) -> Result<(), ModelError> {
    let mut seen = BTreeMap::new();
    for (index, joint) in joints.iter().enumerate() {
        let what = format!("joint \"{}\"", joint.name);
        if let Some(first) = seen.insert(joint.name.as_str(), index) {
            return Err(ModelError::tree(
                &what,
                "a name of its own",
                format!("the name of joints {first} and {index}"),
            ));
        }
        let moved = links.get(joint.link).map(|link| link.motion);
        if moved != Some(Motion::Joint(index)) {
            return Err(ModelError::tree(&what, "a link that it moves", format!("link {}", joint.link)));
        }
    }
    Ok(())
}
