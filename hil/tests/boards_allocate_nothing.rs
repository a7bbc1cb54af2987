//! Neither end of any board takes memory in a cycle, faults and snapshots' digests included. Prints what a cycle costs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

#[allow(dead_code, reason = "other tests use the rest of the bench")]
#[path = "boards/bench.rs"]
mod bench;
#[path = "../../tests/support/counting.rs"]
mod counting;

use std::time::Instant;

use bench::Bench;
use hil::board::Order;
use hil::virtual_bus::BoardFault;
use robot_io::{JointCommand, StateHasher, Time};

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

const BOARDS: [(&str, &str); 5] = [
    ("cia402", "joint = \"hip\"\ncounts = 100000\nrated_torque = 20.0\ndamp = 2.0\ncontact = \"wheel_contact\""),
    ("walkman_joint", "joint = \"knee\"\ncounts = 65536\ndamp = 2.0"),
    ("walkman_force_torque", "force_torque = \"ankle\""),
    ("skin", "patches = [\"wheel_contact\"]"),
    ("body", "imu = \"imu\"\nbattery = \"battery\""),
];

/// Both ends' work in a cycle, without the copies between them.
fn work(bench: &mut Bench, cycle: u64) {
    let now = Time::from_nanoseconds(cycle * 1_000_000);
    bench.driver.decode(&bench.inputs, now, &mut bench.readings);
    bench.driver.encode(bench.order, &bench.commands, &bench.inputs, &mut bench.outputs);
    bench.firmware.react(&mut bench.objects, true);
    bench.firmware.act(&bench.objects, &mut bench.told);
    bench.firmware.take_reset();
    bench.firmware.sample(&mut bench.objects, &bench.truth, now);
    bench.firmware.react(&mut bench.objects, true);
}

#[test]
fn a_cycle_of_any_board_allocates_nothing() {
    for (kind, text) in BOARDS {
        let mut bench = Bench::new(kind, text);
        bench.command(JointCommand::hold(0.1, 100.0, 5.0));
        bench.order = Order::Follow;
        bench.cycles(20);
        let faults = [None, Some(BoardFault::Hot { temperature: 200.0 }), Some(BoardFault::FrozenEncoder)];
        let before = counting::allocations();
        for cycle in 0..300 {
            bench.firmware.set_fault(faults[cycle as usize / 100]);
            bench.order = [Order::Follow, Order::Reset, Order::Damp, Order::Off][cycle as usize / 25 % 4];
            work(&mut bench, cycle);
            let mut hasher = StateHasher::default();
            bench.driver.visit_state(&mut hasher);
            bench.firmware.visit_state(&mut bench.objects, &mut hasher);
        }
        assert_eq!(counting::allocations(), before, "{kind}");
    }
}

#[test]
fn what_a_cycle_costs() {
    for (kind, text) in BOARDS {
        let mut bench = Bench::new(kind, text);
        bench.command(JointCommand::hold(0.1, 100.0, 5.0));
        bench.order = Order::Follow;
        bench.cycles(20);
        let (cycles, start) = (20_000, Instant::now());
        (0..cycles).for_each(|cycle| work(&mut bench, cycle));
        let both = start.elapsed().as_nanos() / u128::from(cycles);
        println!("{kind}: {both} ns for both ends of a board, {} µs for 57", both as f64 * 0.057);
        assert!(bench.readings.joints[0].position.is_finite());
    }
}
