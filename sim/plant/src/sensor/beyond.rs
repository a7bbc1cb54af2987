//! What is screwed to a body beyond a joint that does not move, and what it asks of that joint.

use mechanics::{Contact, Kinematics, Mechanics};
use nalgebra::{Point3, Vector3};
use robot_model::{Inertia, Motion, SpatialInertia, Tree};

use crate::collision::Owner;
use crate::frame::Push;
use crate::spawn::{LinkPlace, Placement};
use crate::tag::owners;

/// A link that is fixed to its parent, with all that is fixed to it in turn: a part of one body of the mechanics.
#[derive(Clone, Debug)]
pub(crate) struct Beyond {
    /// Where the link is.
    place: LinkPlace,
    /// For each link of the tree whether it is a part.
    parts: Vec<bool>,
    /// The bodies that hang on these links by joints that move.
    hung: Vec<usize>,
    /// Of all parts, in the body's frame.
    inertia: Inertia,
    /// Before the step.
    momentum: Momentum,
}

/// What acts on the robot in a step beside its joints.
#[derive(Clone, Copy)]
pub(crate) struct Acted<'a> {
    /// [m/s²], in the world.
    pub gravity: Vector3<f64>,
    pub contacts: &'a [Contact],
    pub pushes: &'a [Push],
    pub placement: &'a Placement,
    /// Of the step [s].
    pub step: f64,
}

/// Linear [kg·m/s], and angular about the centre of mass [kg·m²/s], along the world's axes.
#[derive(Clone, Copy, Debug, Default)]
struct Momentum {
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

/// Forces and their torques about a point.
struct Sum {
    about: Vector3<f64>,
    force: Vector3<f64>,
    torque: Vector3<f64>,
}

impl Beyond {
    /// `link` and what is fixed to it.
    pub fn new(tree: &Tree, placement: &Placement, link: usize) -> Beyond {
        let mut parts = vec![false; tree.links.len()];
        let mut lump = SpatialInertia::zero();
        for (index, part) in tree.links.iter().enumerate().skip(link) {
            let follows = part.motion == Motion::Fixed && part.parent.is_some_and(|parent| parts[parent]);
            if index == link || follows {
                parts[index] = true;
                lump += SpatialInertia::of_link(&part.inertia).transformed(&placement.links[index].pose_in_body);
            }
        }
        let hangs = |joint: &usize| tree.links[*joint].parent.is_some_and(|parent| parts[parent]);
        let moving = placement.joints.iter().map(|joint| joint.link);
        Beyond {
            place: placement.links[link],
            hung: moving.filter(hangs).map(|link| placement.links[link].number).collect(),
            parts,
            inertia: lump.to_inertia(),
            momentum: Momentum::default(),
        }
    }

    /// Before a step.
    pub fn begin(&mut self, now: &Kinematics) {
        self.momentum = self.momentum(now);
    }

    /// Force [N] and torque [N·m] of the parts on what carries them in the step that has just ended, about the link's origin and along the world's
    /// axes: all that acts on them, less what they gained (Newton and Euler).
    pub fn wrench(&self, mechanics: &Mechanics, acted: Acted) -> (Vector3<f64>, Vector3<f64>) {
        let Acted { gravity, contacts, pushes, placement, step } = acted;
        let middle = mechanics.middle();
        let at = |body: usize, point: Vector3<f64>| (middle.bodies[body].in_world * Point3::from(point)).coords;
        let origin = at(self.place.number, self.place.pose_in_body.translation.vector);
        let mut sum = Sum { about: origin, force: Vector3::zeros(), torque: Vector3::zeros() };

        let com = at(self.place.number, self.inertia.com_in_link);
        let (before, after) = (self.momentum, self.momentum(mechanics.now()));
        let gained = (after.linear - before.linear) / step;
        sum.add(&com, &(gravity * self.inertia.mass - gained), &((before.angular - after.angular) / step));

        let own = placement.own_links();
        let is_part = |owner: Owner| owner.link_of(&own).is_some_and(|link| self.parts[link]);
        for contact in contacts {
            let (one, two) = owners(contact.tag);
            let sign = f64::from(u8::from(is_part(one))) - f64::from(u8::from(is_part(two)));
            sum.add(&contact.position, &(contact.impulse * (sign / step)), &(contact.angular_impulse * (sign / step)));
        }
        for push in pushes.iter().filter(|push| self.parts[push.link]) {
            let place = placement.links[push.link];
            let point = place.pose_in_body * Point3::from(push.point_in_link);
            sum.add(&at(place.number, point.coords), &push.force_in_world, &Vector3::zeros());
        }
        for body in &self.hung {
            let reaction = mechanics.reaction(*body);
            sum.add(&at(*body, Vector3::zeros()), &reaction.linear, &reaction.angular);
        }
        (sum.force, sum.torque)
    }

    fn momentum(&self, now: &Kinematics) -> Momentum {
        let body = &now.bodies[self.place.number];
        let com = (body.in_world * Point3::from(self.inertia.com_in_link)).coords;
        let linear = now.velocity_at(self.place.number, &com) * self.inertia.mass;
        let turning = body.rotation.tr_mul(&body.twist.angular);
        Momentum { linear, angular: body.rotation * (self.inertia.rotational_at_com_in_link * turning) }
    }
}

impl Sum {
    fn add(&mut self, at: &Vector3<f64>, force: &Vector3<f64>, torque: &Vector3<f64>) {
        self.force += force;
        self.torque += torque + (at - self.about).cross(force);
    }
}
