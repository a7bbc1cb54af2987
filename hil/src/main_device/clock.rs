//! The clock of ethercrab's timers, one for each thread.
//!
//! ethercrab asks `embassy-time` for the time and for a call at a later one. On a network that is CLOCK_MONOTONIC. In
//! lock-step it is a number that stands still while frames travel and jumps to the next deadline when nothing else can
//! happen: a lost frame costs no time, and a run is the same however loaded the machine is.
#![allow(unsafe_code, reason = "embassy-time finds its driver as an unmangled symbol, which its macro defines")]

use core::cell::Cell;
use core::task::{Poll, Waker};

use crate::link::monotonic;

/// ethercrab's timers count microseconds.
const TICK: u64 = 1_000;
const _: () = assert!(embassy_time_driver::TICK_HZ * TICK == 1_000_000_000);

thread_local! {
    /// The logical time [ns], or the machine's.
    static NOW: Cell<Option<u64>> = const { Cell::new(None) };
    /// The earliest deadline that a future has asked for since it was last forgotten [ns].
    static ALARM: Cell<u64> = const { Cell::new(u64::MAX) };
}

struct ThreadClock;

impl embassy_time_driver::Driver for ThreadClock {
    fn now(&self) -> u64 {
        now() / TICK
    }

    fn schedule_wake(&self, at: u64, _waker: &Waker) {
        let at = at.saturating_mul(TICK);
        ALARM.with(|alarm| alarm.set(alarm.get().min(at)));
    }
}

embassy_time_driver::time_driver_impl!(static CLOCK: ThreadClock = ThreadClock);

/// The time of this thread's futures [ns].
pub(super) fn now() -> u64 {
    NOW.get().unwrap_or_else(monotonic)
}

/// Sets this thread's time: logical [ns], or with `None` the machine's.
pub(super) fn set(now: Option<u64>) {
    NOW.set(now);
}

/// Forgets all deadlines. Futures name theirs each time they are polled.
pub(super) fn forget_alarm() {
    ALARM.set(u64::MAX);
}

/// The earliest deadline since they were forgotten [ns].
pub(super) fn alarm() -> u64 {
    ALARM.get()
}

/// Lets a time pass [ns].
pub(super) async fn sleep(time: u64) {
    let end = now().saturating_add(time);
    core::future::poll_fn(|_| {
        if now() >= end {
            return Poll::Ready(());
        }
        ALARM.with(|alarm| alarm.set(alarm.get().min(end)));
        Poll::Pending
    })
    .await;
}
