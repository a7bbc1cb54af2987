//! An exchange takes no memory: neither in a good cycle, nor with lost, late and strange frames, nor while a board is gone.
#![allow(unsafe_code, reason = "a global allocator cannot be written without")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use hil::exchange::Exchange;

#[path = "main_device/bench.rs"]
mod bench;

use bench::{Run, Trouble};

thread_local! {
    static WATCHING: Cell<bool> = const { Cell::new(false) };
    static CAUGHT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, which counts what a thread that watches asks for.
struct Watched;

#[global_allocator]
static ALLOCATOR: Watched = Watched;

fn note() {
    if WATCHING.try_with(Cell::get).unwrap_or(false) {
        CAUGHT.with(|caught| caught.set(caught.get() + 1));
    }
}

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

/// How often memory was asked for while `work` was done.
fn allocations(work: impl FnOnce()) -> usize {
    CAUGHT.set(0);
    WATCHING.set(true);
    work();
    WATCHING.set(false);
    CAUGHT.get()
}

#[test]
fn an_exchange_allocates_nothing() {
    let mut run = Run::operational(57);
    run.cycles(10);
    for trouble in [None, Some(Trouble::Lost), Some(Trouble::Late(2))] {
        run.next(&[trouble]);
        let count = allocations(|| run.bus.exchange(&mut run.image, &mut run.report));
        assert_eq!(count, 0, "{trouble:?}");
        assert_eq!(run.report.lost, trouble.is_some());
    }
    run.cycles(3);
    run.bench().segment.set_power(20, false);
    run.cycle();
    let count = allocations(|| run.bus.exchange(&mut run.image, &mut run.report));
    assert_eq!((count, run.report.states[20]), (0, None));
    assert_eq!(allocations(|| assert!(run.bus.diagnose(3).is_some())), 0);
}

#[test]
fn an_allocation_is_caught() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1_u8]))), 1);
}
