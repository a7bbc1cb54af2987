//! Simple shapes, and points of their surfaces.

use nalgebra::{Isometry3, Point3, Vector3};
use robot_io::math::{cos, sin};

use super::SurfacePoint;

/// A shape about its own origin.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A box with these sides [m].
    Box(Vector3<f64>),
    /// A solid cylinder about z.
    Cylinder {
        /// Its radius [m].
        radius: f64,
        /// Its height [m].
        height: f64,
    },
    /// A cylinder about z that is hollow, with a bottom, and open at the top (+z).
    Cup {
        /// Its radius outside [m].
        radius: f64,
        /// Its height outside [m].
        height: f64,
        /// Of its wall and its bottom [m].
        wall: f64,
    },
    /// Points of a surface, as a file has them.
    Points(Vec<SurfacePoint>),
}

/// A shape in an object's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// What it is.
    pub shape: Shape,
    /// Where it is.
    pub pose: Isometry3<f64>,
}

impl Part {
    /// Points of its surface about `spacing` [m] apart, in the object's frame.
    pub(super) fn sample(&self, spacing: f64) -> Vec<SurfacePoint> {
        let mut sampler = Sampler { spacing, points: Vec::new() };
        match &self.shape {
            Shape::Box(size) => sampler.sides(size),
            Shape::Cylinder { radius, height } => {
                sampler.wall(*radius, [-0.5 * height, 0.5 * height], 1.0);
                sampler.disc([0.0, *radius], 0.5 * height, 1.0);
                sampler.disc([0.0, *radius], -0.5 * height, -1.0);
            }
            Shape::Cup { radius, height, wall } => {
                let inside = radius - wall;
                sampler.wall(*radius, [-0.5 * height, 0.5 * height], 1.0);
                sampler.disc([0.0, *radius], -0.5 * height, -1.0);
                sampler.wall(inside, [wall - 0.5 * height, 0.5 * height], -1.0);
                sampler.disc([0.0, inside], wall - 0.5 * height, 1.0);
                sampler.disc([inside, *radius], 0.5 * height, 1.0);
            }
            Shape::Points(points) => sampler.points.clone_from(points),
        }
        let place = |sample: SurfacePoint| SurfacePoint {
            point: self.pose * sample.point,
            normal: self.pose.rotation * sample.normal,
        };
        sampler.points.into_iter().map(place).collect()
    }

    /// True for a point of the object's frame that is inside by more than `margin` [m], so that it is no surface of the object.
    pub(super) fn holds(&self, point: &Point3<f64>, margin: f64) -> bool {
        let local = self.pose.inverse_transform_point(point);
        let across = (local.x * local.x + local.y * local.y).sqrt();
        match &self.shape {
            Shape::Box(size) => (0..3).all(|axis| local[axis].abs() < 0.5 * size[axis] - margin),
            Shape::Cylinder { radius, height } => across < radius - margin && local.z.abs() < 0.5 * height - margin,
            Shape::Cup { radius, height, wall } => {
                let is_between = across < radius - margin && local.z.abs() < 0.5 * height - margin;
                let is_hollow = across < radius - wall + margin && local.z > wall - 0.5 * height - margin;
                is_between && !is_hollow
            }
            Shape::Points(_) => false,
        }
    }
}

struct Sampler {
    spacing: f64,
    points: Vec<SurfacePoint>,
}

impl Sampler {
    /// The middles of equal parts of a length.
    fn along(&self, low: f64, high: f64) -> impl Iterator<Item = f64> + Clone + use<> {
        let count = self.parts(high - low);
        (0..count).map(move |part| low + (high - low) * (part as f64 + 0.5) / count as f64)
    }

    fn parts(&self, length: f64) -> usize {
        ((length / self.spacing).round() as usize).max(1)
    }

    fn add(&mut self, point: [f64; 3], normal: [f64; 3]) {
        self.points.push(SurfacePoint { point: point.into(), normal: normal.into() });
    }

    fn sides(&mut self, size: &Vector3<f64>) {
        for axis in 0..3 {
            let (second, third) = ((axis + 1) % 3, (axis + 2) % 3);
            let across = |side: usize| self.along(-0.5 * size[side], 0.5 * size[side]);
            let (seconds, thirds) = (across(second), across(third));
            for sign in [-1.0, 1.0] {
                for at in seconds.clone() {
                    for beside in thirds.clone() {
                        let (mut point, mut normal) = ([0.0; 3], [0.0; 3]);
                        point[axis] = sign * 0.5 * size[axis];
                        (point[second], point[third]) = (at, beside);
                        normal[axis] = sign;
                        self.add(point, normal);
                    }
                }
            }
        }
    }

    /// The side of a cylinder, its normals outwards (1) or inwards (−1).
    fn wall(&mut self, radius: f64, [low, high]: [f64; 2], outward: f64) {
        for z in self.along(low, high) {
            self.ring(radius, |cosine, sine| {
                ([radius * cosine, radius * sine, z], [outward * cosine, outward * sine, 0.0])
            });
        }
    }

    /// A disc or a ring across z.
    fn disc(&mut self, [inner, outer]: [f64; 2], z: f64, up: f64) {
        for radius in self.along(inner, outer) {
            self.ring(radius, |cosine, sine| ([radius * cosine, radius * sine, z], [0.0, 0.0, up]));
        }
    }

    fn ring(&mut self, radius: f64, at: impl Fn(f64, f64) -> ([f64; 3], [f64; 3])) {
        let count = self.parts(core::f64::consts::TAU * radius).max(3);
        for part in 0..count {
            let angle = core::f64::consts::TAU * part as f64 / count as f64;
            let (point, normal) = at(cos(angle), sin(angle));
            self.add(point, normal);
        }
    }
}
