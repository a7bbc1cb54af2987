//! Counts the allocations of the thread that asks: for tests that a cycle allocates nothing.
//!
//! An allocator belongs to a whole program, so each test that counts includes this file by its path:
//!
//! ```text
//! #[path = "../../tests/support/counting.rs"]
//! mod counting;
//!
//! #[global_allocator]
//! static ALLOCATOR: counting::Counting = counting::Counting;
//! ```
#![allow(unsafe_code, reason = "an allocator is unsafe by nature; this one only counts and passes on")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// The system's allocator with a counter per thread.
pub struct Counting;

// SAFETY: every call goes to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's obligations are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Allocations of this thread so far.
pub fn allocations() -> u64 {
    COUNT.with(Cell::get)
}
