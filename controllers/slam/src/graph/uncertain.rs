//! Poses that are not quite known.

use nalgebra::{Isometry3, Matrix3, Matrix6, UnitQuaternion, Vector3, Vector6};
use robot_io::State;

/// A pose with its covariance.
///
/// A small error of a pose is a vector of six: a displacement [m], then a turn [rad] about the pose's own origin, both along
/// the axes of the frame in which the pose is given. So is the covariance of all poses in this crate.
#[derive(Clone, Copy, Debug, PartialEq, State)]
pub struct UncertainPose {
    /// The pose.
    pub pose: Isometry3<f64>,
    /// Translation [m²], then rotation [rad²], along the axes of the frame in which the pose is given.
    pub covariance: Matrix6<f64>,
}

impl UncertainPose {
    /// A pose whose errors are independent: the same standard deviation in all directions [m], about all axes [rad].
    pub fn isotropic(pose: Isometry3<f64>, translation: f64, rotation: f64) -> UncertainPose {
        UncertainPose { pose, covariance: diagonal(translation, translation, rotation, rotation) }
    }

    /// The pose of c in a, where this is that of b in a and `next` is that of c in b; their errors are independent.
    #[must_use]
    pub fn then(&self, next: &UncertainPose) -> UncertainPose {
        let arm = self.pose.rotation * next.pose.translation.vector;
        let lever = lever(&arm);
        let turn = turned(&self.pose.rotation);
        let covariance = lever * self.covariance * lever.transpose() + turn * next.covariance * turn.transpose();
        UncertainPose { pose: self.pose * next.pose, covariance }
    }

    /// The pose of a in b, where this is that of b in a.
    #[must_use]
    pub fn inverse(&self) -> UncertainPose {
        let back = self.pose.rotation.inverse();
        let jacobian = -(turned(&back) * lever(&-self.pose.translation.vector));
        UncertainPose { pose: self.pose.inverse(), covariance: jacobian * self.covariance * jacobian.transpose() }
    }

    /// Squared Mahalanobis distance between two independent estimates of one pose; infinite if their covariances make no
    /// sense.
    pub fn distance_squared(&self, other: &UncertainPose) -> f64 {
        let difference = difference(&self.pose, &other.pose);
        (self.covariance + other.covariance)
            .cholesky()
            .map_or(f64::INFINITY, |sum| difference.dot(&sum.solve(&difference)))
    }

    /// The best of two independent estimates of one pose; `self` if the covariances make no sense.
    #[must_use]
    pub fn fused_with(&self, other: &UncertainPose) -> UncertainPose {
        let Some(sum) = (self.covariance + other.covariance).cholesky() else { return *self };
        let gain = self.covariance * sum.inverse();
        let covariance = self.covariance - gain * self.covariance;
        let covariance = 0.5 * (covariance + covariance.transpose());
        UncertainPose { pose: moved(&self.pose, &(gain * difference(&other.pose, &self.pose))), covariance }
    }

    /// Standard deviation of the place in the worst direction [m].
    pub fn translation_deviation(&self) -> f64 {
        let block: Matrix3<f64> = self.covariance.fixed_view::<3, 3>(0, 0).into_owned();
        block.symmetric_eigenvalues().max().max(0.0).sqrt()
    }
}

impl Default for UncertainPose {
    fn default() -> Self {
        UncertainPose { pose: Isometry3::identity(), covariance: Matrix6::zeros() }
    }
}

/// A covariance from standard deviations: level [m], upright [m], of the tilt [rad] and of the heading [rad].
pub fn diagonal(level: f64, upright: f64, tilt: f64, heading: f64) -> Matrix6<f64> {
    let deviations = Vector6::new(level, level, upright, tilt, tilt, heading);
    Matrix6::from_diagonal(&deviations.component_mul(&deviations))
}

/// The error of `pose` against `reference`: what [`moved`] would have to undo.
pub fn difference(pose: &Isometry3<f64>, reference: &Isometry3<f64>) -> Vector6<f64> {
    let shift = pose.translation.vector - reference.translation.vector;
    let turn = (pose.rotation * reference.rotation.inverse()).scaled_axis();
    Vector6::new(shift.x, shift.y, shift.z, turn.x, turn.y, turn.z)
}

