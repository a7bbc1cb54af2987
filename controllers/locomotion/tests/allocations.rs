//! A cycle of the locomotion allocates nothing, whatever it is at.
#![allow(unsafe_code, reason = "counting allocations takes an allocator, whose trait is unsafe")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

mod rolling;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use locomotion::{BodyTarget, Settings};
use robot_io::Twist;
use rolling::Rolling;

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
    let mut rolling = Rolling::new(0.05, -0.2, Settings::default());
    let height = rolling.locomotion.stance_height();
    let twists = [(0.0, 0.0, 0.0), (0.3, 0.0, 0.0), (0.0, -0.3, 0.2), (0.0, 0.0, 0.0)];
    for (x, y, yaw) in twists {
        let target = BodyTarget { twist: Twist { x, y, yaw }, height, ..BodyTarget::default() };
        for cycle in 0..400 {
            rolling.locomotion.set_target(target);
            let before = ALLOCATIONS.with(Cell::get);
            rolling.locomotion.update(&rolling.readings, &rolling.odometry, &mut rolling.commands);
            assert_eq!(ALLOCATIONS.with(Cell::get), before, "cycle {cycle} of {x} {y} {yaw}");
            rolling.step(target);
        }
    }
}
