//! The bodies of a robot.

use nalgebra::Isometry3;
use robot_model::{Inertia, JointKind, JointLimits, Mimic, Motion, Tree};

use crate::body::{Body, Joint};
use crate::constraint::Constraint;

/// Lighter bodies are raised to this mass [kg]: nothing can be moved that weighs nothing.
const LEAST_MASS: f64 = 1e-3;
/// Bodies of less rotational inertia are raised to this [kg·m²].
const LEAST_INERTIA: f64 = 1e-6;

/// A robot's bodies, in the order of [`Tree::rigid_bodies`], and what holds and stops its joints.
#[derive(Clone, Debug)]
pub struct Robot {
    /// They have numbers from the one that was asked for on.
    pub bodies: Vec<Body>,
    /// Limits of joints that have some, and joints that follow others.
    pub constraints: Vec<Constraint>,
}

/// The bodies of a robot, the first of which will have the number `first`. The root moves as `base` says (free or fixed) and begins at
/// `placement` in the world [m]; `rotor` is the inertia of each independent joint's rotor [kg·m² or kg].
pub fn robot(
    tree: &Tree,
    base: Joint,
    placement: &Isometry3<f64>,
    first: usize,
    rotor: impl Fn(usize) -> f64,
) -> Robot {
    let mut robot = Robot { bodies: Vec::new(), constraints: Vec::new() };
    // for each independent joint the body that it moves
    let moved = |joint: usize| first + tree.place(tree.joints[joint].link).body;
    for body in tree.rigid_bodies() {
        let (axis, number) = (tree.links[body.link].axis_in_link, first + robot.bodies.len());
        let joint = match (body.parent, tree.kind(body.link)) {
            (None, _) => base,
            (_, Some(JointKind::Prismatic)) => Joint::Prismatic(axis),
            (_, _) => Joint::Revolute(axis),
        };
        let mut own_rotor = 0.0;
        match tree.links[body.link].motion {
            Motion::Joint(joint) => {
                own_rotor = rotor(joint);
                let JointLimits { lower, upper, .. } = tree.joints[joint].limits;
                if lower.is_finite() || upper.is_finite() {
                    robot.constraints.push(Constraint::Limit { body: number, lower, upper, buffer: None });
                }
            }
            Motion::Mimic(Mimic { joint, multiplier: ratio, offset, .. }) => {
                robot.constraints.push(Constraint::Coupling { follower: number, master: moved(joint), ratio, offset });
            }
            Motion::Fixed => {}
        }
        robot.bodies.push(Body {
            parent: body.parent.map(|parent| first + parent),
            joint,
            placement_in_parent: if body.parent.is_some() { body.placement_in_parent } else { *placement },
            inertia: raised(&body.inertia),
            rotor: own_rotor,
        });
    }
    robot
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
