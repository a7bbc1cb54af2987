//! Rotation of the base: the gyroscope carries it on, the accelerometer levels it.

use nalgebra::{UnitQuaternion, Vector3};
use robot_io::State;
use robot_io::math::atan2;

/// The base's rotation in the odometry frame.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Attitude {
    /// Rotates vectors from the base frame to the odometry frame.
    pub base_in_odom: UnitQuaternion<f64>,
}

impl Attitude {
    /// Heading zero, levelled by where up is in the base frame.
    pub fn level(up_in_base: &Vector3<f64>) -> Attitude {
        let pitch = atan2(-up_in_base.x, (up_in_base.y * up_in_base.y + up_in_base.z * up_in_base.z).sqrt());
        let roll = atan2(up_in_base.y, up_in_base.z);
        Attitude { base_in_odom: UnitQuaternion::from_euler_angles(roll, pitch, 0.0) }
    }

    /// Up, seen from the base.
    pub fn up_in_base(&self) -> Vector3<f64> {
        self.base_in_odom.inverse() * Vector3::z()
    }

    /// The rotation half-way through a turn at `rate` in the base frame [rad/s] that lasts `dt` [s].
    pub fn half_way(&self, rate: &Vector3<f64>, dt: f64) -> UnitQuaternion<f64> {
        self.base_in_odom * UnitQuaternion::from_scaled_axis(rate * (0.5 * dt))
    }

    /// Turns with `rate` in the base frame [rad/s] for `dt` [s].
    pub fn turn(&mut self, rate: &Vector3<f64>, dt: f64) {
        self.base_in_odom *= UnitQuaternion::from_scaled_axis(rate * dt);
        self.base_in_odom.renormalize();
    }

    /// Tilts by `share` of the way to where up was measured, in the odometry frame and of any length, about a horizontal axis: the heading stays.
    pub fn tilt_towards(&mut self, up: &Vector3<f64>, share: f64) {
        let axis_times_sine = up.cross(&Vector3::z());
        let sine = axis_times_sine.norm();
        if sine > 1e-12 {
            let angle = atan2(sine, up.z);
            let tilt = UnitQuaternion::from_scaled_axis(axis_times_sine * (share * angle / sine));
            self.base_in_odom = tilt * self.base_in_odom;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levelling_finds_roll_and_pitch_and_leaves_the_heading() {
        let truth = UnitQuaternion::from_euler_angles(0.2, -0.3, 0.0);
        let up = truth.inverse() * Vector3::z();
        assert!(Attitude::level(&up).base_in_odom.angle_to(&truth) < 1e-12);
        let mut attitude = Attitude { base_in_odom: UnitQuaternion::from_euler_angles(0.0, 0.0, 1.0) };
        for _ in 0..200 {
            attitude.tilt_towards(&(attitude.base_in_odom * up), 0.1);
        }
        let (_, _, yaw) = attitude.base_in_odom.euler_angles();
        assert!((attitude.up_in_base() - up).norm() < 1e-6);
        assert!((yaw - 1.0).abs() < 0.05, "a shortest tilt by 0.36 rad turns the nose hardly: {yaw}");
    }
}
