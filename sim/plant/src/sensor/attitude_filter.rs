//! The attitude that an inertial unit computes for itself.

use nalgebra::{UnitQuaternion, Vector3};
use robot_io::State;
use robot_io::math::atan2;

/// The explicit complementary filter of Mahony, Hamel and Pflimlin ("Nonlinear complementary filters on the special
/// orthogonal group", IEEE TAC 53, 2008, section V, with one reference direction): the gyroscope carries the attitude on,
/// and the specific force, taken for up, levels it and tells the gyroscope's bias. It knows neither velocity nor wheels. So whoever speeds
/// up for long seems to tilt backwards, and the heading runs away with the vertical gyroscope's bias.
#[derive(Clone, Copy, Debug, State)]
pub(crate) struct AttitudeFilter {
    /// Time constant of levelling [s].
    #[state(fixed)]
    time: f64,
    /// Rotates vectors from the unit's frame to a level one.
    attitude: UnitQuaternion<f64>,
    /// Believed bias of the gyroscope, in the unit's frame [rad/s].
    bias: Vector3<f64>,
}

impl AttitudeFilter {
    /// The bias is learnt so many times slower than the attitude is levelled.
    const BIAS_TIMES: f64 = 10.0;

    /// A filter that has long come to rest: level by the `force` [m/s²] that it feels, with the `yaw` [rad] of the start and the
    /// gyroscope's `bias` [rad/s] known, but for its part about the vertical, which no accelerometer shows.
    pub fn at_rest(time: f64, force: &Vector3<f64>, yaw: f64, bias: &Vector3<f64>) -> AttitudeFilter {
        let up = force.normalize();
        let pitch = atan2(-up.x, (up.y * up.y + up.z * up.z).sqrt());
        let roll = atan2(up.y, up.z);
        let attitude = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        AttitudeFilter { time, attitude, bias: bias - up * bias.dot(&up) }
    }

    /// Takes in a sample, `interval` [s] after the last one.
    pub fn update(&mut self, angular_velocity: &Vector3<f64>, force: &Vector3<f64>, interval: f64) {
        let felt = force.try_normalize(1.0).unwrap_or_default();
        let error = felt.cross(&(self.attitude.inverse() * Vector3::z()));
        let gain = 1.0 / self.time;
        self.bias -= error * (gain * gain / Self::BIAS_TIMES * interval);
        let rate = angular_velocity - self.bias + error * gain;
        self.attitude *= UnitQuaternion::from_scaled_axis(rate * interval);
        self.attitude.renormalize();
    }

    /// Rotates vectors from the unit's frame to a level one.
    pub fn attitude(&self) -> UnitQuaternion<f64> {
        self.attitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 0.004;

    fn level() -> AttitudeFilter {
        AttitudeFilter::at_rest(2.0, &(Vector3::z() * 9.81), 0.0, &Vector3::zeros())
    }

    fn pitch(filter: &AttitudeFilter) -> f64 {
        filter.attitude().euler_angles().1
    }

    #[test]
    fn it_follows_a_turn() {
        let mut filter = level();
        let rate = Vector3::new(0.0, 0.0, 0.5);
        (0..500).for_each(|_| filter.update(&rate, &(Vector3::z() * 9.81), DT));
        let (roll, pitch, yaw) = filter.attitude().euler_angles();
        assert!(roll.abs() < 1e-9 && pitch.abs() < 1e-9 && (yaw - 1.0).abs() < 1e-6, "{roll} {pitch} {yaw}");
    }

    #[test]
    fn speeding_up_seems_to_be_a_tilt_and_is_forgotten() {
        let mut filter = level();
        let speeding = Vector3::new(1.0, 0.0, 9.81);
        (0..250).for_each(|_| filter.update(&Vector3::zeros(), &speeding, DT));
        // the nose seems to rise towards atan(1/9.81), by a time constant of 2 s in 1 s
        let seen = -pitch(&filter);
        assert!((seen / (1.0_f64.atan2(9.81) * (1.0 - (-0.5_f64).exp())) - 1.0).abs() < 0.05, "{seen}");
        (0..5_000).for_each(|_| filter.update(&Vector3::zeros(), &(Vector3::z() * 9.81), DT));
        assert!(pitch(&filter).abs() < 0.005, "{}", pitch(&filter));
    }

    #[test]
    fn a_bias_tilts_it_for_a_while_and_turns_it_for_ever() {
        let mut filter = level();
        let bias = Vector3::new(0.0, 0.01, 0.01);
        let mut worst: f64 = 0.0;
        for _ in 0..25_000 {
            filter.update(&bias, &(Vector3::z() * 9.81), DT);
            worst = worst.max(pitch(&filter).abs());
        }
        let (_, pitch, yaw) = filter.attitude().euler_angles();
        assert!(worst > 0.005 && pitch.abs() < 1e-3, "{worst} {pitch}");
        assert!((yaw - 1.0).abs() < 0.05, "{yaw}");
    }

    #[test]
    fn free_fall_tells_it_nothing() {
        let mut filter = AttitudeFilter::at_rest(2.0, &Vector3::new(0.0, 3.0, 9.0), 0.3, &Vector3::zeros());
        let before = filter.attitude();
        (0..500).for_each(|_| filter.update(&Vector3::zeros(), &Vector3::zeros(), DT));
        assert!(filter.attitude().angle_to(&before) < 1e-12);
    }
}
