//! Rays against boxes, cylinders, cups and the ground.

use nalgebra::{Isometry3, Point3, Vector3};

#[derive(Clone, Copy, Debug)]
pub enum Form {
    Box(Vector3<f64>),
    Cylinder { radius: f64, height: f64 },
    Cup { radius: f64, height: f64, wall: f64 },
}

#[derive(Clone, Copy, Debug)]
pub struct Body {
    pub form: Form,
    pub pose: Isometry3<f64>,
    pub rgb: [f64; 3],
}

/// Bodies on level ground, which may be wavy.
#[derive(Clone, Debug, Default)]
pub struct World {
    pub bodies: Vec<Body>,
    /// Height of the ground's waves [m].
    pub waves: f64,
}

#[derive(Clone, Copy, Debug)]
pub struct Hit {
    /// In lengths of the ray.
    pub along: f64,
    pub normal: Vector3<f64>,
    pub rgb: [f64; 3],
}

impl World {
    pub fn of(bodies: &[Body]) -> World {
        World { bodies: bodies.to_vec(), waves: 0.0 }
    }

    pub fn height(&self, x: f64, y: f64) -> f64 {
        self.waves * ((17.0 * x).sin() * (13.0 * y).cos())
    }

    pub fn cast(&self, origin: &Point3<f64>, ray: &Vector3<f64>) -> Option<Hit> {
        let bodies = self.bodies.iter().filter_map(|body| body.cast(origin, ray));
        let ground = self.ground(origin, ray);
        bodies.chain(ground).min_by(|one, other| one.along.total_cmp(&other.along))
    }

    fn ground(&self, origin: &Point3<f64>, ray: &Vector3<f64>) -> Option<Hit> {
        if ray.z >= -1e-6 {
            return None;
        }
        let mut along = -origin.z / ray.z;
        // waves are flat, so that a few steps find them
        for _ in 0..if self.waves > 0.0 { 12 } else { 0 } {
            let at = origin + ray * along;
            along += (self.height(at.x, at.y) - at.z) / ray.z;
        }
        let at = origin + ray * along;
        let slope = |x: f64, y: f64| (self.height(at.x + x, at.y + y) - self.height(at.x - x, at.y - y)) / 2e-3;
        let normal = Vector3::new(-slope(1e-3, 0.0), -slope(0.0, 1e-3), 1.0).normalize();
        (along > 0.0).then_some(Hit { along, normal, rgb: super::SOIL })
    }
}

impl Body {
    /// Square of the radius of a ball around it.
    fn reach_squared(&self) -> f64 {
        match self.form {
            Form::Box(size) => 0.25 * size.norm_squared(),
            Form::Cylinder { radius, height } | Form::Cup { radius, height, .. } => {
                radius * radius + 0.25 * height * height
            }
        }
    }

    fn cast(&self, origin: &Point3<f64>, ray: &Vector3<f64>) -> Option<Hit> {
        let to_middle = Point3::from(self.pose.translation.vector) - origin;
        if to_middle.cross(ray).norm_squared() > self.reach_squared() * ray.norm_squared() {
            return None;
        }
        let o = self.pose.inverse_transform_point(origin);
        let d = self.pose.inverse_transform_vector(ray);
        let mut hits = Vec::new();
        match self.form {
            Form::Box(size) => {
                for axis in 0..3 {
                    for sign in [-1.0, 1.0] {
                        let along = (0.5 * sign * size[axis] - o[axis]) / d[axis];
                        let at = o + d * along;
                        if (0..3).all(|other| other == axis || at[other].abs() <= 0.5 * size[other]) {
                            let mut normal = Vector3::zeros();
                            normal[axis] = sign;
                            hits.push((along, normal));
                        }
                    }
                }
            }
            Form::Cylinder { radius, height } => {
                side(&o, &d, radius, [-0.5 * height, 0.5 * height], 1.0, &mut hits);
                disc(&o, &d, [0.0, radius], 0.5 * height, 1.0, &mut hits);
                disc(&o, &d, [0.0, radius], -0.5 * height, -1.0, &mut hits);
            }
            Form::Cup { radius, height, wall } => {
                let (low, high, inside) = (-0.5 * height, 0.5 * height, radius - wall);
                side(&o, &d, radius, [low, high], 1.0, &mut hits);
                side(&o, &d, inside, [low + wall, high], -1.0, &mut hits);
                disc(&o, &d, [0.0, radius], low, -1.0, &mut hits);
                disc(&o, &d, [0.0, inside], low + wall, 1.0, &mut hits);
                disc(&o, &d, [inside, radius], high, 1.0, &mut hits);
            }
        }
        let (along, normal) =
            hits.into_iter().filter(|(along, _)| *along > 1e-6).min_by(|one, other| one.0.total_cmp(&other.0))?;
        Some(Hit { along, normal: self.pose.rotation * normal, rgb: self.rgb })
    }
}

type Hits = Vec<(f64, Vector3<f64>)>;

fn side(o: &Point3<f64>, d: &Vector3<f64>, radius: f64, [low, high]: [f64; 2], outward: f64, hits: &mut Hits) {
    let (a, b, c) = (d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y - radius * radius);
    let root = b * b - a * c;
    if a < 1e-12 || root < 0.0 {
        return;
    }
    for sign in [-1.0, 1.0] {
        let along = (-b + sign * root.sqrt()) / a;
        let at = o + d * along;
        if (low..=high).contains(&at.z) {
            hits.push((along, Vector3::new(at.x, at.y, 0.0) * (outward / radius)));
        }
    }
}

fn disc(o: &Point3<f64>, d: &Vector3<f64>, [inner, outer]: [f64; 2], z: f64, up: f64, hits: &mut Hits) {
    let along = (z - o.z) / d.z;
    let at = o + d * along;
    if (inner..=outer).contains(&at.x.hypot(at.y)) {
        hits.push((along, Vector3::z() * up));
    }
}
