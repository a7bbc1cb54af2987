//! Shapes of objects and links, each cast in its own frame.

use nalgebra::{Isometry3, Vector3};
use robot_model::Geometry;

use super::mesh::Mesh;
use super::ray::Ray;

/// A shape about its own frame's origin; cylinders and capsules stand along z.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// Half its edges [m].
    Cuboid(Vector3<f64>),
    /// Radius and half its height [m].
    Cylinder(f64, f64),
    /// Radius and half the height of its cylindrical part [m].
    Capsule(f64, f64),
    /// Radius [m].
    Ball(f64),
    /// Triangles.
    Mesh(Mesh),
}

/// Where a ray in a shape's frame meets the shape: distance [m] and normal outwards, of unit length.
pub(crate) type LocalHit = (f64, Vector3<f64>);

impl Form {
    /// The shape of a link's geometry; `None` for a mesh, which is a file that the plant does not open.
    pub fn of_geometry(geometry: &Geometry) -> Option<Form> {
        use robot_model::Shape;
        match &geometry.shape {
            Shape::Box { size } => Some(Form::Cuboid(size * 0.5)),
            Shape::Cylinder { radius, length } => Some(Form::Cylinder(*radius, 0.5 * length)),
            Shape::Capsule { radius, length } => Some(Form::Capsule(*radius, 0.5 * length)),
            Shape::Sphere { radius } => Some(Form::Ball(*radius)),
            Shape::Mesh { .. } => None,
        }
    }

    /// The shape of an object.
    pub fn of_object(shape: &worlds::Shape) -> Form {
        use worlds::Shape;
        match shape {
            Shape::Box { half_extents } => Form::Cuboid(Vector3::from(*half_extents)),
            Shape::Cylinder { radius, half_height } => Form::Cylinder(*radius, *half_height),
            Shape::Mesh { vertices, triangles } => Form::Mesh(Mesh::new(vertices, triangles)),
        }
    }

    /// Centre and radius of a ball around it [m].
    pub fn bounding_ball(&self) -> (Vector3<f64>, f64) {
        match self {
            Form::Cuboid(half) => (Vector3::zeros(), half.norm()),
            Form::Cylinder(radius, half) => (Vector3::zeros(), (radius * radius + half * half).sqrt()),
            Form::Capsule(radius, half) => (Vector3::zeros(), radius + half),
            Form::Ball(radius) => (Vector3::zeros(), *radius),
            Form::Mesh(mesh) => mesh.bounding_ball(),
        }
    }

    /// Whether a point lies within; never within a mesh, which may be open.
    pub fn holds(&self, point: &Vector3<f64>) -> bool {
        let across = point.x * point.x + point.y * point.y;
        match self {
            Form::Cuboid(half) => (0..3).all(|axis| point[axis].abs() <= half[axis]),
            Form::Cylinder(radius, half) => across <= radius * radius && point.z.abs() <= *half,
            Form::Capsule(radius, half) => {
                let beyond = (point.z.abs() - half).max(0.0);
                across + beyond * beyond <= radius * radius
            }
            Form::Ball(radius) => point.norm_squared() <= radius * radius,
            Form::Mesh(_) => false,
        }
    }

    /// Where a ray from outside first meets the shape, nearer than `limit` [m]. A ray from within meets nothing, but a
    /// mesh's far side.
    pub fn cast(&self, ray: &Ray, limit: f64) -> Option<LocalHit> {
        let hit = match self {
            Form::Cuboid(half) => cuboid(ray, half),
            Form::Cylinder(radius, half) => cylinder(ray, *radius, *half),
            Form::Capsule(radius, half) => capsule(ray, *radius, *half),
            Form::Ball(radius) => ball(ray, &Vector3::zeros(), *radius),
            Form::Mesh(mesh) => return mesh.cast(ray, limit),
        };
        hit.filter(|(distance, _)| *distance < limit)
    }
}

