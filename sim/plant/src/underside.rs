//! The lower side of a shape, and where else rays meet it: how low it is over a place on the ground, and how it leans there.

use nalgebra::{Isometry3, Matrix3, Vector3};
use parry3d::shape::{ConvexPolyhedron, SharedShape, TypedShape};

use crate::convert::vector64;
use crate::vision::{Form, Ray};

/// A convex shape that rays from below can meet.
#[derive(Clone, Debug)]
pub(crate) enum Underside {
    /// A shape in closed form, which stands along z in a frame of its own.
    Form { form: Form, in_shape: Isometry3<f64> },
    /// The half spaces of a polyhedron: normals outwards, and how far they are from the origin [m].
    Hull(Vec<(Vector3<f64>, f64)>),
}

impl Underside {
    /// Of a shape; `None` if it is none of the shapes that links and moving objects have.
    pub fn of(shape: &SharedShape) -> Option<Underside> {
        let along_y = Isometry3::rotation(-Vector3::x() * core::f64::consts::FRAC_PI_2);
        let upright = |form: Form| Underside::Form { form, in_shape: along_y };
        let plain = |form: Form| Underside::Form { form, in_shape: Isometry3::identity() };
        let wide = |number: f32| f64::from(number);
        Some(match shape.as_typed_shape() {
            TypedShape::Ball(ball) => plain(Form::Ball(wide(ball.radius))),
            TypedShape::Cuboid(cuboid) => plain(Form::Cuboid(vector64(cuboid.half_extents))),
            TypedShape::Cylinder(cylinder) => {
                upright(Form::Cylinder(wide(cylinder.radius), wide(cylinder.half_height)))
            }
            TypedShape::RoundCylinder(round) => {
                let (inner, border) = (&round.inner_shape, wide(round.border_radius));
                upright(Form::Cylinder(wide(inner.radius) + border, wide(inner.half_height) + border))
            }
            TypedShape::Capsule(capsule) => {
                let (a, b) = (vector64(capsule.segment.a), vector64(capsule.segment.b));
                let turn = nalgebra::UnitQuaternion::rotation_between(&Vector3::z(), &(b - a)).unwrap_or_default();
                let in_shape = Isometry3::from_parts((0.5 * (a + b)).into(), turn);
                Underside::Form { form: Form::Capsule(wide(capsule.radius), 0.5 * (b - a).norm()), in_shape }
            }
            TypedShape::ConvexPolyhedron(hull) => Underside::Hull(half_spaces(hull)),
            _ => return None,
        })
    }

    /// It at a pose; all of it is within `half` [m] of the height `middle` [m].
    pub fn at(&self, pose: &Isometry3<f64>, middle: f64, half: f64) -> Placed<'_> {
        let pose = match self {
            Underside::Form { in_shape, .. } => pose * in_shape,
            Underside::Hull(_) => *pose,
        };
        let to_shape = pose.rotation.inverse().to_rotation_matrix().into_inner();
        let (under, over) = (middle - half - 1.0, middle + half + 1.0);
        Placed { shape: self, to_shape, at: pose.translation.vector, under, over }
    }
}

/// An underside in the world.
pub(crate) struct Placed<'a> {
    shape: &'a Underside,
    to_shape: Matrix3<f64>,
    at: Vector3<f64>,
    under: f64,
    over: f64,
}

impl Placed<'_> {
    /// Where a vertical line from below first meets the shape: its height [m], and the shape's normal there.
    pub fn above(&self, x: f64, y: f64) -> Option<(f64, Vector3<f64>)> {
        let (distance, normal) = self.cast(&Vector3::new(x, y, self.under), &Vector3::z())?;
        Some((self.under + distance, normal))
    }

    /// Where a vertical line from above first meets it: its height [m].
    pub fn below(&self, x: f64, y: f64) -> Option<f64> {
        let (distance, _) = self.cast(&Vector3::new(x, y, self.over), &-Vector3::z())?;
        Some(self.over - distance)
    }

    /// Where a line from outside first meets it, in a direction of unit length: how far away [m], and the shape's normal there.
    pub fn cast(&self, from: &Vector3<f64>, direction: &Vector3<f64>) -> Option<(f64, Vector3<f64>)> {
        let ray = Ray { origin: self.to_shape * (from - self.at), direction: self.to_shape * direction };
        let (distance, normal) = match self.shape {
            Underside::Form { form, .. } => form.cast(&ray, f64::INFINITY)?,
            Underside::Hull(faces) => enter(faces, &ray)?,
        };
        Some((distance, self.to_shape.tr_mul(&normal)))
    }
}

