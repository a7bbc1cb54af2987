//! An exchange takes no memory: neither in a good cycle, nor with lost and late frames, nor while a board is gone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use hil::exchange::Exchange;

#[path = "main_device/bench.rs"]
mod bench;
#[path = "../../tests/support/counting.rs"]
mod counting;

use bench::{Run, Trouble};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

/// How often memory was asked for while `work` was done.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = counting::allocations();
    work();
    counting::allocations() - before
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
