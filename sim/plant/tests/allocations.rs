//! A step of a driving robot allocates nothing.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod support;

use counting::{Counting, allocations};
use plant::Setup;
use support::{active, centaur, hold, quiet, run, shipped};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn no_step_allocates_and_a_laser_seldom() {
    for (world, place, laser, most) in [
        ("flat", (0.0, 0.0), false, 0.0),
        ("spacebot", (-8.0, -8.0), false, 0.0),
        ("spacebot", (-8.0, -8.0), true, 0.5),
    ] {
        let sensors = if laser { vec!["laser".to_owned()] } else { Vec::new() };
        let setup = Setup { sensors, ..quiet("stand", place.0, place.1) };
        let mut simulation = active(&shipped(world), &centaur(), &setup);
        let commands = hold(&simulation, Some(0.5));
        simulation.command(&commands).unwrap();
        run(&mut simulation, 2.0);
        let before = allocations();
        run(&mut simulation, 4.0);
        let each = (allocations() - before) as f64 / 4_000.0;
        assert!(each <= most, "{each} allocations a step on {world}, laser {laser}");
    }
}
