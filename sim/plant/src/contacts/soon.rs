//! Which surfaces may meet within a step.

use mechanics::Kinematics;
use nalgebra::Vector3;

use super::Middle;
use crate::encounters::Cluster;
use crate::finder::Near;
use crate::self_contact::NEAR_OWN;
use crate::solids::{Carrier, Solid};

/// Surfaces may meet within a step if they are no farther apart than they would come nearer in it at this speed [m/s], and at so many times the
/// speed that they have: a blow elsewhere may turn a body fast.
const SUDDEN: f64 = 1.0;
const FASTER: f64 = 3.0;

/// Surfaces that move against each other at a speed [m/s] may meet within a step of `step` [s] if they are no farther apart than this [m].
fn reach(step: f64, speed: f64) -> f64 {
    step * (SUDDEN + FASTER * speed)
}

/// Whether the surfaces of a body and of what it is near may meet within the step.
pub(super) fn may_meet(middle: Middle, bodies: (usize, Carrier), near: &Near) -> bool {
    near.gap <= reach(middle.step, relative_velocity(middle, bodies, &near.position).norm())
}

/// No surface of a cluster that is farther than this from what stays where it is meets it within the step [m].
pub(super) fn reach_of_cluster(Middle { mechanics, step, .. }: Middle, cluster: &Cluster) -> f64 {
    reach(step, cluster.fastest(mechanics.middle()))
}

/// No surfaces of two solids of one robot that are farther than this from each other meet within the step [m].
pub(super) fn reach_of_own(Middle { mechanics, step, .. }: Middle, one: &Solid, two: &Solid) -> f64 {
    let (Carrier::Body(body), Carrier::Body(other)) = (one.carrier, two.carrier) else { return f64::INFINITY };
    let Kinematics { bodies, .. } = mechanics.middle();
    let (at, radius) = one.ball();
    let [own, others] = [body, other].map(|body| bodies[body].twist.at(&(at - bodies[body].reference)));
    // what they meet at is that near to the first one
    let turns = (own.angular - others.angular).norm() * (radius + NEAR_OWN);
    reach(step, (own.linear - others.linear).norm() + turns)
}

/// Velocity [m/s] of a body's point against what carries it where it touches.
fn relative_velocity(middle: Middle, (body, other): (usize, Carrier), at: &Vector3<f64>) -> Vector3<f64> {
    let of = |body: usize| middle.mechanics.middle().velocity_at(body, at);
    let others = match other {
        Carrier::World => Vector3::zeros(),
        Carrier::Rail(object) => rail_velocity(middle, object, at),
        Carrier::Body(other) => of(other),
    };
    of(body) - others
}

/// Velocity [m/s] of a point of an object that goes where it wants.
pub(super) fn rail_velocity(
    Middle { world, time, step, .. }: Middle,
    object: usize,
    at: &Vector3<f64>,
) -> Vector3<f64> {
    let pose = |time: f64| world.objects[object].pose_at(time, &world.terrain);
    let (before, after) = (pose(time - 0.5 * step), pose(time + 0.5 * step));
    let moved = after * before.inverse() * nalgebra::Point3::from(*at);
    (moved.coords - at) / step
}
