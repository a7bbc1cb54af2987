//! A polynomial of fifth degree between two states.

use robot_io::State;

/// Position, velocity and acceleration.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Motion {
    /// [m] or [rad]
    pub position: f64,
    /// [m/s] or [rad/s]
    pub velocity: f64,
    /// [m/s²] or [rad/s²]
    pub acceleration: f64,
}

impl Motion {
    /// Not moving.
    pub fn rest(position: f64) -> Motion {
        Motion { position, ..Motion::default() }
    }
}

/// From one motion at a time to another at a later time; before and after it goes on with the velocity it has there.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Quintic {
    begin: f64,
    duration: f64,
    coefficients: [f64; 6],
}

impl Quintic {
    /// The only polynomial of fifth degree with these ends, `begin` and `end` [s]. It lasts a millisecond at least.
    pub fn new(begin: f64, from: &Motion, end: f64, to: &Motion) -> Quintic {
        let duration = (end - begin).max(1e-3);
        let (d, d2) = (duration, duration * duration);
        let way = to.position - from.position - from.velocity * d - 0.5 * from.acceleration * d2;
        let speed = (to.velocity - from.velocity) * d - from.acceleration * d2;
        let bend = (to.acceleration - from.acceleration) * d2;
        let coefficients = [
            from.position,
            from.velocity * d,
            0.5 * from.acceleration * d2,
            10.0 * way - 4.0 * speed + 0.5 * bend,
            -15.0 * way + 7.0 * speed - bend,
            6.0 * way - 3.0 * speed + 0.5 * bend,
        ];
        Quintic { begin, duration, coefficients }
    }

    /// At rest for ever.
    pub fn rest(position: f64) -> Quintic {
        Quintic::new(0.0, &Motion::rest(position), 1.0, &Motion::rest(position))
    }

    /// When it begins [s].
    pub fn begin(&self) -> f64 {
        self.begin
    }

    /// When it ends [s].
    pub fn end(&self) -> f64 {
        self.begin + self.duration
    }

    /// The motion at `time` [s].
    pub fn at(&self, time: f64) -> Motion {
        let s = ((time - self.begin) / self.duration).clamp(0.0, 1.0);
        let [c0, c1, c2, c3, c4, c5] = self.coefficients;
        let velocity = (c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * (4.0 * c4 + s * 5.0 * c5)))) / self.duration;
        let bend = 2.0 * c2 + s * (6.0 * c3 + s * (12.0 * c4 + s * 20.0 * c5));
        let beyond = time - (self.begin + s * self.duration);
        Motion {
            position: c0 + s * (c1 + s * (c2 + s * (c3 + s * (c4 + s * c5)))) + velocity * beyond,
            velocity,
            acceleration: bend / (self.duration * self.duration),
        }
    }
}
