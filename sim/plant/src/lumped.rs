//! Links that move as one become one rigid body.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use robot_model::{Inertia, Motion, Tree};

/// Lighter bodies are raised to this mass [kg]; a solver of impulses needs every body to weigh something.
const LEAST_MASS: f64 = 1e-3;

/// Bodies of less rotational inertia are raised to this [kg·m²].
const LEAST_INERTIA: f64 = 1e-6;

/// A moving link and all links fixed to it. Its frame is the moving link's.
#[derive(Clone, Debug)]
pub(crate) struct Lump {
    /// The link that moves; the others are fixed to it.
    pub link: usize,
    /// The body on which it hangs; `None` for the base.
    pub parent: Option<usize>,
    /// The joint's frame, at position zero, in the parent body's frame.
    pub joint_in_parent: Isometry3<f64>,
    /// Mass and inertia of all its links, in its frame.
    pub inertia: Inertia,
}

/// Where a link is: its body and its place there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// Index of the body.
    pub body: usize,
    /// The link's frame in the body's.
    pub pose_in_body: Isometry3<f64>,
}

/// The bodies of a tree, parents before children, and the place of each link.
pub(crate) fn lump(tree: &Tree) -> (Vec<Lump>, Vec<Place>) {
    let mut bodies: Vec<Lump> = Vec::new();
    let mut places: Vec<Place> = Vec::with_capacity(tree.links.len());
    for (index, link) in tree.links.iter().enumerate() {
        let parent = link.parent.map(|parent| places[parent]);
        let at = parent.map_or(Isometry3::identity(), |parent| parent.pose_in_body * link.placement_in_parent);
        match (parent, link.motion) {
            (Some(parent), Motion::Fixed) => {
                let body = &mut bodies[parent.body];
                body.inertia = together(&body.inertia, &moved(&link.inertia, &at));
                places.push(Place { body: parent.body, pose_in_body: at });
            }
            _ => {
                places.push(Place { body: bodies.len(), pose_in_body: Isometry3::identity() });
                let parent = parent.map(|parent| parent.body);
                bodies.push(Lump { link: index, parent, joint_in_parent: at, inertia: link.inertia });
            }
        }
    }
    bodies.iter_mut().for_each(|body| body.inertia = raised(&body.inertia));
    (bodies, places)
}

/// An inertia seen from another frame, in which its own frame is at `pose`.
fn moved(inertia: &Inertia, pose: &Isometry3<f64>) -> Inertia {
    let rotation = pose.rotation.to_rotation_matrix().into_inner();
    Inertia {
        mass: inertia.mass,
        com_in_link: (pose * Point3::from(inertia.com_in_link)).coords,
        rotational_at_com_in_link: rotation * inertia.rotational_at_com_in_link * rotation.transpose(),
    }
}

/// Two inertias of one frame as one (Huygens–Steiner).
fn together(a: &Inertia, b: &Inertia) -> Inertia {
    let mass = a.mass + b.mass;
    if mass <= 0.0 {
        let rotational_at_com_in_link = a.rotational_at_com_in_link + b.rotational_at_com_in_link;
        return Inertia { mass, com_in_link: a.com_in_link, rotational_at_com_in_link };
    }
    let com = (a.com_in_link * a.mass + b.com_in_link * b.mass) / mass;
    let about_com = |i: &Inertia| i.rotational_at_com_in_link + steiner(i.mass, &(i.com_in_link - com));
    Inertia { mass, com_in_link: com, rotational_at_com_in_link: about_com(a) + about_com(b) }
}

/// What a mass at a distance adds to the rotational inertia.
fn steiner(mass: f64, d: &Vector3<f64>) -> Matrix3<f64> {
    (Matrix3::identity() * d.norm_squared() - d * d.transpose()) * mass
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_points_are_a_dumbbell() {
        let point = |mass: f64, x: f64| Inertia { mass, com_in_link: Vector3::x() * x, ..Inertia::zero() };
        let dumbbell = together(&point(1.0, -0.5), &point(3.0, 0.5));
        assert_eq!((dumbbell.mass, dumbbell.com_in_link.x), (4.0, 0.25));
        // reduced mass 3/4 kg times 1 m²
        assert!((dumbbell.rotational_at_com_in_link[(2, 2)] - 0.75).abs() < 1e-12);
        assert_eq!(dumbbell.rotational_at_com_in_link[(0, 0)], 0.0);
    }

    #[test]
    fn an_inertia_turns_with_its_frame() {
        let mut rod = Inertia::zero();
        rod.mass = 1.0;
        rod.rotational_at_com_in_link = Matrix3::from_diagonal(&Vector3::new(0.0, 1.0, 1.0));
        let quarter = Isometry3::rotation(Vector3::z() * core::f64::consts::FRAC_PI_2);
        let turned = moved(&rod, &quarter);
        assert!((turned.rotational_at_com_in_link[(0, 0)] - 1.0).abs() < 1e-12);
        assert!(turned.rotational_at_com_in_link[(1, 1)].abs() < 1e-12);
    }
}
