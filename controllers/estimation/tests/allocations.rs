//! A cycle of the estimator allocates nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod puppet;

use counting::{Counting, allocations};
use estimation::OdometryEstimator;
use puppet::{DT, Puppet, Strings};

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
        let before = allocations();
        estimator.update(&puppet.readings);
        assert_eq!(allocations(), before, "cycle {cycle}");
    }
}
