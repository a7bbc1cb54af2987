//! Few points of two bodies instead of many.

use mechanics::Contact;
use nalgebra::Vector3;

/// Points of two bodies closer together than this, with like normals, are one [m].
const APART: f64 = 0.008;
/// Cosine of the angle between like normals.
const LIKE: f64 = 0.95;
/// Most points of two bodies; more would only say the same again.
const MOST: usize = 6;

/// Adds a point unless these bodies, whose points begin with `first`, have one there; of two the deeper one stays.
pub(crate) fn add(points: &mut Vec<Contact>, first: usize, new: Contact) {
    for old in &mut points[first..] {
        let near = (old.position - new.position).norm_squared() < APART * APART;
        if near && old.normal.dot(&new.normal) > LIKE {
            if new.gap < old.gap {
                *old = new;
            }
            return;
        }
    }
    points.push(new);
}

/// Of two bodies with too many points, those from `first` on, the deepest stays, and those that lie farthest out in some direction across
/// its normal. A choice by depth alone would differ from step to step and lose what the points hold.
pub(crate) fn thin_out(points: &mut Vec<Contact>, first: usize) {
    let own = &points[first..];
    if own.len() <= MOST {
        return;
    }
    let kept = corners(own);
    let mut index = 0;
    let mut place = first;
    while index + first < points.len() {
        if kept.contains(&index) {
            points[place] = points[first + index];
            place += 1;
        }
        index += 1;
    }
    points.truncate(place);
}

fn corners(points: &[Contact]) -> [usize; MOST] {
    let farthest = |measure: &dyn Fn(&Contact) -> f64| {
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, point) in points.iter().enumerate() {
            let measured = measure(point);
            // a little more than the best so far, so that equals do not change places
            if measured > best.0 + 1e-6 {
                best = (measured, index);
            }
        }
        best.1
    };
    let deepest = farthest(&|point| -point.gap);
    let normal = points[deepest].normal;
    let along = if normal.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
    let (right, ahead) = (normal.cross(&along).normalize(), along - normal * normal.dot(&along));
    core::array::from_fn(|side| match side {
        0 => deepest,
        _ => {
            let (sin, cos) = libm::sincos(0.3 + core::f64::consts::TAU * side as f64 / (MOST - 1) as f64);
            farthest(&|point| point.position.dot(&right) * cos + point.position.dot(&ahead) * sin)
        }
    })
}
