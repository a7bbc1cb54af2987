//! The plane that the wheels stand on.

use nalgebra::{Matrix3, Vector3};

use crate::undercarriage::WheelMotion;

/// Where a wheel touches ground with `normal`, both in the base frame [m].
///
/// An upright wheel touches below its centre; one that leans stands on its edge. Between them the point moves within
/// 3° of lean, so that it does not jump.
pub(crate) fn contact_point(wheel: &WheelMotion, normal: &Vector3<f64>) -> Vector3<f64> {
    const EDGE: f64 = 0.05;
    let lean = wheel.axle.dot(normal);
    let towards_center = (normal - wheel.axle * lean).try_normalize(1e-9).unwrap_or(*normal);
    wheel.center - towards_center * wheel.radius - wheel.axle * (wheel.half_width * (lean / EDGE).clamp(-1.0, 1.0))
}

/// The upward normal of the plane through `points` by least squares of z over x and y, in the base frame; `None` if
/// the touching points lie on a line.
pub(crate) fn plane_normal(points: &[Vector3<f64>], touching: &[bool]) -> Option<Vector3<f64>> {
    let used = || points.iter().zip(touching).filter(|(_, touching)| **touching).map(|(point, _)| point);
    let count = used().count();
    if count < 3 {
        return None;
    }
    let mean = used().sum::<Vector3<f64>>() / count as f64;
    let mut scatter = Matrix3::zeros();
    for point in used() {
        let offset = point - mean;
        scatter += offset * offset.transpose();
    }
    let determinant = scatter[(0, 0)] * scatter[(1, 1)] - scatter[(0, 1)] * scatter[(0, 1)];
    let spread = scatter[(0, 0)] + scatter[(1, 1)];
    if determinant < 1e-3 * spread * spread {
        return None;
    }
    let along_x = (scatter[(0, 2)] * scatter[(1, 1)] - scatter[(1, 2)] * scatter[(0, 1)]) / determinant;
    let along_y = (scatter[(1, 2)] * scatter[(0, 0)] - scatter[(0, 2)] * scatter[(0, 1)]) / determinant;
    Some(Vector3::new(-along_x, -along_y, 1.0).normalize())
}

/// Mean of the touching points, of all points if none touches.
pub(crate) fn mean_contact(points: &[Vector3<f64>], touching: &[bool]) -> Vector3<f64> {
    let count = touching.iter().filter(|touching| **touching).count();
    if count == 0 {
        return points.iter().sum::<Vector3<f64>>() / points.len().max(1) as f64;
    }
    let used = points.iter().zip(touching).filter(|(_, touching)| **touching).map(|(point, _)| point);
    used.sum::<Vector3<f64>>() / count as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn four_points_on_a_slope_give_its_normal_and_a_line_gives_none() {
        let at = |x: f64, y: f64| Vector3::new(x, y, -0.5 + 0.2 * x - 0.1 * y);
        let points = [at(0.4, 0.3), at(0.4, -0.3), at(-0.4, 0.3), at(-0.4, -0.3)];
        let normal = plane_normal(&points, &[true; 4]).unwrap();
        assert!((normal - Vector3::new(-0.2, 0.1, 1.0).normalize()).norm() < 1e-12);
        let three = plane_normal(&points, &[true, true, true, false]).unwrap();
        assert!((three - normal).norm() < 1e-12, "three of them are enough");
        assert_eq!(plane_normal(&points, &[true, true, false, false]), None);
    }

    #[test]
    fn a_leaning_wheel_stands_on_its_lower_edge() {
        let wheel = WheelMotion {
            center: Vector3::new(0.0, 0.0, 1.0),
            axle: Vector3::new(0.0, 0.8, 0.6),
            velocity: Vector3::zeros(),
            angular_velocity: Vector3::zeros(),
            radius: 0.5,
            half_width: 0.1,
            touching: true,
        };
        let point = contact_point(&wheel, &Vector3::z());
        assert!((point - Vector3::new(0.0, 0.3 - 0.08, 1.0 - 0.4 - 0.06)).norm() < 1e-12, "{point}");
    }
}
