//! The points to which a model is registered.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::cloud::DepthCloud;

/// A measured point.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetPoint {
    pub point: Point3<f64>,
    /// Of its surface, towards the camera; `None` at edges.
    pub normal: Option<Vector3<f64>>,
    /// Covariance of the surface at the point, as generalised ICP has it: exact across, vague along it. At an edge that of the sensor.
    pub covariance: Matrix3<f64>,
    /// Covariance of the sensor alone.
    pub noise: Matrix3<f64>,
}

/// At most so many of the points of these pixels, evenly chosen.
pub(super) fn take(
    cloud: &DepthCloud,
    pixels: &[usize],
    most: usize,
    along_surface: f64,
    target: &mut Vec<TargetPoint>,
) {
    target.clear();
    let count = pixels.len().min(most);
    let chosen = (0..count).map(|number| pixels[number * pixels.len() / count]);
    let point = |pixel: usize| {
        let (point, noise, normal) = (cloud.point(pixel)?, cloud.covariance(pixel)?, cloud.normal(pixel));
        let of_surface = |normal: Vector3<f64>| disc(&normal, normal.dot(&(noise * normal)), along_surface);
        Some(TargetPoint { point, normal, covariance: normal.map_or(noise, of_surface), noise })
    };
    target.extend(chosen.filter_map(point));
}

/// A covariance with this variance along the normal, and a deviation along the surface.
pub(super) fn disc(normal: &Vector3<f64>, variance: f64, along: f64) -> Matrix3<f64> {
    let outer = normal * normal.transpose();
    outer * variance + (Matrix3::identity() - outer) * (along * along)
}
