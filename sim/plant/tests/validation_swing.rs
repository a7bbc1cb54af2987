//! Things that swing, fall and spin, against closed forms.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use core::f64::consts::TAU;

use nalgebra::Vector3;
use plant::{Push, Setup, Simulation};
use robot_io::{Commands, JointCommand, Period, Time};
use robot_model::RobotModel;
use support::{active, bare, collision_box, floor, hinge, ideal_actuator, link, quiet, robot, run};

/// A heavy and wide stand on the ground.
fn stand() -> String {
    link("stand", 300.0, [0.0; 3], 300.0, &collision_box(4.0, 4.0, 0.5))
}

/// Times at which the joint passes upwards through `middle` in ten seconds, interpolated [s].
fn crossings_about(simulation: &mut Simulation, middle: f64) -> Vec<f64> {
    let mut crossings = Vec::new();
    let mut before = f64::INFINITY;
    while simulation.time().seconds() < 10.0 {
        simulation.step();
        let now = simulation.truth().joint_positions[0] - middle;
        if before < 0.0 && now >= 0.0 {
            crossings.push(simulation.time().seconds() - 1e-3 * now / (now - before));
        }
        before = now;
    }
    assert!(crossings.len() > 3, "it does not swing");
    crossings
}

fn period(crossings: &[f64]) -> f64 {
    (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64
}

/// A bob of 2 kg, half a metre below its hinge, that hangs 2 degrees off.
fn bob() -> String {
    let (sin, cos) = 0.035_f64.sin_cos();
    link("bob", 2.0, [0.5 * sin, 0.0, -0.5 * cos], 0.02, "")
}

/// The time that the pendulum needs about its hinge, at its amplitude [s].
fn expected_period(inertia: f64) -> f64 {
    TAU * (inertia / (2.0 * 9.81 * 0.5)).sqrt() * (1.0 + 0.035 * 0.035 / 16.0)
}

#[test]
fn a_pendulum_swings_with_its_period() {
    let urdf =
        format!("<robot name=\"p\">{}{}{}</robot>", stand(), bob(), hinge("swing", "stand", "bob", [0.0, 0.0, 2.0]));
    let mut simulation = Simulation::new(&floor(), &bare(&urdf), &quiet("zero", 0.0, 0.0)).unwrap();
    // it swings about where the bob is lowest: shift by the angle at which it began
    let crossings = crossings_about(&mut simulation, 0.035);
    let expected = expected_period(2.0 * 0.25 + 0.02);
    assert!((period(&crossings) / expected - 1.0).abs() < 1e-6, "{} s, expected {expected} s", period(&crossings));
}

#[test]
fn a_rotor_makes_it_slower_as_its_reflected_inertia_says() {
    let urdf =
        format!("<robot name=\"p\">{}{}{}</robot>", stand(), bob(), hinge("swing", "stand", "bob", [0.0, 0.0, 2.0]));
    // 4e-5 kg·m² behind a gear of 100: 0.4 kg·m² at the joint, nearly as much as the bob
    let toml = format!(
        "name = \"p\"\ncycle_period_us = 1000\n{}[[joints]]\nnames = [\"swing\"]\nactuator = \"ideal\"\nstiffness = 0.0\n\
         damping = 0.0\n[[pose]]\nname = \"stand\"\n",
        ideal_actuator(4e-5, 100.0)
    );
    let mut simulation = Simulation::new(&floor(), &robot(&urdf, &toml), &quiet("stand", 0.0, 0.0)).unwrap();
    let crossings = crossings_about(&mut simulation, 0.035);
    let expected = expected_period(2.0 * 0.25 + 0.02 + 0.4);
    assert!((period(&crossings) / expected - 1.0).abs() < 1e-6, "{} s, expected {expected} s", period(&crossings));
}

#[test]
fn a_thrown_body_flies_a_parabola() {
    let urdf = format!("<robot name=\"stone\">{}</robot>", link("stone", 3.0, [0.0; 3], 0.1, ""));
    let mut simulation = Simulation::new(&floor(), &bare(&urdf), &quiet("zero", 0.0, 0.0)).unwrap();
    let force = Vector3::new(90.0, 0.0, 180.0);
    let push = Push { link: 0, point_in_link: Vector3::zeros(), force_in_world: force, until: Time::from_seconds(0.1) };
    simulation.push(push);
    run(&mut simulation, 0.1);
    let start = simulation.truth();
    // 0.1 s of the force's and gravity's acceleration
    let speed = (force / 3.0 - Vector3::z() * 9.81) * 0.1;
    assert!((start.base_velocity_in_world - speed).norm() < 1e-9);
    run(&mut simulation, 1.0);
    let flown = simulation.truth().base_in_world.translation.vector - start.base_in_world.translation.vector;
    let expected = speed - Vector3::z() * (0.5 * 9.81);
    assert!((flown - expected).norm() < 1e-12, "{flown} instead of {expected}");
}

/// What share of its energy a two-link body loses or gains in five seconds of tumbling, at a step of so many µs.
fn energy_error(step: u64) -> f64 {
    // space: every velocity product takes part and nothing takes energy
    let mut space = floor();
    space.gravity = 0.0;
    let urdf = format!(
        "<robot name=\"d\">{}{}{}</robot>",
        link("body", 2.0, [0.1, 0.0, 0.0], 0.05, ""),
        link("arm", 1.0, [0.25, 0.0, 0.1], 0.02, ""),
        hinge("elbow", "body", "arm", [0.3, 0.0, 0.0]),
    );
    let setup = Setup { physics_period: Period::from_microseconds(step), ..quiet("zero", 0.0, 0.0) };
    let mut simulation = Simulation::new(&space, &bare(&urdf), &setup).unwrap();
    let (point_in_link, until) = (Vector3::new(0.4, 0.1, 0.0), Time::from_seconds(0.1));
    for (link, force_in_world) in [(0, Vector3::new(0.0, 2.5, -5.0)), (1, Vector3::new(1.25, -2.5, 5.0))] {
        simulation.push(Push { link, point_in_link, force_in_world, until });
    }
    run(&mut simulation, 0.1);
    let begin = simulation.mechanical_energy();
    let speed = simulation.truth().joint_velocities[0].abs();
    assert!(speed > 3.0, "the elbow turns at {speed} rad/s");
    run(&mut simulation, 5.0);
    (simulation.mechanical_energy() - begin).abs() / begin
}

#[test]
fn two_links_keep_their_energy_to_the_order_of_the_step_squared() {
    let (coarse, fine) = (energy_error(1_000), energy_error(250));
    assert!(coarse < 1e-6, "{coarse} of the energy");
    assert!(fine < 0.1 * coarse, "{fine} at a quarter of the step, {coarse} at the whole");
}

/// A body with a heavy arm and a drive between, nowhere near anything.
fn floating_arm() -> RobotModel {
    let urdf = format!(
        "<robot name=\"f\">{}{}{}</robot>",
        link("body", 5.0, [0.0; 3], 0.2, ""),
        link("arm", 2.0, [0.3, 0.0, 0.0], 0.05, ""),
        hinge("shoulder", "body", "arm", [0.1, 0.0, 0.2]),
    );
    let toml = format!(
        "name = \"f\"\ncycle_period_us = 1000\n{}[[joints]]\nnames = [\"shoulder\"]\nactuator = \"ideal\"\nstiffness = 20.0\n\
         damping = 1.0\n[[pose]]\nname = \"stand\"\n",
        ideal_actuator(0.0, 1.0)
    );
    robot(&urdf, &toml)
}

#[test]
fn a_drive_changes_no_momentum() {
    let mut space = floor();
    space.gravity = 0.0;
    let mut simulation = active(&space, &floating_arm(), &quiet("stand", 0.0, 0.0));
    let mut commands = Commands::new(simulation.layout());
    commands.joints[0] = JointCommand::hold(1.5, 20.0, 1.0);
    simulation.command(&commands).unwrap();
    run(&mut simulation, 2.0);
    assert!((simulation.truth().joint_positions[0] - 1.5).abs() < 0.05, "the arm has moved");
    let (linear, angular) = simulation.momentum_in_world();
    // of some 1 N·s in between
    assert!(linear.norm() < 1e-12, "linear momentum {linear}");
    assert!(angular.norm() < 1e-12, "angular momentum {angular}");
}

#[test]
fn a_push_gives_its_impulse() {
    let mut space = floor();
    space.gravity = 0.0;
    let mut simulation = Simulation::new(&space, &floating_arm(), &quiet("stand", 0.0, 0.0)).unwrap();
    let force_in_world = Vector3::new(3.0, -2.0, 5.0);
    let until = Time::from_seconds(0.25);
    simulation.push(Push { link: 1, point_in_link: Vector3::new(0.3, 0.0, 0.1), force_in_world, until });
    run(&mut simulation, 0.5);
    let (linear, _) = simulation.momentum_in_world();
    assert!((linear - force_in_world * 0.25).norm() < 1e-12, "{linear}");
}