/// A pose with a small error put on top.
pub fn moved(pose: &Isometry3<f64>, error: &Vector6<f64>) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_scaled_axis(Vector3::new(error[3], error[4], error[5]));
    let mut rotation = turn * pose.rotation;
    rotation.renormalize();
    let translation = pose.translation.vector + error.fixed_rows::<3>(0);
    Isometry3::from_parts(translation.into(), rotation)
}

/// The cross product with `v` as a matrix.
pub(crate) fn skew(v: &Vector3<f64>) -> Matrix3<f64> {
    v.cross_matrix()
}

/// What an error of a pose does to something at `arm` from it.
fn lever(arm: &Vector3<f64>) -> Matrix6<f64> {
    let mut matrix = Matrix6::identity();
    matrix.fixed_view_mut::<3, 3>(0, 3).copy_from(&-skew(arm));
    matrix
}

/// Both halves of an error turned into another frame.
fn turned(rotation: &UnitQuaternion<f64>) -> Matrix6<f64> {
    let rotation = rotation.to_rotation_matrix().into_inner();
    let mut matrix = Matrix6::zeros();
    matrix.fixed_view_mut::<3, 3>(0, 0).copy_from(&rotation);
    matrix.fixed_view_mut::<3, 3>(3, 3).copy_from(&rotation);
    matrix
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pose(v: [f64; 6]) -> Isometry3<f64> {
        Isometry3::new(Vector3::new(v[0], v[1], v[2]), Vector3::new(v[3], v[4], v[5]))
    }

    fn numeric_jacobian(of: impl Fn(&Vector6<f64>) -> Isometry3<f64>) -> Matrix6<f64> {
        let at = of(&Vector6::zeros());
        Matrix6::from_fn(|row, column| {
            let mut step = Vector6::zeros();
            step[column] = 1e-6;
            difference(&of(&step), &at)[row] / 1e-6
        })
    }

    proptest! {
        #[test]
        fn covariances_are_carried_as_small_errors_are(a in prop::array::uniform6(-2.0..2.0_f64), b in prop::array::uniform6(-2.0..2.0_f64)) {
            let (a, b) = (pose(a), pose(b));
            let first = UncertainPose { pose: a, covariance: diagonal(0.1, 0.2, 0.03, 0.04) };
            let known = UncertainPose { pose: b, covariance: Matrix6::zeros() };
            let j = numeric_jacobian(|error| moved(&a, error) * b);
            prop_assert!((first.then(&known).covariance - j * first.covariance * j.transpose()).norm() < 1e-4);
            let j = numeric_jacobian(|error| b * moved(&a, error));
            prop_assert!((known.then(&first).covariance - j * first.covariance * j.transpose()).norm() < 1e-4);
            let j = numeric_jacobian(|error| moved(&a, error).inverse());
            prop_assert!((first.inverse().covariance - j * first.covariance * j.transpose()).norm() < 1e-4);
        }

        #[test]
        fn moving_by_the_difference_leads_there(a in prop::array::uniform6(-1.5..1.5_f64), b in prop::array::uniform6(-1.5..1.5_f64)) {
            let (a, b) = (pose(a), pose(b));
            let there = moved(&b, &difference(&a, &b));
            prop_assert!(difference(&there, &a).norm() < 1e-9);
        }
    }

    #[test]
    fn the_better_estimate_weighs_more() {
        let at = |x: f64, deviation| UncertainPose::isotropic(Isometry3::translation(x, 0.0, 0.0), deviation, 0.01);
        let both = at(0.0, 0.1).fused_with(&at(1.0, 0.2));
        assert!((both.pose.translation.x - 0.2).abs() < 1e-9);
        assert!(both.translation_deviation() < 0.1);
        assert!((at(0.0, 0.3).distance_squared(&at(1.0, 0.4)) - 4.0).abs() < 1e-9, "1 m at a deviation of 0.5 m");
    }
}
