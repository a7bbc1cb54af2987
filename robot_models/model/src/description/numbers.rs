//! What numbers may be that several fields share. Bounds are wider than any robot: beyond them a number is a typing error or
//! a wrong unit, and physics would end in no number at all.

use std::ops::RangeInclusive;

use page::{Fault, Fields, Range};
use robot_io::Period;

/// Torques and forces that a drive gives.
pub(super) const EFFORT: Range = Range::new(1e-9, 1e6, "N·m or N");
/// Temperatures.
pub(super) const TEMPERATURE: Range = Range::new(-273.15, 2000.0, "°C");
/// Shares.
pub(super) const SHARE: Range = Range::new(0.0, 1.0, "1");
/// A torque for a force.
pub(super) const ARM: Range = Range::new(0.0, 10.0, "m");
/// Sizes.
pub(super) const LENGTH: Range = Range::new(1e-6, 100.0, "m");
/// Distances that may be none.
pub(super) const DISTANCE: Range = Range::new(0.0, 1e4, "m");
/// Samples per second.
pub(super) const RATE: Range = Range::new(1e-3, 1e6, "Hz");
/// Whole microseconds, up to a second.
pub(super) const MICROSECONDS: RangeInclusive<u64> = 1..=1_000_000;

/// A standard deviation, a noise density or a random walk, whatever its unit.
pub(super) const fn noise(unit: &'static str) -> Range {
    Range::new(0.0, 1e4, unit)
}

/// A time in whole microseconds; none if it is left out.
pub(super) fn period(fields: &mut Fields<'_>, key: &'static str) -> Result<Period, Fault> {
    fields.whole_or(key, MICROSECONDS, 0).map(Period::from_microseconds)
}
