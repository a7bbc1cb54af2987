//! Where up is, by an accelerometer on a robot whose wheels and legs tell how it speeds up.

use nalgebra::Vector3;
use robot_io::State;
use robot_model::GRAVITY_IN_WORLD;

use crate::settings::share;
use crate::twist::belief;

/// Specific force less acceleration is up, whatever the robot does. Both are averaged alike, so that the acceleration is the
/// change of a mean velocity and no velocity need be differentiated.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Level {
    /// Averaged specific force, in the odometry frame [m/s²].
    force: Vector3<f64>,
    /// Averaged velocity of the IMU by wheels, legs and gyroscope, in the odometry frame [m/s]; `None` before the first cycle.
    velocity: Option<Vector3<f64>>,
}

impl Level {
    /// Force and acceleration are averaged over this time [s]: long against the shaking by stones, short against a ramp.
    const MEAN_TIME: f64 = 0.25;
    /// What is left is believed to be gravity, as long as it is not longer or shorter by this [m/s²].
    const FITS: f64 = 1.0;

    /// Takes in a cycle of `dt` [s]: specific force [m/s²] and velocity [m/s] of the IMU, in the odometry frame. Says where up is there,
    /// and how much that is to be believed, 0 to 1.
    pub fn observe(&mut self, force: &Vector3<f64>, velocity: &Vector3<f64>, dt: f64) -> (Vector3<f64>, f64) {
        let new = share(dt, Self::MEAN_TIME);
        let Some(mean) = &mut self.velocity else {
            (self.force, self.velocity) = (*force, Some(*velocity));
            return (*force, 0.0);
        };
        self.force += (force - self.force) * new;
        let change = (velocity - *mean) * new;
        *mean += change;
        let up = self.force - change / dt;
        (up, belief(up.norm() - GRAVITY_IN_WORLD.norm(), Self::FITS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 0.004;

    /// The largest tilt [rad] that it sees of a level robot of which `velocity` tells the speed at a time.
    fn worst(velocity: impl Fn(f64) -> f64) -> f64 {
        let mut level = Level::default();
        let mut worst: f64 = 0.0;
        for cycle in 1..1_500 {
            let t = f64::from(cycle) * DT;
            let speeding = (velocity(t) - velocity(t - DT)) / DT;
            let force = Vector3::new(speeding, 0.0, 0.0) - GRAVITY_IN_WORLD;
            let (up, _) = level.observe(&force, &Vector3::new(velocity(t), 0.0, 0.0), DT);
            worst = worst.max(up.x.atan2(up.z).abs());
        }
        worst
    }

    #[test]
    fn whoever_speeds_up_and_brakes_does_not_tilt() {
        let there_and_back = |t: f64| 0.6 * (1.3 * (t - 0.5).max(0.0)).sin();
        let suddenly = |t: f64| if t > 2.0 { (t - 2.0).min(0.5) } else { 0.0 };
        assert!(worst(there_and_back) < 1e-9 && worst(suddenly) < 1e-9);
    }

    #[test]
    fn what_is_no_gravity_is_not_believed() {
        let mut level = Level::default();
        let fall = |level: &mut Level, cycles| {
            let falling = |level: &mut Level| level.observe(&(Vector3::z() * 0.5), &Vector3::zeros(), DT).1;
            (1..cycles).for_each(|_| _ = falling(level));
            falling(level)
        };
        level.observe(&-GRAVITY_IN_WORLD, &Vector3::zeros(), DT);
        assert!(fall(&mut level, 1) > 0.9);
        assert!(fall(&mut level, 500) < 0.01);
    }
}
