//! Rays and what they meet.

use nalgebra::Vector3;

/// A half line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    /// Where it begins [m].
    pub origin: Vector3<f64>,
    /// Where it goes: of unit length.
    pub direction: Vector3<f64>,
}

/// What a ray meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hit {
    /// How far away [m].
    pub distance: f64,
    /// The surface's direction there, of unit length, towards where the ray came from.
    pub normal: Vector3<f64>,
    /// What it is made of: an index into the scene's surfaces.
    pub surface: usize,
    /// Whether it is the terrain.
    pub is_ground: bool,
}

impl Ray {
    /// The point at a distance [m].
    pub fn at(&self, distance: f64) -> Vector3<f64> {
        self.origin + self.direction * distance
    }
}

impl Hit {
    /// Cosine of the angle between the ray and the surface's normal.
    pub fn cosine(&self, ray: &Ray) -> f64 {
        -self.normal.dot(&ray.direction)
    }
}

/// Turns a normal towards where a ray came from.
pub(crate) fn facing(normal: Vector3<f64>, direction: &Vector3<f64>) -> Vector3<f64> {
    if normal.dot(direction) > 0.0 { -normal } else { normal }
}
