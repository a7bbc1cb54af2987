//! How far a piece can be moved by each joint.

use super::bodies::Bodies;
use crate::collision::Sphere;

/// For each joint of the group how far the farthest point of these spheres, which are on a body, moves at most, per
/// radian or metre of the joint [m/rad or m/m], wherever the joints are within `limits`.
pub(super) fn ways(bodies: &Bodies, body: usize, spheres: &[Sphere], limits: &[[f64; 2]]) -> Vec<f64> {
    let mut ways = vec![0.0; limits.len()];
    let own = |sphere: &Sphere| sphere.center.norm() + sphere.radius;
    let beside = |sphere: &Sphere| libm::hypot(sphere.center.x, sphere.center.y) + sphere.radius;
    // the farthest from the axis of the joint that is looked at, and from its origin
    let mut from_axis = spheres.iter().map(beside).fold(0.0, f64::max);
    let mut from_origin = spheres.iter().map(own).fold(0.0, f64::max);
    let mut at = body;
    while let Some(parent) = bodies.bodies[at].parent {
        let joint = &bodies.bodies[at];
        let lever = if joint.slides { 1.0 } else { from_axis };
        ways[joint.variable] += joint.multiplier.abs() * lever;
        let ends = limits[joint.variable].map(|limit| (joint.multiplier * limit + joint.offset).abs());
        let slide = if joint.slides { ends[0].max(ends[1]) } else { 0.0 };
        let offset = joint.fixed.translation.vector;
        from_axis = from_origin + slide + libm::hypot(offset.x, offset.y);
        from_origin += slide + offset.norm();
        at = parent;
    }
    ways
}

/// How far from the origin of its first joint the farthest point of these spheres can ever be [m], and where that joint is
/// in the frame of what does not move.
pub(super) fn reach(
    bodies: &Bodies,
    body: usize,
    spheres: &[Sphere],
    limits: &[[f64; 2]],
) -> (nalgebra::Vector3<f64>, f64) {
    let mut far = spheres.iter().map(|sphere| sphere.center.norm() + sphere.radius).fold(0.0, f64::max);
    let mut at = body;
    loop {
        let joint = &bodies.bodies[at];
        if joint.slides {
            let ends = limits[joint.variable].map(|limit| (joint.multiplier * limit + joint.offset).abs());
            far += ends[0].max(ends[1]);
        }
        match joint.parent {
            Some(parent) if parent > 0 => {
                far += joint.fixed.translation.vector.norm();
                at = parent;
            }
            _ => return (joint.fixed.translation.vector, far),
        }
    }
}
