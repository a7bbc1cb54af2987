//! Eigenvalues and vectors of symmetric 3 × 3 matrices, in closed form: there are thousands of them in a sweep.

use nalgebra::{Matrix3, Vector3};
use robot_io::math::{acos, cos};

/// Eigenvalues in ascending order and the unit eigenvector of the smallest.
///
/// The trigonometric solution of the characteristic cubic (Smith, "Eigenvalues of a symmetric 3 × 3 matrix", 1961); the
/// vector is the longest cross product of two rows of `matrix − λ`.
pub(crate) fn smallest_direction(matrix: &Matrix3<f64>) -> ([f64; 3], Vector3<f64>) {
    let values = eigenvalues(matrix);
    (values, direction_of(matrix, values[0]).unwrap_or_else(|| any_direction(matrix, values[2])))
}

/// The unit eigenvector of a single eigenvalue; `None` if the eigenvalue is not single.
pub(crate) fn direction_of(matrix: &Matrix3<f64>, value: f64) -> Option<Vector3<f64>> {
    let shifted = matrix - Matrix3::identity() * value;
    let [a, b, c] = [0, 1, 2].map(|column| shifted.column(column).into_owned());
    let mut best = a.cross(&b);
    for other in [b.cross(&c), c.cross(&a)] {
        if other.norm_squared() > best.norm_squared() {
            best = other;
        }
    }
    let size = shifted.norm_squared();
    (best.norm_squared() > 1e-24 * size * size).then(|| best.normalize())
}

/// Two equal smallest eigenvalues: any direction across that of the largest will do.
fn any_direction(matrix: &Matrix3<f64>, largest: f64) -> Vector3<f64> {
    let axis = direction_of(matrix, largest).unwrap_or_else(Vector3::x);
    let helper = if axis.z.abs() < 0.7 { Vector3::z() } else { Vector3::x() };
    (helper - axis * axis.dot(&helper)).normalize()
}

fn eigenvalues(matrix: &Matrix3<f64>) -> [f64; 3] {
    const SQRT_3: f64 = 1.732_050_807_568_877_2;
    let mean = matrix.trace() / 3.0;
    let centred = matrix - Matrix3::identity() * mean;
    let size = (centred.norm_squared() / 6.0).sqrt();
    if size <= 1e-15 * mean.abs() || size == 0.0 {
        return [mean; 3];
    }
    let angle = acos((centred / size).determinant() / 2.0) / 3.0;
    let cosine = cos(angle);
    // the angle is not above 60°
    let sine = ((1.0 - cosine) * (1.0 + cosine)).max(0.0).sqrt();
    let largest = mean + 2.0 * size * cosine;
    let smallest = mean - size * (cosine + SQRT_3 * sine);
    [smallest, 3.0 * mean - largest - smallest, largest]
}

#[cfg(test)]
mod tests {
    use nalgebra::Rotation3;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_agrees_with_the_iterative_solution(
            values in prop::array::uniform3(0.0_f64..1.0), flatness in 0.0_f64..1.0,
            turn in prop::array::uniform3(-3.0_f64..3.0)
        ) {
            let rotation = Rotation3::new(Vector3::from(turn));
            let spread = Vector3::new(values[0], values[1], values[2] * flatness * flatness * 0.01);
            let matrix = rotation.matrix() * Matrix3::from_diagonal(&spread) * rotation.matrix().transpose();
            let mut expected: Vec<f64> = matrix.symmetric_eigenvalues().iter().copied().collect();
            expected.sort_by(f64::total_cmp);
            let (found, direction) = smallest_direction(&matrix);
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() < 1e-9, "{} {}", found, expected);
            }
            prop_assert!((direction.norm() - 1.0).abs() < 1e-9);
            let off = (matrix * direction - direction * found[0]).norm();
            prop_assert!(off < 1e-6, "{}", off);
        }
    }

    #[test]
    fn equal_eigenvalues_are_no_trouble() {
        for matrix in [Matrix3::zeros(), Matrix3::identity(), Matrix3::from_diagonal(&Vector3::new(1e-9, 1e-9, 1.0))] {
            let (_, direction) = smallest_direction(&matrix);
            assert!((direction.norm() - 1.0).abs() < 1e-9, "{matrix}");
        }
    }
}
