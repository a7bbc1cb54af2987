//! The wall clock, for what prints times.
#![allow(clippy::disallowed_methods, reason = "this is about the wall clock")]

use std::time::Instant;

/// Runs since it was made.
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins now.
    pub fn start() -> Stopwatch {
        Stopwatch(Instant::now())
    }

    /// Since then [ms].
    pub fn milliseconds(&self) -> f64 {
        1e3 * self.0.elapsed().as_secs_f64()
    }
}
