//! A controller over ethercrab and the virtual bus sees, cycle for cycle and bit for bit, what it sees through a model of
//! the bus: one cycle of delay and the quantisation of process data.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use robot_io::{Digest, RobotIo};
use support::Bench;

#[test]
fn the_bus_adds_nothing_but_its_delay_and_its_quantisation() {
    let (mut bus, mut model) = (Bench::virtual_bus(Vec::new()), Bench::modelled());
    bus.robot.bring_up().unwrap();
    model.robot.bring_up().unwrap();
    for cycle in 0..2_000 {
        bus.cycle();
        model.cycle();
        assert_eq!(bus.readings, model.readings, "readings in cycle {cycle}");
        assert_eq!(Digest::of(&mut bus.robot), Digest::of(&mut model.robot), "state in cycle {cycle}");
    }
    assert!(bus.readings.joints[support::WHEEL].position > 3.9, "it has moved: {:?}", bus.readings.joints);
}
