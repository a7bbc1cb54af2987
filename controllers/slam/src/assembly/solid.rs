//! Shapes as beams meet them.

use nalgebra::{Point3, Vector3};
use robot_io::math::hypot;
use robot_io::{State, StateVisitor};
use robot_model::Shape;

/// A convex shape about its own frame's origin; cylinders stand along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Solid {
    /// Half its edges [m].
    Box(Vector3<f64>),
    /// Radius and half its height [m].
    Cylinder(f64, f64),
    /// Radius [m].
    Ball(f64),
}

impl Solid {
    /// A solid that holds the shape; a capsule's is the cylinder around it. `None` for a mesh.
    pub fn of(shape: &Shape) -> Option<Solid> {
        match shape {
            Shape::Box { size } => Some(Solid::Box(0.5 * size)),
            Shape::Cylinder { radius, length } => Some(Solid::Cylinder(*radius, 0.5 * length)),
            Shape::Capsule { radius, length } => Some(Solid::Cylinder(*radius, 0.5 * length + radius)),
            Shape::Sphere { radius } => Some(Solid::Ball(*radius)),
            Shape::Mesh { .. } => None,
        }
    }

    /// Radius of the ball about the origin that holds it [m].
    pub fn radius(&self) -> f64 {
        match self {
            Solid::Box(half) => half.norm(),
            Solid::Cylinder(radius, half) => hypot(*radius, *half),
            Solid::Ball(radius) => *radius,
        }
    }

    /// Where a line enters and leaves the solid made larger by `padding` on all sides [m], measured along `direction` from
    /// `origin`; `None` if it misses it. All in the solid's frame.
    pub fn span(&self, padding: f64, origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<[f64; 2]> {
        let (o, d) = (&origin.coords, direction);
        let [enter, leave] = match *self {
            Solid::Box(half) => {
                let slabs = [0, 1, 2].map(|axis| slab(o[axis], d[axis], half[axis] + padding));
                both(both(slabs[0], slabs[1]), slabs[2])
            }
            Solid::Cylinder(radius, half) => {
                let (a, b, c) = (d.xy().norm_squared(), o.xy().dot(&d.xy()), o.xy().norm_squared());
                both(round(a, b, c, radius + padding)?, slab(o.z, d.z, half + padding))
            }
            Solid::Ball(radius) => round(d.norm_squared(), o.dot(d), o.norm_squared(), radius + padding)?,
        };
        (enter <= leave).then_some([enter, leave])
    }
}

impl Default for Solid {
    fn default() -> Self {
        Solid::Ball(0.0)
    }
}

impl State for Solid {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let (mut kind, mut sizes) = match *self {
            Solid::Box(half) => (0_usize, half),
            Solid::Cylinder(radius, half) => (1, Vector3::new(radius, half, 0.0)),
            Solid::Ball(radius) => (2, Vector3::new(radius, 0.0, 0.0)),
        };
        visitor.field("kind", &mut kind);
        visitor.field("sizes", &mut sizes);
        *self = match kind {
            0 => Solid::Box(sizes),
            1 => Solid::Cylinder(sizes.x, sizes.y),
            _ => Solid::Ball(sizes.x),
        };
    }
}

/// Where a line is within a slab; beside it, nowhere, which is an entry beyond the exit.
fn slab(origin: f64, direction: f64, half: f64) -> [f64; 2] {
    // a line along the slab divides by zero: infinities of one sign beside it, of both within
    let (a, b) = ((-half - origin) / direction, (half - origin) / direction);
    [a.min(b), a.max(b)]
}

/// Where a·t² + 2·b·t + c ≤ r².
fn round(a: f64, b: f64, c: f64, radius: f64) -> Option<[f64; 2]> {
    let c = c - radius * radius;
    if a < 1e-18 {
        return (c <= 0.0).then_some([f64::NEG_INFINITY, f64::INFINITY]);
    }
    let square = b * b - a * c;
    (square >= 0.0).then(|| [(-b - square.sqrt()) / a, (-b + square.sqrt()) / a])
}

fn both(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0].max(other[0]), one[1].min(other[1])]
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn solid() -> impl Strategy<Value = Solid> {
        let size = || 0.01..1.0_f64;
        prop_oneof![
            (size(), size(), size()).prop_map(|(x, y, z)| Solid::Box(Vector3::new(x, y, z))),
            (size(), size()).prop_map(|(radius, half)| Solid::Cylinder(radius, half)),
            size().prop_map(Solid::Ball),
        ]
    }

    fn holds(solid: &Solid, padding: f64, point: &Point3<f64>) -> bool {
        match solid {
            Solid::Box(half) => (0..3).all(|axis| point[axis].abs() <= half[axis] + padding),
            Solid::Cylinder(radius, half) => {
                hypot(point.x, point.y) <= radius + padding && point.z.abs() <= half + padding
            }
            Solid::Ball(radius) => point.coords.norm() <= radius + padding,
        }
    }

    proptest! {
        #[test]
        fn a_line_is_inside_between_entry_and_exit_and_nowhere_else(
            solid in solid(),
            origin in prop::array::uniform3(-3.0..3.0_f64),
            toward in prop::array::uniform3(-1.0..1.0_f64),
            along in -1.0..7.0_f64,
        ) {
            let (origin, direction) = (Point3::from(origin), (Vector3::from(toward) + Vector3::x() * 1e-3).normalize());
            let span = solid.span(0.02, &origin, &direction);
            let at = origin + direction * along;
            let expected = span.is_some_and(|[enter, leave]| (enter..=leave).contains(&along));
            let near = span.is_some_and(|span| span.iter().any(|end| (end - along).abs() < 1e-9));
            prop_assert!(near || expected == holds(&solid, 0.02, &at));
        }
    }

    #[test]
    fn lines_along_an_axis_are_told_apart_within_and_beside() {
        let cuboid = Solid::Box(Vector3::repeat(1.0));
        let along_x = |y: f64| cuboid.span(0.0, &Point3::new(-5.0, y, 0.0), &Vector3::x());
        assert_eq!((along_x(0.5), along_x(1.5)), (Some([4.0, 6.0]), None));
        let post = Solid::Cylinder(0.5, 1.0);
        let down = |x: f64| post.span(0.0, &Point3::new(x, 0.0, 5.0), &-Vector3::z());
        assert_eq!((down(0.4), down(0.6)), (Some([4.0, 6.0]), None));
    }
}