/// A ray in the frame of a pose.
pub(crate) fn local(ray: &Ray, pose: &Isometry3<f64>) -> Ray {
    Ray {
        origin: pose.rotation.inverse_transform_vector(&(ray.origin - pose.translation.vector)),
        direction: pose.rotation.inverse_transform_vector(&ray.direction),
    }
}

/// The slabs method: the last of the entries before the first of the exits.
fn cuboid(ray: &Ray, half: &Vector3<f64>) -> Option<LocalHit> {
    let (mut enter, mut exit, mut axis) = (f64::NEG_INFINITY, f64::INFINITY, 0);
    for i in 0..3 {
        let (o, d) = (ray.origin[i], ray.direction[i]);
        if d == 0.0 {
            if o.abs() > half[i] {
                return None;
            }
            continue;
        }
        let near = (-half[i] * d.signum() - o) / d;
        if near > enter {
            (enter, axis) = (near, i);
        }
        exit = exit.min((half[i] * d.signum() - o) / d);
    }
    if enter > exit || enter < 0.0 {
        return None;
    }
    let mut normal = Vector3::zeros();
    normal[axis] = -ray.direction[axis].signum();
    Some((enter, normal))
}

fn cylinder(ray: &Ray, radius: f64, half: f64) -> Option<LocalHit> {
    let (o, d) = (ray.origin, ray.direction);
    let side = around_z(ray, radius).filter(|t| (o.z + d.z * t).abs() <= half);
    if let Some(t) = side {
        let at = ray.at(t);
        return Some((t, Vector3::new(at.x / radius, at.y / radius, 0.0)));
    }
    // the end that faces the ray
    let end = half * -d.z.signum();
    let t = (end - o.z) / d.z;
    let at = ray.at(t);
    let meets = t >= 0.0 && at.x * at.x + at.y * at.y <= radius * radius;
    meets.then(|| (t, Vector3::new(0.0, 0.0, -d.z.signum())))
}

fn capsule(ray: &Ray, radius: f64, half: f64) -> Option<LocalHit> {
    let side = around_z(ray, radius).filter(|t| (ray.origin.z + ray.direction.z * t).abs() <= half);
    if let Some(t) = side {
        let at = ray.at(t);
        return Some((t, Vector3::new(at.x / radius, at.y / radius, 0.0)));
    }
    let ends = [half, -half].into_iter().filter_map(|z| ball(ray, &Vector3::new(0.0, 0.0, z), radius));
    // from within one half sphere the other one's far cap is no surface
    let beyond = (ray.origin.z.abs() - half).max(0.0);
    if ray.origin.xy().norm_squared() + beyond * beyond <= radius * radius {
        return None;
    }
    let outside = ends.filter(|(t, _)| (ray.origin.z + ray.direction.z * t).abs() >= half);
    outside.reduce(|a, b| if b.0 < a.0 { b } else { a })
}

/// Where a ray enters the endless cylinder about z.
fn around_z(ray: &Ray, radius: f64) -> Option<f64> {
    let (o, d) = (ray.origin, ray.direction);
    let a = d.x * d.x + d.y * d.y;
    let b = o.x * d.x + o.y * d.y;
    let c = o.x * o.x + o.y * o.y - radius * radius;
    let root = b * b - a * c;
    if a < 1e-24 || root < 0.0 {
        return None;
    }
    Some((-b - root.sqrt()) / a).filter(|t| *t >= 0.0)
}

fn ball(ray: &Ray, centre: &Vector3<f64>, radius: f64) -> Option<LocalHit> {
    let from = ray.origin - centre;
    let b = from.dot(&ray.direction);
    let root = b * b - (from.norm_squared() - radius * radius);
    if root < 0.0 {
        return None;
    }
    let t = -b - root.sqrt();
    (t >= 0.0).then(|| (t, (from + ray.direction * t) / radius))
}
