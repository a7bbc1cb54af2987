//! Bodies: links that move as one.
//!
//! Real robots have about as many frames and fixed links as moving ones. The dynamics run over bodies, so that fixed
//! links cost nothing but their pose.

use nalgebra::Isometry3;
use robot_io::JointKind;

use crate::parts::{Inertia, Joint, Link, Motion};
use crate::spatial::SpatialInertia;

/// A moving link and all links fixed to it.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// The link that moves; the others are fixed to it.
    pub link: usize,
    /// Index of the parent body; the root body is its own.
    pub parent: usize,
    /// What moves it; `None` for the root only.
    pub drive: Option<Drive>,
    /// The lumped inertia in the frame of `link`.
    pub inertia_in_link: SpatialInertia,
}

/// Which joint moves a body and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive {
    /// Index of the independent joint.
    pub joint: usize,
    /// Own speed per speed of the independent joint: 1 but for mimic joints.
    pub multiplier: f64,
    /// Does it slide (or turn)?
    pub slides: bool,
}

/// A moving link and all links fixed to it, as others see it.
#[derive(Clone, Copy, Debug)]
pub struct RigidBody {
    /// The link that moves; the body's frame is its.
    pub link: usize,
    /// The body that carries it; `None` for the root's.
    pub parent: Option<usize>,
    /// Its frame in the parent's where the joint's position is zero [m].
    pub placement_in_parent: Isometry3<f64>,
    /// Mass and inertia of all its links, in its frame.
    pub inertia: Inertia,
}

/// Where a link is.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Index of its body.
    pub body: usize,
    /// The link's frame in the body's [m].
    pub pose_in_body: Isometry3<f64>,
}

/// The bodies, parents before children as in `links`, and for each link its place.
pub(crate) fn lump_bodies(links: &[Link], joints: &[Joint]) -> (Vec<Body>, Vec<Place>) {
    let mut bodies: Vec<Body> = Vec::new();
    let mut places: Vec<Place> = Vec::with_capacity(links.len());
    for (index, link) in links.iter().enumerate() {
        let inertia = SpatialInertia::of_link(&link.inertia);
        let parent = link.parent.map(|parent| places[parent]);
        match (parent, drive(link, joints)) {
            (Some(Place { body, pose_in_body }), None) => {
                let pose_in_body = pose_in_body * link.placement_in_parent;
                bodies[body].inertia_in_link += inertia.transformed(&pose_in_body);
                places.push(Place { body, pose_in_body });
            }
            (parent, drive) => {
                let parent = parent.map_or(0, |place| place.body);
                places.push(Place { body: bodies.len(), pose_in_body: Isometry3::identity() });
                bodies.push(Body { link: index, parent, drive, inertia_in_link: inertia });
            }
        }
    }
    (bodies, places)
}

fn drive(link: &Link, joints: &[Joint]) -> Option<Drive> {
    let slides = |kind| kind == JointKind::Prismatic;
    match link.motion {
        Motion::Fixed => None,
        Motion::Joint(joint) => Some(Drive { joint, multiplier: 1.0, slides: slides(joints[joint].kind) }),
        Motion::Mimic(mimic) => {
            Some(Drive { joint: mimic.joint, multiplier: mimic.multiplier, slides: slides(mimic.kind) })
        }
    }
}
