//! Words from the terminal, and who sits at it.
#![allow(unsafe_code, reason = "the terminal is the operating system's")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crossbeam::channel::Sender;
use robot_io::OperatorInput;

use crate::words::{known, request};

/// Between two looks while this program is in the background [ms].
const LOOK: i32 = 100;

/// The number of the user who runs this program.
pub fn user() -> u32 {
    // SAFETY: asks for a number and cannot fail.
    unsafe { libc::getuid() }
}

/// Passes lines on until `ends`. A program in the background leaves the terminal alone: reading would stop it.
pub(crate) fn read(to: &Sender<OperatorInput>, ends: &AtomicBool) {
    let mut line = String::new();
    while !ends.load(Ordering::Relaxed) {
        if !is_in_foreground() {
            std::thread::sleep(Duration::from_millis(LOOK as u64));
            continue;
        }
        if !has_input() {
            continue;
        }
        line.clear();
        match std::io::stdin().read_line(&mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => pass_on(&line, to),
        }
    }
}

fn pass_on(line: &str, to: &Sender<OperatorInput>) {
    match request(line) {
        // a run that has ended asks nobody
        Some(request) => drop(to.send(OperatorInput { twist: None, request: Some(request) })),
        None if line.trim().is_empty() => {}
        None => eprintln!("expected one of {} (or its first letter) and Enter, found '{}'", known(), line.trim()),
    }
}

fn is_in_foreground() -> bool {
    // SAFETY: both ask for numbers.
    unsafe { libc::tcgetpgrp(libc::STDIN_FILENO) == libc::getpgrp() }
}

/// Waits a little for a line.
fn has_input() -> bool {
    let mut wait = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, which is ours.
    unsafe { libc::poll(&raw mut wait, 1, LOOK) > 0 }
}
