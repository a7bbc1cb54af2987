//! The system calls of a real-time thread. All `unsafe` of the set-up is here.
#![allow(unsafe_code, reason = "locking memory and the timer slack are system calls without a safe wrapper")]

use std::io;

/// Keeps all memory of this process, present and future, from being paged out.
pub fn lock_memory() -> io::Result<()> {
    // SAFETY: takes two flags and touches no memory of ours.
    checked(unsafe { libc::mlockall(libc::MCL_CURRENT | libc::MCL_FUTURE) })
}

/// Lets this thread's timers fire this late at most [ns]; the kernel's own is 50 µs for threads without real-time priority.
pub fn set_timer_slack(nanoseconds: u64) -> io::Result<()> {
    // SAFETY: takes a number and touches no memory of ours.
    checked(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, nanoseconds, 0, 0, 0) })
}

/// This thread's timer slack [ns].
pub fn timer_slack() -> io::Result<u64> {
    // SAFETY: takes no argument and returns a number.
    let slack = unsafe { libc::prctl(libc::PR_GET_TIMERSLACK, 0, 0, 0, 0) };
    u64::try_from(slack).map_err(|_| io::Error::last_os_error())
}

/// The soft limit of a resource of this process; `u64::MAX` for none.
fn soft_limit(resource: libc::__rlimit_resource_t) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a live rlimit that the call fills in.
    let answer = unsafe { libc::getrlimit(resource, &mut limit) };
    (answer == 0).then_some(if limit.rlim_cur == libc::RLIM_INFINITY { u64::MAX } else { limit.rlim_cur })
}

/// How much memory may be locked [bytes].
pub fn memory_limit() -> Option<u64> {
    soft_limit(libc::RLIMIT_MEMLOCK)
}

/// The highest priority that a thread may give itself without CAP_SYS_NICE.
pub fn priority_limit() -> Option<u64> {
    soft_limit(libc::RLIMIT_RTPRIO)
}

/// The address space that this process uses now, all of which would be locked [bytes].
pub fn memory_in_use() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

fn checked(answer: libc::c_int) -> io::Result<()> {
    if answer == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
