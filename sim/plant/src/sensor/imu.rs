//! An inertial measurement unit.

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use robot_io::{Imu, Period, RandomStream, Rate, State, Time};
use robot_model::description::ImuMount;

use super::attitude_filter::AttitudeFilter;
use super::on_bus;
use super::triad::{DRAWS, Triad};

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
/// - Gyroscopes and accelerometers err as [`Triad`] says.
/// - Attitude: what an [`AttitudeFilter`] makes of those samples. Its zero is the yaw at the start.
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
    last_velocity: Vector3<f64>,
    gyroscope: Triad,
    accelerometer: Triad,
    /// From the first sample on.
    #[state(elements)]
    filter: Option<AttitudeFilter>,
    samples: u64,
    sample: Imu,
}

impl ImuUnit {
    /// A unit that moves like `motion` and is asked once a `cycle`.
    pub fn new(mount: &ImuMount, motion: &Motion, cycle: Period, noise: RandomStream, noisy: bool) -> ImuUnit {
        let wanted = Period::from_seconds(1.0 / mount.rate_hz);
        let rate = Rate::every(wanted, cycle).unwrap_or(Rate::EVERY_TICK);
        let triad = |errors, first| if noisy { Triad::new(errors, &noise, first) } else { Triad::ideal() };
        ImuUnit {
            rate,
            interval: rate.interval(cycle).seconds(),
            last_velocity: motion.velocity_in_world,
            gyroscope: triad(&mount.gyroscope, 0),
            accelerometer: triad(&mount.accelerometer, DRAWS),
            filter: None,
            samples: 0,
            sample: Imu::default(),
            mount: mount.clone(),
            noise,
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
        let turning = to_imu * motion.angular_velocity_in_world;
        let force = to_imu * (gained + Vector3::z() * gravity);
        let angular_velocity = self.gyroscope.sample(&turning, self.interval, &self.noise, (self.samples, 0));
        let linear_acceleration = self.accelerometer.sample(&force, self.interval, &self.noise, (self.samples, DRAWS));
        match &mut self.filter {
            Some(filter) => filter.update(&angular_velocity, &linear_acceleration, self.interval),
            None => {
                let (_, _, yaw) = motion.imu_in_world.rotation.euler_angles();
                // a unit that has been on for long knows how far up is by its accelerometer, without a single sample's noise
                let force = force + self.accelerometer.bias();
                let time = self.mount.attitude_time;
                self.filter = Some(AttitudeFilter::at_rest(time, &force, yaw, &self.gyroscope.bias()));
            }
        }
        let orientation = self.filter.map_or_else(UnitQuaternion::identity, |filter| filter.attitude());
        self.sample = Imu {
            stamp: now,
            // of unit length to single precision, as it comes off the wire
            orientation: UnitQuaternion::new_unchecked(orientation.into_inner().coords.map(on_bus).into()),
            angular_velocity: angular_velocity.map(on_bus),
            linear_acceleration: linear_acceleration.map(on_bus),
        };
        self.samples += 1;
    }
}

#[cfg(test)]
mod tests {
    use robot_model::description::TriadErrors;

    use super::*;

    fn unit(noisy: bool, rate_hz: f64) -> ImuUnit {
        let mount = ImuMount {
            name: "imu".to_owned(),
            link: 0,
            pose_in_link: Isometry3::identity(),
            gyroscope: TriadErrors { noise_density: 1e-3, bias_walk: 1e-4, ..TriadErrors::default() },
            accelerometer: TriadErrors { noise_density: 2e-3, bias_walk: 1e-4, ..TriadErrors::default() },
            attitude_time: 2.0,
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
    fn a_slow_unit_keeps_its_stamp_between_samples() {
        let mut imu = unit(false, 250.0);
        for k in 0..7 {
            imu.tick(&at_rest(), 9.81, Time::from_nanoseconds(k * 1_000_000));
        }
        assert_eq!(imu.sample().stamp, Time::from_nanoseconds(4_000_000));
    }
}
