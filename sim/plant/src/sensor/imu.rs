//! An inertial measurement unit.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use robot_io::{Imu, Period, RandomStream, Rate, State, Time, math};
use robot_model::description::ImuMount;

use super::{normal3, on_bus};

/// How the unit moves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// Its own frame in the world.
    pub imu_in_world: Isometry3<f64>,
    /// Velocity of its origin [m/s], along the world's axes.
    pub velocity_in_world: Vector3<f64>,
    /// Angular velocity [rad/s], along the world's axes.
    pub angular_velocity_in_world: Vector3<f64>,
}

/// A strap-down unit with its own attitude filter.
///
/// - Specific force: the change of velocity **of its own place** since the last sample, less gravity's, over the sample
///   interval, turned into its frame. That holds every lever arm, and it averages like the unit's own filter.
/// - White noise of the given density, sampled: σ = density · √rate. Bias: a random walk, σ = walk · √interval a sample
///   (both as in Woodman, "An introduction to inertial navigation", UCAM-CL-TR-696, 2007; the data sheet's quantities).
/// - Attitude: the truth and an error that wanders slowly, as that of a complementary filter does. Roll and pitch follow
///   an Ornstein–Uhlenbeck process of the given deviation and a time constant of ten seconds; yaw, which no
///   accelerometer corrects, also drifts by the bias of the vertical gyroscope. Its zero is the yaw at the start.
#[derive(Clone, Debug, State)]
pub(crate) struct ImuUnit {
    #[state(fixed)]
    mount: ImuMount,
    #[state(fixed)]
    noise: RandomStream,
    rate: Rate,
    /// Between samples [s].
    #[state(fixed)]
    interval: f64,
    #[state(fixed)]
    noisy: bool,
    last_velocity: Vector3<f64>,
    gyro_bias: Vector3<f64>,
    accel_bias: Vector3<f64>,
    attitude_error: Vector3<f64>,
    yaw_drift: f64,
    samples: u64,
    sample: Imu,
}

impl ImuUnit {
    /// Time constant of the attitude's error [s].
    const WANDERING: f64 = 10.0;

    /// A unit that moves like `motion` and is asked once a `cycle`.
    pub fn new(mount: &ImuMount, motion: &Motion, cycle: Period, noise: RandomStream, noisy: bool) -> ImuUnit {
        let wanted = Period::from_seconds(1.0 / mount.rate_hz);
        let rate = Rate::every(wanted, cycle).unwrap_or(Rate::EVERY_TICK);
        ImuUnit {
            mount: mount.clone(),
            noise,
            rate,
            interval: rate.interval(cycle).seconds(),
            noisy,
            last_velocity: motion.velocity_in_world,
            gyro_bias: Vector3::zeros(),
            accel_bias: Vector3::zeros(),
            attitude_error: Vector3::zeros(),
            yaw_drift: 0.0,
            samples: 0,
            sample: Imu::default(),
        }
    }

    /// The mount.
    pub fn mount(&self) -> &ImuMount {
        &self.mount
    }

    /// The latest sample.
    pub fn sample(&self) -> Imu {
        self.sample
    }

    /// Called once a cycle: takes a sample if one is due.
    pub fn tick(&mut self, motion: &Motion, gravity: f64, now: Time) {
        if !self.rate.tick() {
            return;
        }
        let elapsed = if self.samples == 0 { f64::INFINITY } else { now.since(self.sample.stamp).seconds() };
        let gained = (motion.velocity_in_world - self.last_velocity) / elapsed;
        self.last_velocity = motion.velocity_in_world;
        let to_imu = motion.imu_in_world.rotation.inverse();
        let mut angular_velocity = to_imu * motion.angular_velocity_in_world;
        let mut linear_acceleration = to_imu * (gained + Vector3::z() * gravity);
        if self.noisy {
            self.wander();
            let density = (1.0 / self.interval).sqrt();
            let white = |index| normal3(&self.noise, self.samples, index) * density;
            angular_velocity += self.gyro_bias + white(0) * self.mount.gyro_noise_density;
            linear_acceleration += self.accel_bias + white(3) * self.mount.accel_noise_density;
        }
        let error = UnitQuaternion::from_scaled_axis(self.attitude_error + Vector3::z() * self.yaw_drift);
        let orientation = (error * motion.imu_in_world.rotation).into_inner().coords.map(on_bus);
        self.sample = Imu {
            stamp: now,
            // of unit length to single precision, as it comes off the wire
            orientation: UnitQuaternion::new_unchecked(orientation.into()),
            angular_velocity: angular_velocity.map(on_bus),
            linear_acceleration: linear_acceleration.map(on_bus),
        };
        self.samples += 1;
    }

