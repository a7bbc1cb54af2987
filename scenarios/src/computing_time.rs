//! Time that other work on the machine does not change.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// How long this thread has been computing.
pub(crate) fn computing_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}
