//! The sizes that are tried: from nothing to a limit, in even steps.

/// More levels than this are a typing error: a try is a run.
const MOST: f64 = 1_000.0;

/// Sizes from 0 to a limit, a resolution apart; the last one is the limit itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Levels {
    resolution: f64,
    limit: f64,
}

impl Levels {
    /// Levels of this resolution, up to this limit; both in the map's unit. What is wrong is said in words.
    pub fn new(resolution: f64, limit: f64) -> Result<Levels, String> {
        let is_sensible = resolution > 0.0 && resolution <= limit && limit.is_finite() && limit <= MOST * resolution;
        let expected = format!("expected a limit of 1 to {MOST} times the resolution, both above 0");
        let wrong = || format!("{expected}; found a limit of {limit} and a resolution of {resolution}");
        is_sensible.then_some(Levels { resolution, limit }).ok_or_else(wrong)
    }

    /// The number of the last level; level 0 is nothing.
    pub fn top(&self) -> usize {
        // at most a thousand; what is a hair above a whole number is that number
        (self.limit / self.resolution - 1e-9).ceil() as usize
    }

    /// The size of a level.
    pub fn value(&self, level: usize) -> f64 {
        (level as f64 * self.resolution).min(self.limit)
    }

    /// From one size to the next.
    pub fn resolution(&self) -> f64 {
        self.resolution
    }

    /// The largest size.
    pub fn limit(&self) -> f64 {
        self.limit
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn levels_rise_from_nothing_to_the_limit_by_no_more_than_the_resolution(resolution in 0.001..2.0_f64, times in 1.0..500.0_f64) {
            let levels = Levels::new(resolution, resolution * times).unwrap();
            prop_assert_eq!(levels.value(0), 0.0);
            prop_assert_eq!(levels.value(levels.top()), levels.limit());
            for level in 1..=levels.top() {
                let step = levels.value(level) - levels.value(level - 1);
                prop_assert!(step > 0.0 && step <= resolution * (1.0 + 1e-9), "{}", step);
            }
        }
    }

    #[test]
    fn a_limit_that_is_a_whole_number_of_steps_has_no_step_too_many() {
        let levels = Levels::new(0.05, 1.0).unwrap();
        assert_eq!((levels.top(), levels.value(5)), (20, 0.25));
        assert_eq!(Levels::new(0.1, 0.3).unwrap().top(), 3);
    }

    #[test]
    fn levels_without_sense_are_refused() {
        for (resolution, limit) in
            [(0.0, 1.0), (-0.1, 1.0), (2.0, 1.0), (0.001, 2.0), (f64::NAN, 1.0), (0.1, f64::INFINITY)]
        {
            let message = Levels::new(resolution, limit).unwrap_err();
            assert!(message.contains("expected a limit of 1 to 1000 times the resolution"), "{message}");
        }
    }
}