/// The last face through which a ray comes in, if that is before the first through which it goes out.
fn enter(faces: &[(Vector3<f64>, f64)], ray: &Ray) -> Option<(f64, Vector3<f64>)> {
    let (mut enters, mut leaves, mut through) = (0.0_f64, f64::INFINITY, None);
    for (normal, offset) in faces {
        let (far, speed) = (offset - normal.dot(&ray.origin), normal.dot(&ray.direction));
        if speed < 0.0 {
            let at = far / speed;
            if at > enters {
                (enters, through) = (at, Some(*normal));
            }
        } else if speed > 0.0 {
            leaves = leaves.min(far / speed);
        } else if far < 0.0 {
            return None;
        }
    }
    through.filter(|_| enters <= leaves).map(|normal| (enters, normal))
}

fn half_spaces(hull: &ConvexPolyhedron) -> Vec<(Vector3<f64>, f64)> {
    let (points, corners) = (hull.points(), hull.vertices_adj_to_face());
    let faces = hull.faces().iter();
    faces
        .map(|face| {
            let normal = vector64(face.normal).normalize();
            let first = points[corners[face.first_vertex_or_edge as usize] as usize];
            (normal, normal.dot(&vector64(first)))
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_hull_and_a_box_are_as_low_as_each_other() {
        let pose = Isometry3::new(Vector3::new(0.3, -0.2, 0.5), Vector3::new(0.3, 0.5, -0.2));
        let half = Vector3::new(0.1, 0.2, 0.05);
        let corners = [-1.0, 1.0].map(|x| [-1.0, 1.0].map(|y| [-1.0, 1.0].map(|z| [x, y, z])));
        let corners = corners.as_flattened().as_flattened().iter();
        let corners: Vec<_> =
            corners.map(|c| crate::convert::vector(&half.component_mul(&Vector3::from(*c)))).collect();
        let hull = Underside::of(&SharedShape::convex_hull(&corners).unwrap()).unwrap();
        let cuboid = Underside::of(&SharedShape::cuboid(0.1, 0.2, 0.05)).unwrap();
        let (hull, cuboid) = (hull.at(&pose, 0.5, 0.3), cuboid.at(&pose, 0.5, 0.3));
        let mut met = 0;
        for place in 0..400 {
            let (x, y) = (0.1 + 0.02 * f64::from(place % 20), -0.4 + 0.02 * f64::from(place / 20));
            let (one, two) = (hull.above(x, y), cuboid.above(x, y));
            assert_eq!(one.is_some(), two.is_some(), "{x} {y}");
            if let (Some((low, normal)), Some((other, turned))) = (one, two) {
                met += 1;
                assert!((low - other).abs() < 1e-6 && (normal - turned).norm() < 1e-6, "{low} {other}");
            }
        }
        assert!(met > 50, "{met}");
    }

    #[test]
    fn a_wheel_is_lowest_below_its_axle() {
        let wheel = Underside::of(&SharedShape::round_cylinder(0.015, 0.075, 0.005)).unwrap();
        let pose = Isometry3::translation(1.0, 2.0, 0.08);
        let wheel = wheel.at(&pose, 0.08, 0.08);
        let (low, normal) = wheel.above(1.0, 2.01).unwrap();
        assert!(low.abs() < 1e-7 && (normal + Vector3::z()).norm() < 1e-7, "{low} {normal}");
        let (low, normal) = wheel.above(1.04, 2.0).unwrap();
        assert!((low - (0.08 - 0.0048_f64.sqrt())).abs() < 1e-7 && (normal.x - 0.5).abs() < 1e-6, "{low} {normal}");
        assert!(wheel.above(1.0, 2.03).is_none());
        assert!((wheel.below(1.0, 2.01).unwrap() - 0.16).abs() < 1e-7);
        let (far, normal) = wheel.cast(&Vector3::new(2.0, 2.0, 0.08), &-Vector3::x()).unwrap();
        assert!((far - 0.92).abs() < 1e-7 && (normal - Vector3::x()).norm() < 1e-7, "{far} {normal}");
    }
}
