//! Ctrl-C: a run ends in order instead of in the middle of a cycle.
#![allow(unsafe_code, reason = "signal handlers are the operating system's")]

use std::sync::atomic::{AtomicBool, Ordering};

/// What a shell sees of a program that somebody interrupted: 128 and the number of SIGINT.
pub const EXIT_CODE: u8 = 130;

const MESSAGE: &[u8] = b"interrupted: ending cleanly; once more ends it at once\n";

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// From now on SIGINT, SIGTERM and SIGHUP only ask for an end. Whoever asks a second time gets it at once: the robot's boards
/// then switch themselves off, by their watchdogs. A program under `nohup` still does not hear SIGHUP.
pub fn install() {
    let handler = on_signal as *const () as libc::sighandler_t;
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        // SAFETY: the handler calls nothing but what a handler may (signal-safety(7)).
        let before = unsafe { libc::signal(signal, handler) };
        if signal == libc::SIGHUP && before == libc::SIG_IGN {
            // SAFETY: puts back what was there.
            unsafe { libc::signal(signal, before) };
        }
    }
}

/// True once somebody asked for the end.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

extern "C" fn on_signal(_: libc::c_int) {
    if REQUESTED.swap(true, Ordering::Relaxed) {
        // SAFETY: ends the process and touches nothing of it.
        unsafe { libc::_exit(libc::c_int::from(EXIT_CODE)) };
    }
    // SAFETY: MESSAGE is readable for its length; that nobody reads what is written does not matter.
    unsafe { libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len()) };
}
