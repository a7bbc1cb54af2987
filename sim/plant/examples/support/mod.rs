//! Time that a thread has spent computing, which other work on the machine does not change.

use std::sync::LazyLock;
use std::time::Instant;

/// Seconds that this thread has been on a core; of the wall where the system does not tell (it is Linux that does).
pub fn computing_seconds() -> f64 {
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |nanoseconds| 1e-9 * nanoseconds)
}
