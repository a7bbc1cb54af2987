//! The wall clock, for what prints times.
#![allow(clippy::disallowed_methods, reason = "this is about the wall clock")]

use std::time::Instant;

/// How long each of many calls takes [µs]: median, 99 of 100, longest.
pub fn times(calls: usize, mut call: impl FnMut()) -> [f64; 3] {
    let mut took: Vec<f64> = (0..calls)
        .map(|_| {
            let start = Instant::now();
            call();
            1e6 * start.elapsed().as_secs_f64()
        })
        .collect();
    took.sort_by(f64::total_cmp);
    [took[calls / 2], took[calls * 99 / 100], took[calls - 1]]
}
