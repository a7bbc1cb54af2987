//! The bodies of a robot.

use nalgebra::Isometry3;
use robot_model::{Inertia, JointKind, Tree};

use crate::model::{Body, Joint};

/// Lighter bodies are raised to this mass [kg]: nothing can be moved that weighs nothing.
const LEAST_MASS: f64 = 1e-3;
/// Bodies of less rotational inertia are raised to this [kg·m²].
const LEAST_INERTIA: f64 = 1e-6;

/// The bodies of a robot, in the order of [`Tree::rigid_bodies`], the first of which will have the number `first`. The root moves
/// as `base` says (free or fixed), and is at `placement` in the world [m].
pub fn bodies_of(tree: &Tree, base: Joint, placement: &Isometry3<f64>, first: usize) -> Vec<Body> {
    let body = |body: robot_model::RigidBody| {
        let axis = tree.links[body.link].axis_in_link;
        let joint = match (body.parent, tree.kind(body.link)) {
            (None, _) => base,
            (_, Some(JointKind::Prismatic)) => Joint::Prismatic(axis),
            (_, _) => Joint::Revolute(axis),
        };
        Body {
            parent: body.parent.map(|parent| first + parent),
            joint,
            placement_in_parent: if body.parent.is_some() { body.placement_in_parent } else { *placement },
            inertia: raised(&body.inertia),
        }
    };
    tree.rigid_bodies().map(body).collect()
}

fn raised(inertia: &Inertia) -> Inertia {
    let mut raised = *inertia;
    raised.mass = raised.mass.max(LEAST_MASS);
    for axis in 0..3 {
        let diagonal = &mut raised.rotational_at_com_in_link[(axis, axis)];
        *diagonal = diagonal.max(LEAST_INERTIA);
    }
    raised
}
