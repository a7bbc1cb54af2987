//! What floats keeps its momentum.
//!
//! Joints move in their own coordinates, in which momentum is kept only to the order of the step. The place and the velocity of what
//! floats make up for it: the centre of mass goes where its momentum takes it, and the spin about it changes by what turns it. So both
//! momenta are kept to the last digits, at any velocity.

use nalgebra::Vector3;
use robot_model::Wrench;

use crate::active::ActiveSet;
use crate::body::Joint;
use crate::contact::Contact;
use crate::coordinates::Coordinates;
use crate::kinematics::{Centroid, Kinematics};
use crate::model::Model;

/// The roots of what floats, with their trees' momentum at the beginning of the step.
#[derive(Clone, Debug)]
pub(crate) struct Floating {
    roots: Vec<(usize, Centroid)>,
}

impl Floating {
    /// All trees of a model that float.
    pub fn new(model: &Model) -> Floating {
        let floats = |body: &usize| model.bodies()[*body].joint == Joint::Free;
        let roots = (0..model.bodies().len()).filter(floats);
        Floating { roots: roots.map(|root| (root, Centroid::default())).collect() }
    }

    /// Remembers the momenta at the beginning of a step, and puts each tree where its centre of mass belongs.
    pub fn begin(&mut self, model: &Model, now: &Kinematics, coordinates: &mut Coordinates) {
        for (root, centroid) in &mut self.roots {
            if coordinates.is_asleep(model.tree_of(*root)) {
                continue;
            }
            let lag = core::mem::take(&mut coordinates.lag[*root]);
            *centroid = now.momentum(model, *root);
            centroid.com += lag;
            coordinates.placements[*root].translation.vector += lag;
        }
    }

    /// Gives each tree the momentum that it must have at the end of a step of `step` [s]. The bodies are placed there, with velocities.
    pub fn arrive(&self, model: &Model, bodies: Bodies, coordinates: &mut Coordinates, acted: Acted) {
        for (root, before) in &self.roots {
            if coordinates.is_asleep(model.tree_of(*root)) {
                continue;
            }
            let middle = bodies.middle.center_of_mass(model, *root, before.mass);
            let goes = before.com + before.momentum * (0.5 * acted.step / before.mass);
            let (impulse, turn) = pushed(model, *root, (&middle, &goes), bodies.middle, &acted);
            let found = bodies.now.centroid(model, *root);
            let momentum = before.momentum + impulse;
            let com = before.com + (before.momentum + momentum) * (0.5 * acted.step / before.mass);
            let lacking = before.spin + turn - found.spin;
            let Some(turning) = found.inertia.cholesky().map(|inertia| inertia.solve(&lacking)) else { continue };
            // it turns about the centre of mass
            let origin = coordinates.placements[*root].translation.vector;
            let moving = (momentum - found.momentum) / before.mass + turning.cross(&(origin - found.com));
            coordinates.lag[*root] = com - found.com;
            let [linear, angular] = coordinates.free_velocity(model, *root);
            coordinates.set_free_velocity(model, *root, &(linear + moving), &(angular + turning));
        }
    }
}

/// The bodies in the middle and at the end of a step.
#[derive(Clone, Copy)]
pub(crate) struct Bodies<'a> {
    pub middle: &'a Kinematics,
    pub now: &'a Kinematics,
}

/// What acted in a step.
#[derive(Clone, Copy)]
pub(crate) struct Acted<'a> {
    pub outer: &'a [Wrench],
    pub contacts: &'a [Contact],
    pub active: &'a ActiveSet,
    pub step: f64,
}

/// What forces from outside and contacts gave a tree: impulse [N·s] and angular impulse about its centre of mass [N·m·s]. That is at `com` in the
/// middle of the step; where its momentum takes it, it goes through `goes`. What two that float give each other counts about the latter: only so do both together
/// keep their angular momentum, since each other's centre of mass is a little elsewhere by its joints.
fn pushed(
    model: &Model,
    root: usize,
    (com, goes): (&Vector3<f64>, &Vector3<f64>),
    middle: &Kinematics,
    acted: &Acted,
) -> (Vector3<f64>, Vector3<f64>) {
    // all bodies of a tree have one reference
    let outer = acted.outer[model.tree(root)].iter().fold(Wrench::zero(), |sum, wrench| sum + *wrench) * acted.step;
    let lever = middle.bodies[root].reference - com;
    let (mut impulse, mut turn) = (outer.linear, outer.angular + lever.cross(&outer.linear));
    let on = |body: usize| f64::from(u8::from(model.root(body) == root));
    for (body, other, wrench) in acted.active.holds() {
        let share = on(body) - other.map_or(0.0, on);
        let lever = middle.bodies[body].reference - com;
        impulse += wrench.linear * share;
        turn += (wrench.angular + lever.cross(&wrench.linear)) * share;
    }
    for contact in acted.contacts {
        let share = on(contact.body) - contact.other.map_or(0.0, on);
        if share != 0.0 {
            let both_float = model.floats(contact.body) && contact.other.is_some_and(|other| model.floats(other));
            let com = if both_float { goes } else { com };
            impulse += contact.impulse * share;
            turn += ((contact.position - com).cross(&contact.impulse) + contact.angular_impulse) * share;
        }
    }
    (impulse, turn)
}
