//! A cycle of the locomotion allocates nothing, whatever it is at.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]
#![allow(missing_docs, dead_code, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod rolling;

use counting::{Counting, allocations};
use locomotion::{BodyTarget, Settings};
use robot_io::Twist;
use rolling::Rolling;

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
            let before = allocations();
            rolling.locomotion.update(&rolling.readings, &rolling.odometry, &mut rolling.commands);
            assert_eq!(allocations(), before, "cycle {cycle} of {x} {y} {yaw}");
            rolling.step(target);
        }
    }
}
