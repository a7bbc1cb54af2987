//! An allocator that shows who calls it.
#![allow(unsafe_code, reason = "a global allocator cannot be written without")]
#![allow(dead_code, reason = "each test file uses some of it")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::{Cell, RefCell};

thread_local! {
    static WATCHING: Cell<bool> = const { Cell::new(false) };
    static CAUGHT: RefCell<Vec<Backtrace>> = const { RefCell::new(Vec::new()) };
}

/// The system's allocator, which shows who calls it on a thread that watches.
struct Watched;

#[global_allocator]
static ALLOCATOR: Watched = Watched;

// SAFETY: every call is passed on unchanged to the system's allocator, which keeps the contract.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note();
        // SAFETY: the caller's promise, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise, passed on.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note();
        // SAFETY: the caller's promise, passed on.
        unsafe { System.realloc(memory, layout, size) }
    }
}

/// Keeps the backtrace of an allocation. What taking it allocates is not watched.
fn note() {
    if WATCHING.try_with(|watching| watching.replace(false)).unwrap_or(false) {
        let trace = Backtrace::force_capture();
        CAUGHT.with_borrow_mut(|caught| caught.push(trace));
        WATCHING.set(true);
    }
}

/// From now on, or no longer, allocations of this thread are caught.
pub fn set_watching(watching: bool) {
    WATCHING.set(watching);
}

/// What was caught on this thread since the last call.
pub fn take_caught() -> Vec<Backtrace> {
    CAUGHT.take()
}

/// Who allocated while `work` was done.
pub fn watch(work: impl FnOnce()) -> Vec<Backtrace> {
    set_watching(true);
    work();
    set_watching(false);
    take_caught()
}

/// The innermost function in a backtrace that is not the standard library's.
pub fn place(trace: &str) -> &str {
    let theirs = ["alloc::", "core::", "std::", "__rust"];
    let is_ours = |name: &&str| {
        let path = name.trim_start_matches('<');
        !theirs.iter().any(|start| path.starts_with(start)) && !path.contains("watched::")
    };
    let mut names = trace.lines().filter_map(|line| line.trim().split_once(": ")).map(|(_, name)| name);
    names.find(is_ours).unwrap_or("unknown")
}
