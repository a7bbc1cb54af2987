//! Few points of two bodies instead of many.

use nalgebra::Vector3;

use crate::finder::{MOST, Near};

/// Points of two bodies closer together than this, with like normals, are one [m].
pub(crate) const APART: f64 = 0.008;
/// Cosine of the angle between like normals.
const LIKE: f64 = 0.95;
/// A point that hovers counts as so much nearer to the middle for each metre that it is higher than the deepest one: what carries comes first.
const HOVERING: f64 = 50.0;

/// Adds a point of two bodies unless they have one within `apart` [m]; of two the deeper one stays.
pub(crate) fn add(points: &mut Vec<Near>, new: Near, apart: f64) {
    for old in &mut *points {
        let near = (old.position - new.position).norm_squared() < apart * apart;
        if near && old.normal.dot(&new.normal) > LIKE {
            if new.gap < old.gap {
                *old = new;
            }
            return;
        }
    }
    points.push(new);
}

/// Of two bodies with too many points the deepest stays, and those that lie farthest out in some direction across its normal and are not much
/// higher. A choice by depth alone would differ from step to step and lose what the points hold; one by place alone would keep what hovers and
/// lose what carries.
pub(crate) fn thin_out(points: &mut Vec<Near>) {
    if points.len() <= MOST {
        return;
    }
    let kept = corners(points);
    let mut index = 0;
    points.retain(|_| {
        index += 1;
        kept.contains(&(index - 1))
    });
}

fn corners(points: &[Near]) -> [usize; MOST] {
    let farthest = |measure: &dyn Fn(&Near) -> f64| {
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
            let height = |point: &Near| HOVERING * (point.gap - points[deepest].gap);
            farthest(&|point| point.position.dot(&right) * cos + point.position.dot(&ahead) * sin - height(point))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(x: f64, y: f64, gap: f64) -> Near {
        Near { position: Vector3::new(x, y, 0.0), normal: Vector3::z(), gap }
    }

    #[test]
    fn what_carries_is_kept_beside_what_hovers_farther_out() {
        let carrying = [(0.07, 0.05), (-0.06, 0.04), (0.0, -0.06)];
        let hovering = [(0.1, 0.1), (-0.1, 0.1), (-0.1, -0.1), (0.1, -0.1), (0.0, 0.12), (0.12, 0.0)];
        for deepest in 0..carrying.len() {
            let mut points: Vec<Near> = hovering.iter().map(|(x, y)| point(*x, *y, 5e-3)).collect();
            points.extend(
                carrying
                    .iter()
                    .enumerate()
                    .map(|(index, (x, y))| point(*x, *y, if index == deepest { -8e-5 } else { -7e-5 })),
            );
            thin_out(&mut points);
            for (x, y) in carrying {
                assert!(
                    points.iter().any(|kept| kept.position.x == x && kept.position.y == y),
                    "{x} {y}, deepest {deepest}"
                );
            }
        }
    }
}
