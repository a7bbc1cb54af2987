//! The border between the controllers' f64 (nalgebra) and the physics' f32 (glam). Nowhere else do the two meet.

use nalgebra::{Isometry3, Matrix3, Vector3};
use parry3d::math::{Matrix, Pose, Rotation, Vector};

/// A vector for the physics.
pub(crate) fn vector(v: &Vector3<f64>) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

/// A pose for the physics.
pub(crate) fn pose(p: &Isometry3<f64>) -> Pose {
    let q = p.rotation.quaternion();
    let rotation = Rotation::from_xyzw(q.i as f32, q.j as f32, q.k as f32, q.w as f32).normalize();
    Pose::from_parts(vector(&p.translation.vector), rotation)
}

/// A vector of the physics.
pub(crate) fn vector64(v: Vector) -> Vector3<f64> {
    Vector3::new(f64::from(v.x), f64::from(v.y), f64::from(v.z))
}

/// A matrix of the physics.
pub(crate) fn matrix64(m: &Matrix) -> Matrix3<f64> {
    let [x, y, z] = [m.x_axis, m.y_axis, m.z_axis].map(vector64);
    Matrix3::from_columns(&[x, y, z])
}
