//! The border between the controllers' f64 (nalgebra) and the physics' f32 (glam). Nowhere else do the two meet.

use nalgebra::{Isometry3, Matrix3, Quaternion, Translation3, UnitQuaternion, Vector3};
use rapier3d::math::{Matrix, Pose, Rotation, Vector};

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

/// A matrix for the physics.
pub(crate) fn matrix(m: &Matrix3<f64>) -> Matrix {
    let column = |c: usize| Vector::new(m[(0, c)] as f32, m[(1, c)] as f32, m[(2, c)] as f32);
    Matrix::from_cols(column(0), column(1), column(2))
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

/// A rotation of the physics, normalised in f64.
pub(crate) fn rotation64(q: Rotation) -> UnitQuaternion<f64> {
    UnitQuaternion::from_quaternion(Quaternion::new(f64::from(q.w), f64::from(q.x), f64::from(q.y), f64::from(q.z)))
}

/// A pose of the physics.
pub(crate) fn pose64(p: &Pose) -> Isometry3<f64> {
    Isometry3::from_parts(Translation3::from(vector64(p.translation)), rotation64(p.rotation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_survives_the_border_to_single_precision() {
        let there = Isometry3::new(Vector3::new(1.0, -2.0, 3.0), Vector3::new(0.3, -0.2, 1.1));
        let back = pose64(&pose(&there));
        assert!((back.translation.vector - there.translation.vector).norm() < 1e-6);
        assert!(back.rotation.angle_to(&there.rotation) < 1e-6);
    }
}
