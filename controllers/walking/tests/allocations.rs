//! A cycle of the gait allocates nothing, whatever it does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod pendulum;

use counting::{Counting, allocations};
use pendulum::Pendulum;
use walking::{GaitSettings, Measured, Twist};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_cycle_allocates() {
    let mut pendulum = Pendulum::new(GaitSettings::default(), 1);
    for cycle in 0..12_000 {
        match cycle {
            500 => pendulum.gait.walk(Twist { forward: 0.3, sideways: 0.1, turning: 0.1 }),
            4000 => pendulum.push(0.3, 1.0),
            7000 => pendulum.gait.stop(),
            _ => {}
        }
        pendulum.step();
        let measured = Measured { com: pendulum.com, dcm: pendulum.dcm(), forces: None, feet: None };
        let mut gait = pendulum.gait.clone();
        let before = allocations();
        gait.update(&measured);
        assert_eq!(allocations(), before, "cycle {cycle}");
    }
}
