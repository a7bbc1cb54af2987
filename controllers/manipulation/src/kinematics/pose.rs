//! Rotations as matrices, and how far one is from another.

use nalgebra::{Matrix3, Vector3};

/// A pose as a rotation matrix and a place [m].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Matrix {
    pub rotation: Matrix3<f64>,
    pub place: Vector3<f64>,
}

/// The rotation vector (axis times angle [rad], the angle from 0 to π) of a rotation matrix.
pub(crate) fn rotation_vector(rotation: &Matrix3<f64>) -> Vector3<f64> {
    let m = rotation;
    let twice_sine = Vector3::new(m.m32 - m.m23, m.m13 - m.m31, m.m21 - m.m12);
    let (sine, cosine) = (0.5 * twice_sine.norm(), 0.5 * (m.trace() - 1.0));
    if sine > 1e-6 {
        return twice_sine * (0.5 * libm::atan2(sine, cosine) / sine);
    }
    if cosine > 0.0 {
        return 0.5 * twice_sine;
    }
    // all but a half turn: the symmetric part is 2 axis axisᵀ − 1, and its largest column is the axis
    let column = |index: usize| 0.5 * (m.column(index).into_owned() + Vector3::ith(index, 1.0));
    let longest = (0..3).map(column).max_by(|one, two| one.norm_squared().total_cmp(&two.norm_squared()));
    longest.and_then(|axis| axis.try_normalize(1e-12)).map_or(Vector3::zeros(), |axis| axis * core::f64::consts::PI)
}

#[cfg(test)]
mod tests {
    use nalgebra::Rotation3;

    use super::*;

    #[test]
    fn small_right_and_half_turns_are_told() {
        for vector in [[0.0, 0.0, 0.0], [1e-8, -2e-8, 0.0], [0.3, 0.0, -1.2], [0.0, 3.0, 0.5], [0.0, -3.0, 0.0]] {
            let vector = Vector3::from(vector);
            let found = rotation_vector(Rotation3::new(vector).matrix());
            assert!((found - vector).norm() < 1e-12, "{found} for {vector}");
        }
        let half = rotation_vector(Rotation3::new(Vector3::x() * core::f64::consts::PI).matrix());
        assert!((half.norm() - core::f64::consts::PI).abs() < 1e-6 && half.x.abs() > 3.0, "{half}");
    }
}
