//! Objects that hang on the world or on others.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use core::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::Isometry3;
use plant::{Frame, Simulation};
use support::{bare, link, quiet, run, world};

/// A world with objects, and a stone far away for a robot.
fn simulation(objects: &str) -> Simulation {
    let stone = bare(&format!("<robot name=\"stone\">{}</robot>", link("stone", 1.0, [0.0; 3], 0.1, "")));
    Simulation::new(&world("concrete", objects), &stone, &quiet("zero", 8.0, 8.0)).unwrap()
}

fn objects(simulation: &Simulation) -> Vec<Isometry3<f64>> {
    let mut frame = Frame::default();
    simulation.frame(&mut frame);
    frame.objects_in_world
}

/// How far the first object is turned about y from how it lies level [rad].
fn turned(simulation: &Simulation) -> f64 {
    let x = objects(simulation)[0].rotation * nalgebra::Vector3::x();
    (-x.z).atan2(x.x)
}

/// A flap of 1 m and 4 kg, level at 2 m, whose one edge is hinged; more fields of its hinge.
fn flap(more: &str) -> Simulation {
    simulation(&format!(
        "[[object]]\nname = \"flap\"\nbox = {{ size = [1.0, 0.5, 0.02] }}\nposition = [0.0, 0.0, 2.0]\nmass = 4.0\n\
         material = \"rock\"\nhinge = {{ axis = [0, 1, 0], at = [-0.5, 0.0, 0.0]{more} }}\n"
    ))
}

#[test]
fn a_rod_swings_about_its_hinge_with_its_period() {
    let mut simulation = simulation(
        "[[object]]\nname = \"rod\"\nbox = { size = [0.02, 0.02, 1.0] }\nposition = [0.0, 0.0, 2.0]\nrpy_deg = [0, 2, 0]\nmass = 1.0\n\
         material = \"rock\"\nhinge = { axis = [0, 1, 0], at = [0, 0, 0.5] }\n",
    );
    let (mut before, mut crossings) = (turned(&simulation), Vec::new());
    while crossings.len() < 9 {
        simulation.step();
        let now = turned(&simulation);
        // the rod's hinge is not below its middle: it swings about hanging straight down, where it is not turned
        if before < 0.0 && now >= 0.0 {
            crossings.push(simulation.time().seconds() - now / (now - before) * 1e-3);
        }
        before = now;
    }
    let period = (crossings[8] - crossings[0]) / 8.0;
    // a rod about its end, with its thickness, at an amplitude of 2°
    let inertia: f64 = (1.0 + 4e-4) / 12.0 + 0.25;
    let expected = TAU * (inertia / (9.81 * 0.5)).sqrt() * (1.0 + 2.0_f64.to_radians().powi(2) / 16.0);
    assert!((period / expected - 1.0).abs() < 1e-5, "{period} s, expected {expected} s");
}

#[test]
fn a_flap_falls_to_its_stop_about_its_edge() {
    let mut simulation = flap(", limits_deg = [-10, 60], damping = 2.0");
    run(&mut simulation, 3.0);
    assert!((turned(&simulation) - 60_f64.to_radians()).abs() < 1e-3, "{} rad", turned(&simulation));
    let edge = objects(&simulation)[0] * nalgebra::Point3::new(-0.5, 0.0, 0.0);
    assert!((edge - nalgebra::Point3::new(-0.5, 0.0, 2.0)).norm() < 1e-9, "the edge stays where it is: {edge}");
}

#[test]
fn a_catch_holds_what_is_less_than_its_effort_and_lets_go_of_more() {
    // the flap's weight on half a metre; it is let go of gently, by a damper
    let weight = 4.0 * 9.81 * 0.5;
    let mut held = flap(&format!(", latch = {{ effort = {}, within_deg = 2 }}, damping = 60.0", 1.02 * weight));
    run(&mut held, 5.0);
    assert!((0.9..1.0).contains(&(turned(&held) / 2_f64.to_radians())), "{} rad", turned(&held));
    let mut opened = flap(&format!(", latch = {{ effort = {}, within_deg = 2 }}, damping = 60.0", 0.98 * weight));
    run(&mut opened, 60.0);
    assert!((turned(&opened) - FRAC_PI_2).abs() < 1e-3, "it hangs: {} rad", turned(&opened));
}

#[test]
fn a_button_goes_back_to_where_its_spring_and_its_weight_balance() {
    let mut simulation = simulation(
        "[[object]]\nname = \"button\"\ncylinder = { radius = 0.02, height = 0.04 }\nposition = [0.0, 0.0, 1.0]\nmass = 0.1\n\
         material = \"rock\"\nslide = { axis = [0, 0, 1], limits = [-0.01, 0.0], spring = 200.0, rest = 0.0, damping = 2.0 }\n",
    );
    run(&mut simulation, 2.0);
    let depth = 1.0 - objects(&simulation)[0].translation.z;
    assert!((depth - 0.1 * 9.81 / 200.0).abs() < 1e-6, "{depth} m");
}

#[test]
fn a_handle_goes_with_the_door_that_carries_it() {
    let door = "[[object]]\nname = \"frame\"\nbox = { size = [0.1, 0.5, 0.1] }\nposition = [-0.55, 0.0, 2.0]\nmaterial = \"rock\"\n";
    let flap = "[[object]]\nname = \"flap\"\nbox = { size = [1.0, 0.5, 0.02] }\nposition = [0.0, 0.0, 2.0]\nmass = 4.0\nmaterial = \"rock\"\n\
                hinge = { on = \"frame\", axis = [0, 1, 0], at = [-0.5, 0.0, 0.0], damping = 5.0 }\n";
    let knob = "[[object]]\nname = \"ball\"\ncylinder = { radius = 0.05, height = 0.1 }\nplace = [3.0, 3.0]\nmass = 1.0\nmaterial = \"rock\"\n\
                [[object]]\nname = \"knob\"\nbox = { size = [0.02, 0.1, 0.02] }\nposition = [0.4, 0.0, 2.02]\nmass = 0.1\nmaterial = \"rock\"\n\
                hinge = { on = \"flap\", axis = [0, 0, 1], friction = 0.2 }\n";
    let mut simulation = simulation(&format!("{door}{flap}{knob}"));
    let on_flap = |simulation: &Simulation| objects(simulation)[1].inverse() * objects(simulation)[3];
    let before = on_flap(&simulation);
    run(&mut simulation, 10.0);
    let flap = objects(&simulation)[1].rotation * nalgebra::Vector3::x();
    assert!(flap.z < -0.999, "the flap hangs down: {flap}");
    let moved = before.inverse() * on_flap(&simulation);
    assert!(moved.translation.vector.norm() < 1e-9 && moved.rotation.angle() < 0.02, "{moved}");
    assert!(objects(&simulation)[2].translation.z < 0.1, "what hangs on nothing lies where it lay");
}

#[test]
fn a_snapshot_holds_an_open_door() {
    let mut one = flap(", damping = 1.0");
    run(&mut one, 0.4);
    let saved = one.snapshot();
    let mut other = flap(", damping = 1.0");
    other.restore(&saved).unwrap();
    run(&mut one, 0.5);
    run(&mut other, 0.5);
    assert_eq!(one.digest(), other.digest());
    assert!(turned(&one) > 0.3);
}
