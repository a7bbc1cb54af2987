//! What odometry and the IMU say about a motion, and how well they know it.

use nalgebra::{Isometry3, Matrix2, Matrix2x6, Matrix4, Matrix6, Vector2, Vector3};

use super::settings::MotionSettings;
use crate::Motion;
use crate::graph::{UncertainPose, diagonal, moved};

/// A motion by odometry: the base now, in the base before.
pub fn by_odometry(
    before: &Isometry3<f64>,
    now: &Isometry3<f64>,
    motion: &Motion,
    settings: &MotionSettings,
) -> UncertainPose {
    let pose = before.inv_mul(now);
    let distance = motion.distance.max(pose.translation.vector.norm());
    let turn = motion.turn.max(pose.rotation.angle());
    let place = settings.least + settings.per_metre * distance + motion.slid;
    let tilt = settings.least_turn + 0.5 * settings.per_radian * turn;
    let heading = settings.least_turn + settings.per_radian * turn + settings.heading_per_metre * distance;
    UncertainPose { pose, covariance: diagonal(place, place, tilt, heading) }
}

/// The largest slip that may be learnt: two deviations of what odometry owns to. Rows: along x, y, z [m] and about z [rad];
/// columns: per metre along x, along y and in all, and per radian.
pub fn most_slip(settings: &MotionSettings) -> Matrix4<f64> {
    const DEVIATIONS: f64 = 2.0;
    let MotionSettings { per_metre: place, per_radian: turn, heading_per_metre: veer, .. } = *settings;
    let rows = [[place; 4], [place; 4], [place; 4], [veer, veer, veer, turn]];
    Matrix4::from_fn(|row, column| DEVIATIONS * rows[row][column])
}

/// By how much registering sweep after sweep goes astray over a motion, along the axes of the frame in which it is given.
pub fn drift(motion: &Isometry3<f64>, settings: &MotionSettings) -> Matrix6<f64> {
    let distance = motion.translation.vector.norm();
    let place = settings.drift_per_metre * distance;
    let turn = settings.drift_heading_per_metre * distance;
    diagonal(place, place, turn, turn)
}

/// A pose in a level frame, put right by the direction of up that the IMU tells.
pub fn held_upright(pose: &UncertainPose, up_in_base: &Vector3<f64>, deviation: f64) -> UncertainPose {
    let up = pose.pose.rotation * up_in_base;
    let is_unit = (up.norm() - 1.0).abs() < 0.1;
    if !is_unit {
        return *pose;
    }
    // turning by a small v moves up by v × up: its x by v.y, its y by −v.x
    let mut jacobian = Matrix2x6::zeros();
    jacobian[(0, 4)] = up.z;
    jacobian[(1, 3)] = -up.z;
    let innovation = jacobian * pose.covariance * jacobian.transpose() + Matrix2::identity() * (deviation * deviation);
    let Some(inverse) = innovation.try_inverse() else { return *pose };
    let gain = pose.covariance * jacobian.transpose() * inverse;
    let covariance = pose.covariance - gain * jacobian * pose.covariance;
    let error = gain * -Vector2::new(up.x, up.y);
    UncertainPose { pose: moved(&pose.pose, &error), covariance: 0.5 * (covariance + covariance.transpose()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::UnitQuaternion;

    #[test]
    fn a_pose_that_leans_is_put_upright() {
        let lean = UnitQuaternion::from_euler_angles(0.05, -0.03, 1.0);
        let truth = UnitQuaternion::from_euler_angles(0.2, 0.1, 1.0);
        let pose = Isometry3::from_parts(Vector3::new(1.0, 2.0, 3.0).into(), lean * truth);
        let up = truth.inverse() * Vector3::z();
        let pose = UncertainPose { pose, covariance: diagonal(0.1, 0.1, 0.5, 0.5) };
        let held = held_upright(&pose, &up, 1e-4);
        let off = held.pose.rotation * up - Vector3::z();
        assert!(off.norm() < 5e-3, "{off:?}");
        assert!(held.covariance[(3, 3)] < 1e-6 && held.covariance[(5, 5)] > 0.2, "the heading is not known any better");
        assert_eq!(held_upright(&pose, &Vector3::zeros(), 1e-4), pose, "no up, no change");
    }
}
