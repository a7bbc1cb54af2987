//! The robot as a tree of links: what is constant about it.

use std::collections::BTreeMap;

use robot_io::JointKind;

use crate::ModelError;
use crate::body::{Body, Place, RigidBody, lump_bodies};
use crate::parts::{Joint, Link, Motion};

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
    /// For each link where it is.
    pub(crate) places: Vec<Place>,
    /// Links that a joint moves and those on the way to them, parents before children.
    pub(crate) carriers: Vec<usize>,
}

impl Tree {
    /// A tree of `links` (parents before children) moved by `joints`; refused if an index leads nowhere.
    pub fn new(links: Vec<Link>, joints: Vec<Joint>) -> Result<Tree, ModelError> {
        check_links(&links, &joints)?;
        check_joints(&links, &joints)?;
        let (bodies, places) = lump_bodies(&links, &joints);
        let carriers = find_carriers(&links);
        Ok(Tree { links, joints, bodies, places, carriers })
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

    /// The links that move, each as one body with all links fixed to it, parents before children; the first holds the root.
    pub fn rigid_bodies(&self) -> impl Iterator<Item = RigidBody> {
        self.bodies.iter().enumerate().map(|(index, body)| {
            let link = &self.links[body.link];
            let carrier = link.parent.filter(|_| index > 0).map(|parent| self.places[parent].pose_in_body);
            RigidBody {
                link: body.link,
                parent: carrier.map(|_| body.parent),
                placement_in_parent: carrier.unwrap_or_default() * link.placement_in_parent,
                inertia: body.inertia_in_link.to_inertia(),
            }
        })
    }

    /// Where a link is: its body among [`Tree::rigid_bodies`] and its pose there.
    pub fn place(&self, link: usize) -> Place {
        self.places[link]
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

/// The root, the links that move and all their ancestors.
fn find_carriers(links: &[Link]) -> Vec<usize> {
    let mut carries: Vec<bool> =
        links.iter().map(|link| link.motion != Motion::Fixed || link.parent.is_none()).collect();
    for (index, link) in links.iter().enumerate().rev() {
        if let Some(parent) = link.parent {
            carries[parent] |= carries[index];
        }
    }
    (0..links.len()).filter(|&index| carries[index]).collect()
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
