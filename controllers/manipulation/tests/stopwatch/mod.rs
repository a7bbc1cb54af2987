//! Time that a thread has had: others' use of the machine does not count.

use rustix::time::{ClockId, clock_gettime};

/// Time that this thread has had [s].
pub fn thread_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// The values at these shares of all, which are sorted.
pub fn shares(values: &mut [f64], at: &[f64]) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    at.iter().map(|share| values[((values.len() - 1) as f64 * share) as usize]).collect()
}
