//! Links that move as one while a group of joints moves and all others rest.

use nalgebra::Isometry3;
use robot_io::JointKind;
use robot_model::{Motion, Tree};

use crate::kinematics::z_onto;

/// What moves as one. Its frame is that of the joint that moves it, z along the joint's axis.
#[derive(Clone, Debug)]
pub(super) struct Body {
    /// Index of the body that carries it; `None` for what does not move.
    pub parent: Option<usize>,
    /// Its joint's frame at zero in the parent's frame.
    pub fixed: Isometry3<f64>,
    /// Index of the joint in the group, and how this joint follows it.
    pub variable: usize,
    pub multiplier: f64,
    pub offset: f64,
    pub slides: bool,
}

/// The bodies, parents before children, the first of which does not move; and where the links are on them.
#[derive(Clone, Debug)]
pub(super) struct Bodies {
    pub bodies: Vec<Body>,
    /// For each link its body and its pose there.
    pub links: Vec<(usize, Isometry3<f64>)>,
}

impl Bodies {
    /// While the joints of `group` move and all others are at `positions`.
    pub fn new(tree: &Tree, group: &[usize], positions: &[f64]) -> Bodies {
        let still = Body {
            parent: None,
            fixed: Isometry3::identity(),
            variable: 0,
            multiplier: 0.0,
            offset: 0.0,
            slides: false,
        };
        let mut found = Bodies { bodies: vec![still], links: Vec::new() };
        for (index, link) in tree.links.iter().enumerate() {
            let (carrier, carrier_pose) = link.parent.map_or((0, Isometry3::identity()), |parent| found.links[parent]);
            let place = carrier_pose * link.placement_in_parent;
            let (joint, multiplier, offset) = match link.motion {
                Motion::Fixed => (None, 0.0, 0.0),
                Motion::Joint(joint) => (Some(joint), 1.0, 0.0),
                Motion::Mimic(mimic) => (Some(mimic.joint), mimic.multiplier, mimic.offset),
            };
            let slides = tree.kind(index) == Some(JointKind::Prismatic);
            let variable = joint.and_then(|joint| group.iter().position(|moved| *moved == joint));
            let Some(variable) = variable else {
                let rests = place * rest(tree, index, slides, positions);
                found.links.push((carrier, rests));
                continue;
            };
            let align = z_onto(&link.axis_in_link);
            let fixed = place * align;
            found.bodies.push(Body { parent: Some(carrier), fixed, variable, multiplier, offset, slides });
            found.links.push((found.bodies.len() - 1, Isometry3::from_parts(Default::default(), align.inverse())));
        }
        found
    }
}

/// The displacement of a joint that rests.
fn rest(tree: &Tree, link: usize, slides: bool, positions: &[f64]) -> Isometry3<f64> {
    if tree.kind(link).is_none() {
        return Isometry3::identity();
    }
    let way = tree.links[link].axis_in_link.as_ref() * tree.position(link, positions);
    match slides {
        true => Isometry3::translation(way.x, way.y, way.z),
        false => Isometry3::rotation(way),
    }
}
