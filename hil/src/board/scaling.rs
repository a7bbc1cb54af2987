//! SI units to a board's increments and back.

use std::f64::consts::TAU;

use robot_io::{State, StateVisitor};

/// A linear scale: `increments = (value − offset) · increments_per_unit`, the sign in `increments_per_unit`.
///
/// Only additions, multiplications, divisions and rounding are used: the same bits on every platform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    increments_per_unit: f64,
    offset: f64,
}

/// What an encoder counts and through which gear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EncoderScale {
    /// Increments per turn of the encoder.
    pub counts: u32,
    /// Turns of the encoder per turns of the joint (for a prismatic joint, of its spindle).
    pub gear: (u32, u32),
    /// Travel per turn of the spindle [m]; `None` for joints that turn.
    pub feed: Option<f64>,
    /// 1 or −1: whether encoder and joint count the same way.
    pub sign: f64,
    /// The joint's position where the encoder says zero [rad] or [m].
    pub offset: f64,
}

impl EncoderScale {
    /// The scale of the joint's position [rad] or [m].
    pub fn scale(&self) -> Scale {
        let per_turn = f64::from(self.counts) * f64::from(self.gear.0) / f64::from(self.gear.1);
        let turn = self.feed.unwrap_or(TAU);
        Scale { increments_per_unit: self.sign * per_turn / turn, offset: self.offset }
    }
}

impl Scale {
    /// A scale on which one increment is `unit`, without offset. A negative unit turns the sign.
    pub fn of_unit(unit: f64) -> Scale {
        Scale { increments_per_unit: 1.0 / unit, offset: 0.0 }
    }

    /// A scale on which `units` make `increments`, without offset.
    pub fn of_ratio(increments: f64, units: f64) -> Scale {
        Scale { increments_per_unit: increments / units, offset: 0.0 }
    }

    /// The nearest whole number of increments, saturated to 62 bits; `None` for not-a-number.
    pub fn increments(&self, value: f64) -> Option<i64> {
        const MOST: f64 = (1_i64 << 62) as f64;
        let exact = (value - self.offset) * self.increments_per_unit;
        (!exact.is_nan()).then(|| libm::rint(exact).clamp(-MOST, MOST) as i64)
    }

    /// The nearest whole number of increments, saturated to `low..=high`; `None` for not-a-number.
    pub fn within(&self, value: f64, low: i64, high: i64) -> Option<i64> {
        self.increments(value).map(|increments| increments.clamp(low, high))
    }

    /// Saturated to 32 bits.
    pub fn to_i32(&self, value: f64) -> Option<i32> {
        self.within(value, i32::MIN.into(), i32::MAX.into()).map(|increments| increments as i32)
    }

    /// Saturated to 16 bits.
    pub fn to_i16(&self, value: f64) -> Option<i16> {
        self.within(value, i16::MIN.into(), i16::MAX.into()).map(|increments| increments as i16)
    }

    /// Saturated to 16 bits without sign.
    pub fn to_u16(&self, value: f64) -> Option<u16> {
        self.within(value, 0, u16::MAX.into()).map(|increments| increments as u16)
    }

    /// A difference in increments, at least one: what `amount` of the unit comes to, without sign and offset, rounded up.
    pub fn span(&self, amount: f64) -> i64 {
        let exact = libm::ceil((amount * self.increments_per_unit).abs());
        if exact.is_nan() { 1 } else { exact.clamp(1.0, (1_i64 << 62) as f64) as i64 }
    }

    /// The value of a number of increments.
    pub fn value(&self, increments: i64) -> f64 {
        increments as f64 / self.increments_per_unit + self.offset
    }
}

/// Follows a 32-bit counter, which wraps around if its joint turns for ever: then the difference between two readings is
/// less than 2³¹.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unwrap {
    wraps: bool,
    total: Option<i64>,
}

impl Unwrap {
    /// A counter that wraps around or does not. The first reading counts from zero.
    pub const fn new(wraps: bool) -> Unwrap {
        Unwrap { wraps, total: None }
    }

    /// Takes the next reading and gives the counter as if it had never wrapped.
    pub fn next(&mut self, raw: i32) -> i64 {
        let total = self.near(raw);
        self.total = Some(total);
        total
    }

