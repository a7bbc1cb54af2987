//! What the drive knows of position and velocity.

use robot_io::State;

/// An encoder of finite resolution and a tracking observer for the velocity.
///
/// The observer is the second-order phase-locked loop of resolver and encoder chips (Ellis, "Observers in control
/// systems", 2002, chapter 10; Kalata, "The tracking index", 1984, for its discrete α-β form), run once a physics step
/// on the counts: so a report lags by about 1/bandwidth and carries the counts' ripple. The servo's own loop has less time: its velocity is the
/// difference of counts from step to step through a first-order filter. Nothing else knows the velocity.
#[derive(Clone, Copy, Debug, State)]
pub(crate) struct Encoder {
    /// One count [rad].
    #[state(fixed)]
    count: f64,
    /// Counted position [rad].
    counted: f64,
    /// The observer's position [rad].
    tracked: f64,
    /// The observer's velocity [rad/s].
    velocity: f64,
    /// How much of a new difference enters the servo's velocity.
    #[state(fixed)]
    share: f64,
    /// The servo's velocity [rad/s].
    servo_velocity: f64,
}

impl Encoder {
    /// Bandwidth of the observer [rad/s], about 32 Hz: the filter of a servo drive's velocity display.
    const BANDWIDTH: f64 = 200.0;

    /// An encoder with counts of `count` [rad], at rest at `position` [rad]; `share` of a new difference of counts enters the servo's velocity.
    pub fn new(count: f64, position: f64, share: f64) -> Encoder {
        let counted = quantise(position, count);
        Encoder { count, counted, tracked: counted, velocity: 0.0, share, servo_velocity: 0.0 }
    }

    /// Reads the shaft at `position` [rad] after a step of `step` [s].
    pub fn track(&mut self, position: f64, step: f64) {
        let before = core::mem::replace(&mut self.counted, quantise(position, self.count));
        self.servo_velocity += self.share * ((self.counted - before) / step - self.servo_velocity);
        self.tracked += step * self.velocity;
        let error = self.counted - self.tracked;
        // both gains of the critically damped loop, sampled
        let pull = Self::BANDWIDTH * step;
        self.tracked += 2.0 * pull * error;
        self.velocity += pull * Self::BANDWIDTH * error;
    }

    /// The counted position [rad].
    pub fn position(&self) -> f64 {
        self.counted
    }

    /// A single reading of a `counted` position that is off by `error` [rad].
    pub fn reading(&self, counted: f64, error: f64) -> f64 {
        if error == 0.0 { counted } else { quantise(counted + error, self.count) }
    }

    /// The observed velocity [rad/s].
    pub fn velocity(&self) -> f64 {
        self.velocity
    }

    /// The velocity by which the servo damps [rad/s].
    pub fn servo_velocity(&self) -> f64 {
        self.servo_velocity
    }
}

fn quantise(position: f64, count: f64) -> f64 {
    libm::round(position / count) * count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reading_is_a_whole_number_of_counts() {
        let mut encoder = Encoder::new(1e-3, 0.0, 1.0);
        encoder.track(0.12345, 1e-3);
        assert!((encoder.position() - 0.123).abs() < 1e-12);
    }

    #[test]
    fn the_velocity_follows_a_ramp_to_a_fraction_of_a_count_per_step() {
        let (count, step, speed) = (1.5e-3, 1e-3, 0.7);
        let mut encoder = Encoder::new(count, 0.0, 1.0);
        let mut worst: f64 = 0.0;
        for k in 1..2_000 {
            encoder.track(speed * step * f64::from(k), step);
            if k > 200 {
                worst = worst.max((encoder.velocity() - speed).abs());
            }
        }
        // a bare difference of counts would be off by up to count/step = 1.5 rad/s
        assert!(worst < 0.1, "{worst}");
    }

    #[test]
    fn the_servos_velocity_has_the_steps_of_counts_and_a_filter_takes_them_away() {
        let (count, step, speed) = (1e-5, 1e-3, 0.0137);
        let ripple = |share: f64| {
            let mut encoder = Encoder::new(count, 0.0, share);
            let velocities = (1..2_000).map(|k| {
                encoder.track(speed * step * f64::from(k), step);
                encoder.servo_velocity()
            });
            velocities.skip(500).map(|velocity| (velocity - speed).abs()).fold(0.0, f64::max)
        };
        // a count in a step is 0.01 rad/s
        assert!(ripple(1.0) > 0.003 && ripple(0.1) < 0.001, "{} {}", ripple(1.0), ripple(0.1));
    }

    #[test]
    fn the_velocity_lags_behind_a_jump() {
        let mut encoder = Encoder::new(1e-6, 0.0, 1.0);
        let velocities: Vec<f64> = (1..=30)
            .map(|k| {
                encoder.track(1e-3 * f64::from(k), 1e-3);
                encoder.velocity()
            })
            .collect();
        assert!(velocities[0] < 0.1 && (velocities[29] - 1.0).abs() < 0.15, "{velocities:?}");
    }
}
