//! A cycle of the estimator allocates nothing.
#![allow(unsafe_code, reason = "counting allocations takes an allocator, whose trait is unsafe")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

mod puppet;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use estimation::OdometryEstimator;
use puppet::{DT, Puppet, Strings};

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|count| count.set(count.get() + 1));
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_cycle_allocates() {
    let mut puppet = Puppet::new();
    let mut estimator = OdometryEstimator::new(&puppet.model, &puppet.layout).unwrap();
    puppet.pull(0, &Strings::default(), &Strings::default());
    estimator.reset(&puppet.readings);
    for cycle in 1..200 {
        let strings = Strings { height: 0.5 + 0.02 * (cycle as f64 * DT).sin(), ..Strings::default() };
        puppet.pull(cycle, &strings, &strings);
        let before = ALLOCATIONS.with(Cell::get);
        estimator.update(&puppet.readings);
        assert_eq!(ALLOCATIONS.with(Cell::get), before, "cycle {cycle}");
    }
}
