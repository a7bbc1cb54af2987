//! Time as a count of nanoseconds, and rates that never drift.

use core::fmt;
use core::ops::{Add, Sub};

use serde::{Deserialize, Serialize};

use crate::{State, StateVisitor};

const NANOSECONDS_PER_SECOND: u64 = 1_000_000_000;

/// A point in time [ns since the start of the run]. Only a [`Clock`](crate::Clock) makes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Time(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Time = Time(0);

    /// A time from nanoseconds since the start.
    pub const fn from_nanoseconds(nanoseconds: u64) -> Time {
        Time(nanoseconds)
    }

    /// A time from seconds, rounded to the nearest nanosecond; negative and not-a-number become zero.
    pub fn from_seconds(seconds: f64) -> Time {
        Time((seconds * NANOSECONDS_PER_SECOND as f64 + 0.5) as u64)
    }

    /// Nanoseconds since the start.
    pub const fn nanoseconds(self) -> u64 {
        self.0
    }

    /// Seconds since the start [s]; for display and for arithmetic that does not feed back into time.
    pub fn seconds(self) -> f64 {
        self.0 as f64 / NANOSECONDS_PER_SECOND as f64
    }

    /// The time that has passed since `earlier`, zero if `earlier` is later.
    pub fn since(self, earlier: Time) -> Period {
        Period(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.3} s", self.seconds())
    }
}

impl Add<Period> for Time {
    type Output = Time;
    fn add(self, period: Period) -> Time {
        Time(self.0 + period.0)
    }
}

impl Sub for Time {
    type Output = Period;
    fn sub(self, earlier: Time) -> Period {
        self.since(earlier)
    }
}

impl State for Period {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.word(&mut self.0);
    }
}

impl State for Time {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.word(&mut self.0);
    }
}

/// A length of time [ns].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Period(u64);

impl Period {
    /// A period from nanoseconds.
    pub const fn from_nanoseconds(nanoseconds: u64) -> Period {
        Period(nanoseconds)
    }

    /// A period from microseconds.
    pub const fn from_microseconds(microseconds: u64) -> Period {
        Period(microseconds * 1_000)
    }

    /// A period from milliseconds.
    pub const fn from_milliseconds(milliseconds: u64) -> Period {
        Period(milliseconds * 1_000_000)
    }

    /// A period from seconds, rounded to the nearest nanosecond; negative and not-a-number become zero.
    pub fn from_seconds(seconds: f64) -> Period {
        Period(Time::from_seconds(seconds).0)
    }

    /// Its length in nanoseconds.
    pub const fn nanoseconds(self) -> u64 {
        self.0
    }

    /// Its length in seconds [s].
    pub fn seconds(self) -> f64 {
        self.0 as f64 / NANOSECONDS_PER_SECOND as f64
    }

    /// How many whole cycles of `cycle` it holds, rounded up; zero for a zero cycle.
    pub fn cycles_of(self, cycle: Period) -> u64 {
        if cycle.0 == 0 { 0 } else { self.0.div_ceil(cycle.0) }
    }
}

impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            ns if ns >= NANOSECONDS_PER_SECOND => write!(f, "{:.3} s", self.seconds()),
            ns if ns >= 1_000_000 => write!(f, "{:.3} ms", ns as f64 * 1e-6),
            ns => write!(f, "{:.3} µs", ns as f64 * 1e-3),
        }
    }
}

/// A rate derived from a faster one by a rational phase accumulator: `numerator` events in `denominator` ticks.
///
/// Unlike a float accumulator it neither drifts nor depends on where it started: 40 scans/s on 1,000 ticks/s is
/// exactly one scan in 25 ticks, and 30 images/s comes out as the pattern 34, 33, 33.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    numerator: u64,
    denominator: u64,
    phase: u64,
}

impl Rate {
    /// An event every tick.
    pub const EVERY_TICK: Rate = Rate { numerator: 1, denominator: 1, phase: 0 };

    /// A rate with `events` events in `ticks` ticks, `None` if there were more events than ticks or none at all.
    pub fn new(events: u64, ticks: u64) -> Option<Rate> {
        let sensible = events > 0 && events <= ticks;
        sensible.then_some(Rate { numerator: events, denominator: ticks, phase: 0 })
    }

    /// A rate of one event per `interval`, ticked once per `tick`.
    pub fn every(interval: Period, tick: Period) -> Option<Rate> {
        Rate::new(tick.nanoseconds(), interval.nanoseconds())
    }

    /// Counts one tick; true if an event falls on it. The first tick is always an event.
    pub fn tick(&mut self) -> bool {
        let due = self.phase < self.numerator;
        self.phase = (self.phase + self.numerator) % self.denominator;
        due
    }

    /// The mean time between events when ticked once per `tick`.
    pub fn interval(&self, tick: Period) -> Period {
        Period(tick.0 * self.denominator / self.numerator)
    }
}

impl State for Rate {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        visitor.word(&mut self.phase);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn events_in(rate: &mut Rate, ticks: usize) -> usize {
        (0..ticks).filter(|_| rate.tick()).count()
    }

    #[test]
    fn forty_scans_fall_on_every_25th_millisecond() {
        let mut rate = Rate::every(Period::from_milliseconds(25), Period::from_milliseconds(1)).unwrap();
        let ticks: Vec<usize> = (0..76).filter(|_| rate.tick()).collect();
        assert_eq!(ticks, [0, 25, 50, 75]);
    }

    #[test]
    fn thirty_images_a_second_do_not_drift_in_an_hour() {
        let mut rate = Rate::new(30, 1_000).unwrap();
        assert_eq!(events_in(&mut rate, 3_600_000), 108_000);
    }

    #[test]
    fn more_events_than_ticks_is_refused() {
        assert_eq!(Rate::new(3, 2), None);
        assert_eq!(Rate::new(0, 2), None);
    }

    #[test]
    fn times_print_with_their_unit() {
        assert_eq!(Time::from_seconds(1.5).to_string(), "1.500 s");
        assert_eq!(Period::from_microseconds(250).to_string(), "250.000 µs");
        assert_eq!(Period::from_milliseconds(4).to_string(), "4.000 ms");
    }
}
