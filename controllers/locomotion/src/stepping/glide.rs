//! From rest to rest.

use robot_io::State;

/// A share that goes from 0 to 1 with the least jerk (Flash and Hogan 1985): s = 10 u³ − 15 u⁴ + 6 u⁵.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct Glide {
    time: f64,
    duration: f64,
    /// The share, 0 to 1.
    pub share: f64,
    /// Its rate [1/s].
    pub rate: f64,
}

impl Glide {
    /// The highest rate of the share, times the duration.
    const PEAK: f64 = 1.875;

    /// One that takes so long [s].
    pub fn lasting(duration: f64) -> Glide {
        Glide { duration: duration.max(1e-3), ..Glide::default() }
    }

    /// One over a distance [m] with this highest speed [m/s], and not shorter than 0.3 s.
    pub fn over(distance: f64, speed: f64) -> Glide {
        Glide::lasting((Glide::PEAK * distance.abs() / speed).max(0.3))
    }

    /// Goes on; true at its end.
    pub fn advance(&mut self, dt: f64) -> bool {
        self.time = (self.time + dt).min(self.duration);
        let u = self.time / self.duration;
        self.share = u * u * u * (10.0 + u * (6.0 * u - 15.0));
        self.rate = 30.0 * u * u * (1.0 - u) * (1.0 - u) / self.duration;
        self.time >= self.duration
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_ends_at_one_at_rest_and_is_no_faster_than_told() {
        let mut glide = Glide::over(0.3, 0.1);
        let (mut before, mut fastest) = (0.0, 0.0_f64);
        while !glide.advance(0.004) {
            fastest = fastest.max(0.3 * (glide.share - before) / 0.004);
            assert!((0.3 * glide.rate - 0.3 * (glide.share - before) / 0.004).abs() < 2e-3);
            before = glide.share;
        }
        assert!(glide.share == 1.0 && glide.rate == 0.0 && (fastest - 0.1).abs() < 1e-3, "{fastest}");
    }
}
