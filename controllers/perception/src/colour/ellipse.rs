//! An ellipse in the plane of U and V.

use nalgebra::{Matrix2, SymmetricEigen, Vector2};
use robot_io::math::{atan2, cos, sin};

/// Colours that are alike: those inside an ellipse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ellipse {
    /// U and V of its middle, 0 to 255.
    pub centre: [f64; 2],
    /// Its two half axes, in units of U and V.
    pub half_axes: [f64; 2],
    /// From U to the first axis, towards V [rad].
    pub angle: f64,
}

impl Ellipse {
    /// The ellipse of so many standard deviations of normally distributed colours.
    pub fn of_distribution(mean: Vector2<f64>, covariance: &Matrix2<f64>, deviations: f64) -> Ellipse {
        let eigen = SymmetricEigen::new(*covariance);
        let first = if eigen.eigenvalues[0] >= eigen.eigenvalues[1] { 0 } else { 1 };
        // colours are whole numbers: an ellipse narrower than a step would hold none
        let half_axis = |index: usize| (deviations * eigen.eigenvalues[index].max(0.0).sqrt()).max(1.0);
        let axis = eigen.eigenvectors.column(first);
        Ellipse {
            centre: [mean.x, mean.y],
            half_axes: [half_axis(first), half_axis(1 - first)],
            angle: atan2(axis[1], axis[0]),
        }
    }

    /// True for a colour inside.
    pub fn contains(&self, u: f64, v: f64) -> bool {
        let (u, v) = (u - self.centre[0], v - self.centre[1]);
        let (sine, cosine) = (sin(self.angle), cos(self.angle));
        let first = (cosine * u + sine * v) / self.half_axes[0];
        let second = (cosine * v - sine * u) / self.half_axes[1];
        first * first + second * second <= 1.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_ellipse_of_a_distribution_holds_what_is_within_its_mahalanobis_distance(
            spread in prop::array::uniform2(4.0_f64..20.0), tilt in -0.9_f64..0.9, at in prop::array::uniform2(-60.0_f64..60.0),
        ) {
            let across = tilt * spread[0] * spread[1];
            let covariance = Matrix2::new(spread[0] * spread[0], across, across, spread[1] * spread[1]);
            let ellipse = Ellipse::of_distribution(Vector2::new(120.0, 90.0), &covariance, 2.0);
            let off = Vector2::from(at);
            let distance = covariance.try_inverse().map_or(0.0, |inverse| off.dot(&(inverse * off)).sqrt());
            prop_assume!((distance - 2.0).abs() > 1e-6 && ellipse.half_axes[1] > 1.0);
            prop_assert_eq!(ellipse.contains(120.0 + off.x, 90.0 + off.y), distance < 2.0);
        }
    }
}
