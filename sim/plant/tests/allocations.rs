//! A step of a driving robot allocates nothing.

#![allow(clippy::unwrap_used, reason = "tests")]

#[path = "../../../tests/support/counting.rs"]
mod counting;
mod support;

use counting::{Counting, allocations};
use plant::{Member, Setup, Simulation};
use robot_io::{Lifecycle, Pose2};
use support::{active, bare, centaur, hold, hold_pose, link, prism_mesh, quiet, run, shipped, world};

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
    two_that_come_towards_each_other();
    a_disc_that_rolls_on_a_slab();
}

/// Faces with many corners meet in memory that is kept.
fn a_disc_that_rolls_on_a_slab() {
    let objects = format!(
        "[[object]]\nname = \"slab\"\nbox = {{ size = [1.0, 0.5, 0.1] }}\nmass = 100.0\nmaterial = \"concrete\"\n\
         position = [0.0, 0.0, 0.05]\n\
         [[object]]\nname = \"disc\"\nmesh = {}\nmass = 0.2\nmaterial = \"concrete\"\nposition = [0.0, 0.0, 0.16]\nrpy_deg = [60.0, 0.0, 0.0]\n",
        prism_mesh(12, [0.05, 0.02])
    );
    let stone = bare(&format!("<robot name=\"stone\">{}</robot>", link("stone", 1.0, [0.0; 3], 0.1, "")));
    let mut simulation = Simulation::new(&world("concrete", &objects), &stone, &quiet("zero", 8.0, 8.0)).unwrap();
    run(&mut simulation, 0.2);
    let before = allocations();
    run(&mut simulation, 0.5);
    let each = (allocations() - before) as f64 / 500.0;
    assert!(each <= 0.0, "{each} allocations a step of a disc on a slab");
}

/// Not a test of its own: what others allocate at the same time would count.
fn two_that_come_towards_each_other() {
    let (world, model) = (shipped("flat"), centaur());
    let [one, two] = [(0.0, 0.0), (6.0, core::f64::consts::PI)]
        .map(|(x, yaw)| Setup { spawn: Pose2 { x, y: 0.0, yaw }, ..quiet("stand", x, 0.0) });
    let member = |name, setup| Member { name, robot: &model, setup };
    let mut simulation = Simulation::with(&world, &[member("", &one), member("other", &two)]).unwrap();
    for number in [0, 1] {
        simulation.transition_of(number, Lifecycle::Inactive).unwrap();
        simulation.transition_of(number, Lifecycle::Active).unwrap();
        let commands = hold_pose(&simulation.robot_at(number).unwrap(), Some(0.4));
        simulation.command_of(number, &commands).unwrap();
    }
    run(&mut simulation, 3.0);
    let before = allocations();
    run(&mut simulation, 2.0);
    let each = (allocations() - before) as f64 / 2_000.0;
    assert!(each <= 0.0, "{each} allocations a step of two robots");
}
