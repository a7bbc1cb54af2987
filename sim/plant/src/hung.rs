//! Objects that hang on others or on the world: doors, drawers, levers, switches.

use mechanics::{Body, Constraint, Drive, Joint};
use nalgebra::Isometry3;
use robot_model::Inertia;
use worlds::{ObjectJoint, World};

use crate::actuator::Passive;
use crate::collision::Owner;
use crate::error::PlantError;
use crate::shapes;
use crate::spawn::{Spawned, carrier, in_body};

/// The bodies of all objects that move by physics, in their order, and the stops of their joints.
pub(crate) fn bodies(world: &World, spawned: &Spawned) -> Result<(Vec<Body>, Vec<Constraint>), PlantError> {
    let (mut bodies, mut stops) = (Vec::new(), Vec::new());
    // the frame of an object's body where the object begins
    let begins = |object: usize| world.objects[object].pose_in_world * in_body(&world.objects[object]).inverse();
    for (number, &index) in spawned.moving.iter().enumerate() {
        let object = &world.objects[index];
        let mut inertia = shapes::inertia(&shapes::of_object(object)?, object.mass.unwrap_or_default());
        inertia = moved(&inertia, &in_body(object));
        let carried_by = carrier(world, index);
        let parent = carried_by.and_then(|carrier| spawned.objects[carrier]).map(|place| place.number);
        let in_parent = carried_by.map_or_else(Isometry3::identity, |carrier| begins(carrier).inverse());
        let joint = object.joint.as_ref().map_or(Joint::Free, |joint| match joint.slides {
            true => Joint::Prismatic(joint.axis),
            false => Joint::Revolute(joint.axis),
        });
        let stop = object
            .joint
            .as_ref()
            .map(|joint| joint.limits)
            .filter(|limits| limits.iter().any(|limit| limit.is_finite()));
        stops.extend(stop.map(|[lower, upper]| Constraint::Limit { body: number, lower, upper, buffer: None }));
        bodies.push(Body { parent, joint, placement_in_parent: in_parent * begins(index), inertia, rotor: 0.0 });
    }
    Ok((bodies, stops))
}

/// An inertia in a frame in which its own is at a place that is not turned.
fn moved(inertia: &Inertia, place: &Isometry3<f64>) -> Inertia {
    Inertia { com_in_link: inertia.com_in_link + place.translation.vector, ..*inertia }
}

/// Whether one of two objects carries the other: they do not touch each other.
pub(crate) fn hang_together(world: &World, one: Owner, two: Owner) -> bool {
    let (Owner::Object(one), Owner::Object(two)) = (one, two) else { return false };
    let on = |object: usize| world.objects[object].joint.as_ref().and_then(|joint| joint.carrier);
    on(one) == Some(two) || on(two) == Some(one)
}

/// What acts in a joint at a position [rad or m] and a velocity: spring, friction, and the catch where it holds.
pub(crate) fn drive(joint: &ObjectJoint, position: f64, velocity: f64) -> Drive {
    let Drive { damping, .. } = Passive::new(joint.damping, joint.friction).drive(velocity);
    // a catch is a well that the joint has to climb out of: it costs to leave and pays to come back
    let catch =
        joint.latch.filter(|latch| position.abs() < latch.within).map_or(0.0, |latch| latch.effort / latch.within);
    let stiffness = joint.spring + catch;
    let rest_position = if stiffness > 0.0 { joint.spring * joint.rest / stiffness } else { 0.0 };
    Drive { stiffness, damping, rest_position, ..Drive::default() }
}