    /// Moves biases and the attitude's error on by one sample.
    fn wander(&mut self) {
        let spread = self.interval.sqrt();
        let draw = |index| normal3(&self.noise, self.samples, index);
        self.gyro_bias += draw(6) * (self.mount.gyro_bias_walk * spread);
        self.accel_bias += draw(9) * (self.mount.accel_bias_walk * spread);
        // the exact step of the Ornstein–Uhlenbeck process
        let kept = math::exp(-self.interval / Self::WANDERING);
        let kick = self.mount.attitude_noise * (1.0 - kept * kept).sqrt();
        self.attitude_error = self.attitude_error * kept + draw(12) * kick;
        self.yaw_drift += self.gyro_bias.z * self.interval;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(noisy: bool, rate_hz: f64) -> ImuUnit {
        let mount = ImuMount {
            name: "imu".to_owned(),
            link: 0,
            pose_in_link: Isometry3::identity(),
            gyro_noise_density: 1e-3,
            gyro_bias_walk: 1e-4,
            accel_noise_density: 2e-3,
            accel_bias_walk: 1e-4,
            attitude_noise: 5e-3,
            rate_hz,
        };
        let cycle = Period::from_milliseconds(1);
        ImuUnit::new(&mount, &at_rest(), cycle, RandomStream::new(1, "imu"), noisy)
    }

    fn at_rest() -> Motion {
        let zero = Vector3::zeros();
        Motion { imu_in_world: Isometry3::identity(), velocity_in_world: zero, angular_velocity_in_world: zero }
    }

    #[test]
    fn at_rest_it_feels_the_ground_push_up_and_in_free_fall_nothing() {
        let mut imu = unit(false, 1000.0);
        imu.tick(&at_rest(), 9.81, Time::ZERO);
        assert_eq!(imu.sample().linear_acceleration, Vector3::z() * on_bus(9.81));
        let falling = Motion { velocity_in_world: Vector3::z() * -9.81e-3, ..at_rest() };
        imu.tick(&falling, 9.81, Time::from_nanoseconds(1_000_000));
        assert!(imu.sample().linear_acceleration.norm() < 1e-9);
    }

    #[test]
    fn white_noise_has_the_density_of_the_data_sheet() {
        let mut imu = unit(true, 1000.0);
        imu.mount.gyro_bias_walk = 0.0;
        let draws: Vec<f64> = (0..20_000)
            .map(|k| {
                imu.tick(&at_rest(), 9.81, Time::from_nanoseconds(k * 1_000_000));
                imu.sample().angular_velocity.x
            })
            .collect();
        let variance = draws.iter().map(|x| x * x).sum::<f64>() / draws.len() as f64;
        // 1e-3 rad/s/√Hz at 1 kHz
        assert!((variance.sqrt() / (1e-3 * 1000.0_f64.sqrt()) - 1.0).abs() < 0.02, "{}", variance.sqrt());
    }

    #[test]
    fn the_bias_walks_as_far_as_the_root_of_time() {
        let mut sum = 0.0;
        for seed in 0..200 {
            let mut imu = unit(true, 100.0);
            imu.noise = RandomStream::new(seed, "imu");
            (0..1_000).for_each(|_| {
                imu.wander();
                imu.samples += 1;
            });
            sum += imu.gyro_bias.norm_squared() / 3.0;
        }
        // 1e-4 rad/s²/√Hz for 10 s
        let expected = 1e-4 * 10.0_f64.sqrt();
        let deviation = (sum / 200.0_f64).sqrt();
        assert!((deviation / expected - 1.0).abs() < 0.1, "{deviation}, expected {expected}");
    }

    #[test]
    fn a_slow_unit_keeps_its_stamp_between_samples() {
        let mut imu = unit(false, 250.0);
        for k in 0..7 {
            imu.tick(&at_rest(), 9.81, Time::from_nanoseconds(k * 1_000_000));
        }
        assert_eq!(imu.sample().stamp, Time::from_nanoseconds(4_000_000));
    }
}
