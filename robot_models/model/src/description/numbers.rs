//! Numbers that know what they may be, so that the parser itself points at the ones that make no sense.

use serde::de::{Deserialize, Deserializer, Error, Unexpected};

/// A finite number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Finite(pub f64);

/// A finite number above zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Positive(pub f64);

/// A finite number, zero or above.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct NonNegative(pub f64);

/// Above 0, at most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fraction(pub f64);

/// Whole microseconds, at least 1 and at most a second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Microseconds(pub u64);

/// Whole counts, at least 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Counts(pub u32);

fn number<'de, D: Deserializer<'de>>(
    source: D,
    expected: &'static str,
    sensible: fn(f64) -> bool,
) -> Result<f64, D::Error> {
    let value = f64::deserialize(source)?;
    let sensible = value.is_finite() && sensible(value);
    if sensible { Ok(value) } else { Err(D::Error::invalid_value(Unexpected::Float(value), &expected)) }
}

fn whole<'de, D: Deserializer<'de>>(source: D, expected: &'static str, most: u64) -> Result<u64, D::Error> {
    let value = i64::deserialize(source)?;
    let sensible = u64::try_from(value).ok().filter(|value| (1..=most).contains(value));
    sensible.ok_or_else(|| D::Error::invalid_value(Unexpected::Signed(value), &expected))
}

impl<'de> Deserialize<'de> for Finite {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        number(source, "a finite number", |_| true).map(Finite)
    }
}

impl<'de> Deserialize<'de> for Positive {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        number(source, "a number above 0", |value| value > 0.0).map(Positive)
    }
}

impl<'de> Deserialize<'de> for NonNegative {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        number(source, "a number of at least 0", |value| value >= 0.0).map(NonNegative)
    }
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        number(source, "a number above 0 and at most 1", |value| value > 0.0 && value <= 1.0).map(Fraction)
    }
}

impl<'de> Deserialize<'de> for Microseconds {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        whole(source, "whole microseconds, 1 to 1000000", 1_000_000).map(Microseconds)
    }
}

impl<'de> Deserialize<'de> for Counts {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let counts = whole(source, "a whole number, 1 to 4294967295", u64::from(u32::MAX))?;
        Ok(Counts(u32::try_from(counts).unwrap_or(u32::MAX)))
    }
}
