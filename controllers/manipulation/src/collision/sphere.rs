//! Spheres, and one around many.

use nalgebra::Vector3;

/// A sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Its centre [m].
    pub center: Vector3<f64>,
    /// Its radius [m].
    pub radius: f64,
}

impl Sphere {
    /// Whether another one is within this one.
    pub fn holds(&self, other: &Sphere) -> bool {
        (other.center - self.center).norm() + other.radius <= self.radius + 1e-12
    }
}

/// A sphere around spheres: its centre is the middle of the box around them.
pub(crate) fn around<'s>(spheres: impl Iterator<Item = &'s Sphere> + Clone) -> Sphere {
    let (mut low, mut high) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
    for sphere in spheres.clone() {
        low = low.inf(&sphere.center.add_scalar(-sphere.radius));
        high = high.sup(&sphere.center.add_scalar(sphere.radius));
    }
    if low.x > high.x {
        return Sphere { center: Vector3::zeros(), radius: 0.0 };
    }
    let center = 0.5 * (low + high);
    let radius = spheres.map(|sphere| (sphere.center - center).norm() + sphere.radius).fold(0.0, f64::max);
    Sphere { center, radius }
}
