//! What a link is covered with, and what two materials do on each other.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::Vector3;
use plant::{Frame, Simulation};
use robot_model::RobotModel;
use support::{bare, collision_box, link, quiet, ramp, robot, run, world};

/// A brick of 3 kg that may be covered with something.
fn brick(surface: &str) -> RobotModel {
    let urdf =
        format!("<robot name=\"b\">{}</robot>", link("brick", 3.0, [0.0; 3], 0.02, &collision_box(0.3, 0.2, 0.1)));
    robot(&urdf, &format!("name = \"b\"\ncycle_period_us = 1000\n{surface}\n[[pose]]\nname = \"stand\"\n"))
}

/// How far the brick slides in 2 s down a ramp of 20°, after it was put there [m].
fn slide(surface: &str, more: &str) -> f64 {
    let mut simulation =
        Simulation::new(&world("concrete", &(ramp(20.0) + more)), &brick(surface), &quiet("stand", 0.0, 0.0)).unwrap();
    run(&mut simulation, 1.0);
    let before = simulation.truth().base_in_world.translation.vector;
    run(&mut simulation, 1.0);
    (simulation.truth().base_in_world.translation.vector - before).norm()
}

#[test]
fn a_surface_that_is_smoother_than_the_ground_decides_and_a_pair_decides_before_both() {
    // tan 20° is 0.364
    assert!(slide("", "") < 1e-4, "rubber on concrete holds");
    let waxed = "[[surface]]\nname = \"wax\"\nlinks = [\"brick\"]\nfriction = 0.1";
    assert!(slide(waxed, "") > 1.0, "wax slides");
    let holds = "\n[[pair]]\nmaterials = [\"concrete\", \"wax\"]\nfriction = 0.6\n";
    assert!(slide(waxed, holds) < 1e-4, "wax on concrete is said to hold");
    let other = "\n[[pair]]\nmaterials = [\"sand\", \"wax\"]\nfriction = 0.6\n";
    assert!(slide(waxed, other) > 1.0, "which says nothing of others");
}

#[test]
fn what_gives_way_does_so_by_as_much_as_is_said_whatever_lies_on_it() {
    let stone = bare(&format!("<robot name=\"stone\">{}</robot>", link("stone", 1.0, [0.0; 3], 0.1, "")));
    for mass in [0.5, 50.0] {
        let foam = format!(
            "[[material]]\nname = \"foam\"\nbase = \"concrete\"\ngive = 0.002\n[[object]]\nname = \"crate\"\n\
             box = {{ size = [0.4, 0.4, 0.4] }}\nplace = [0.0, 0.0]\nmass = {mass}\nmaterial = \"foam\"\n"
        );
        let mut simulation = Simulation::new(&world("concrete", &foam), &stone, &quiet("zero", 8.0, 8.0)).unwrap();
        run(&mut simulation, 2.0);
        let mut frame = Frame::default();
        simulation.frame(&mut frame);
        let sunk = 0.2 - frame.objects_in_world[0].translation.z;
        // on four corners it is a quarter
        assert!((sunk - 0.0005).abs() < 2e-5, "{mass} kg: {sunk} m");
        assert!((frame.objects_in_world[0].rotation * Vector3::z()).z > 0.999_999);
    }
}
