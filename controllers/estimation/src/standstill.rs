//! Knowing that one stands still, and what the gyroscope shows then.

use nalgebra::Vector3;
use robot_io::State;

use crate::settings::{OdometrySettings, share};

/// Bias of the gyroscope, learnt whenever the robot stands.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Standstill {
    /// Bias in the IMU frame [rad/s].
    pub gyro_bias_in_imu: Vector3<f64>,
    mean_turn_rate: Vector3<f64>,
    still_for: f64,
    learnt_for: f64,
    /// Since the start [s].
    watched_for: f64,
}

impl Standstill {
    /// Takes in the averaged speed of the fastest joint [rad/s] and the gyroscope's sample [rad/s]; true if the robot stands.
    pub fn observe(&mut self, joint_speed: f64, gyro_in_imu: &Vector3<f64>, dt: f64, with: &OdometrySettings) -> bool {
        const AVERAGE_TIME: f64 = 0.1;
        let new = share(dt, AVERAGE_TIME);
        self.watched_for += dt;
        self.mean_turn_rate += new * (gyro_in_imu - self.mean_turn_rate);
        let turn_rate = (self.mean_turn_rate - self.gyro_bias_in_imu).norm();
        let still = joint_speed < with.standing_joint_speed && turn_rate < with.standing_turn_rate;
        self.still_for = if still { self.still_for + dt } else { 0.0 };
        let stands = self.still_for >= with.standing_time;
        if self.still_for >= with.standing_time + with.settling_time {
            // at first the plain mean, later an exponential one
            self.learnt_for += dt;
            let weight = share(dt, self.learnt_for.min(with.bias_time));
            self.gyro_bias_in_imu += weight * (gyro_in_imu - self.gyro_bias_in_imu);
        }
        stands
    }

    /// True as long as the bias is not known well enough to drive, and the robot has not waited too long for it.
    pub fn is_learning(&self, with: &OdometrySettings) -> bool {
        self.learnt_for < with.learning_time && self.watched_for < with.learning_patience
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 0.004;

    #[test]
    fn the_bias_is_learnt_while_standing_and_kept_while_moving() {
        let (with, mut standstill) = (OdometrySettings::default(), Standstill::default());
        let bias = Vector3::new(0.01, -0.02, 0.015);
        let mut waited = 0.0;
        while standstill.is_learning(&with) {
            standstill.observe(0.0, &bias, DT, &with);
            waited += DT;
        }
        assert!((waited - (0.3 + 1.0 + 2.0)).abs() < 0.02, "{waited} s");
        assert!((standstill.gyro_bias_in_imu - bias).norm() < 2e-4, "{}", standstill.gyro_bias_in_imu);
        let learnt = standstill.gyro_bias_in_imu;
        for _ in 0..250 {
            assert!(!standstill.observe(3.0, &(bias + Vector3::new(0.0, 0.0, 0.3)), DT, &with));
        }
        assert_eq!(standstill.gyro_bias_in_imu, learnt);
    }

    #[test]
    fn a_robot_that_is_turned_by_others_does_not_stand() {
        let (with, mut standstill) = (OdometrySettings::default(), Standstill::default());
        let turned = Vector3::new(0.0, 0.0, 0.2);
        assert!((0..1_400).all(|_| !standstill.observe(0.0, &turned, DT, &with) && standstill.is_learning(&with)));
        assert_eq!(standstill.gyro_bias_in_imu, Vector3::zeros());
        assert!((0..1_400).all(|_| !standstill.observe(0.0, &turned, DT, &with)) && !standstill.is_learning(&with));
    }
}
