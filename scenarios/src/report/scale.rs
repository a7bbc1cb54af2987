//! Axes: from numbers to places on a picture, and the round numbers that stand beside it.

/// A picture's coordinates run from 0 to this, both ways; the page stretches it to any size.
pub const SPAN: f64 = 1000.0;

/// A range of numbers along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The number at the near end.
    pub low: f64,
    /// The number at the far end.
    pub high: f64,
}

impl Scale {
    /// A scale from `low` to `high`, widened if it has no width.
    pub fn new(low: f64, high: f64) -> Scale {
        if high > low { Scale { low, high } } else { Scale { low, high: low + 1.0 } }
    }

    /// The smallest scale with a margin that holds all finite values and is no narrower than `least`.
    pub fn around(values: impl IntoIterator<Item = f64>, least: f64) -> Scale {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|value| value.is_finite()) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            return Scale { low: 0.0, high: least };
        }
        let missing = (least - (high - low)).max(0.0) / 2.0;
        let margin = 0.06 * (high - low + 2.0 * missing);
        Scale::new(low - missing - margin, high + missing + margin)
    }

    /// The same scale stretched to hold `value`.
    #[must_use]
    pub fn including(self, value: f64) -> Scale {
        Scale { low: self.low.min(value), high: self.high.max(value) }
    }

    /// Where a value lies, 0 at the near end and 1 at the far end.
    pub fn part(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// About `count` round numbers within.
    pub fn ticks(&self, count: f64) -> Vec<f64> {
        let step = round_step((self.high - self.low) / count);
        let first = (self.low / step).ceil();
        (0..64).map(|i| (first + f64::from(i)) * step).take_while(|tick| *tick <= self.high + 1e-9 * step).collect()
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is at least `step`.
pub fn round_step(step: f64) -> f64 {
    let power = 10f64.powf(step.log10().floor());
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= step * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within() {
        assert_eq!(Scale::new(-0.3, 41.0).ticks(5.0), [0.0, 10.0, 20.0, 30.0, 40.0]);
        assert_eq!(Scale::new(-1.0, 1.0).ticks(4.0), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    }

    #[test]
    fn a_flat_line_still_has_a_scale() {
        let scale = Scale::around([3.0, f64::NAN, 3.0], 1.0);
        assert!(scale.low < 2.6 && scale.high > 3.4, "{scale:?}");
        assert_eq!(Scale::around([f64::NAN], 2.0), Scale { low: 0.0, high: 2.0 });
        assert_eq!(Scale::new(5.0, 5.0).part(5.5), 0.5);
    }
}