    /// The number that a reading means: with a counter that wraps, the one nearest to the last reading.
    pub fn near(&self, raw: i32) -> i64 {
        match self.total.filter(|_| self.wraps) {
            Some(total) => total.wrapping_add(raw.wrapping_sub(total as i32).into()),
            None => raw.into(),
        }
    }

    /// The last reading.
    pub fn last(&self) -> i64 {
        self.total.unwrap_or(0)
    }
}

impl State for Unwrap {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut known = self.total.is_some();
        known.visit_state(visitor);
        let mut total = self.last() as u64;
        visitor.word(&mut total);
        self.total = known.then_some(total as i64);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn encoder(counts: u32, gear: (u32, u32), sign: f64, offset: f64) -> Scale {
        EncoderScale { counts, gear, feed: None, sign, offset }.scale()
    }

    #[test]
    fn a_turn_of_the_joint_is_counts_times_gear() {
        let scale = encoder(4096, (301, 3), -1.0, 0.5);
        assert_eq!(scale.increments(0.5), Some(0));
        assert_eq!(scale.increments(0.5 + 3.0 * TAU), Some(-4096 * 301));
        let spindle = EncoderScale { counts: 1000, gear: (1, 1), feed: Some(0.005), sign: 1.0, offset: 0.0 }.scale();
        assert_eq!(spindle.increments(0.1), Some(20_000));
    }

    #[test]
    fn not_a_number_is_refused_and_infinity_saturates() {
        let scale = Scale::of_unit(1e-6);
        assert_eq!(scale.to_i32(f64::NAN), None);
        assert_eq!(scale.to_i32(f64::INFINITY), Some(i32::MAX));
        assert_eq!(scale.to_i16(-1.0), Some(i16::MIN));
        assert_eq!(scale.to_u16(-1.0), Some(0));
        assert_eq!(scale.increments(f64::NEG_INFINITY), Some(-(1 << 62)));
    }

    #[test]
    fn a_wheel_that_turns_for_ever_is_followed_through_the_wrap() {
        let mut unwrap = Unwrap::new(true);
        let step = 300_000_000_i64;
        for k in 0..40 {
            assert_eq!(unwrap.next((k * step) as i32), k * step);
        }
        for k in (-40..40).rev() {
            assert_eq!(unwrap.next((k * step) as i32), k * step);
        }
    }

    #[test]
    fn a_counter_that_does_not_wrap_forgets_a_wild_reading() {
        let mut unwrap = Unwrap::new(false);
        let readings = [10, i32::MIN, i32::MAX, 11].map(|raw| unwrap.next(raw));
        assert_eq!(readings, [10, i32::MIN.into(), i32::MAX.into(), 11]);
    }

    proptest! {
        #[test]
        fn there_and_back_is_within_half_an_increment(
            counts in 1_u32..10_000_000, over in 1_u32..1000, under in 1_u32..1000, negative: bool,
            offset in -10.0..10.0_f64, value in -100.0..100.0_f64,
        ) {
            let scale = encoder(counts, (over, under), if negative { -1.0 } else { 1.0 }, offset);
            let increments = scale.increments(value).unwrap();
            let one = TAU / (f64::from(counts) * f64::from(over) / f64::from(under));
            prop_assert!((scale.value(increments) - value).abs() <= 0.5 * one * (1.0 + 1e-6) + 1e-12);
            prop_assert_eq!(scale.increments(scale.value(increments)), Some(increments), "a whole number stays");
        }

        #[test]
        fn any_bits_give_a_number_or_none(bits: u64, unit in 1e-9..1e3_f64) {
            let value = f64::from_bits(bits);
            prop_assert_eq!(Scale::of_unit(unit).to_i32(value).is_none(), value.is_nan());
        }

        #[test]
        fn unwrapping_follows_any_walk(steps in proptest::collection::vec(i32::MIN..=i32::MAX, 1..60)) {
            let (mut unwrap, mut total) = (Unwrap::new(true), 0_i64);
            unwrap.next(0);
            for step in steps {
                total += i64::from(step);
                prop_assert_eq!(unwrap.next(total as i32), total);
            }
        }
    }
}
