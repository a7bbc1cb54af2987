//! A robot that is screwed to the world.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::Vector3;
use plant::{Push, Relocation, Setup, Simulation};
use robot_io::{Commands, JointCommand, Pose2, Time};
use robot_model::RobotModel;
use robot_model::description::Base;
use support::{active, bare, collision_box, floor, hinge, ideal_actuator, link, quiet, robot, run};

/// A light pedestal of 1 m with a heavy arm that reaches far to one side.
fn arm(base: &str) -> RobotModel {
    let urdf = format!(
        "<robot name=\"a\">{}{}{}</robot>",
        link("pedestal", 1.0, [0.0; 3], 0.01, &collision_box(0.1, 0.1, 0.2)),
        link("arm", 5.0, [0.5, 0.0, 0.0], 0.2, ""),
        hinge("shoulder", "pedestal", "arm", [0.0, 0.0, 1.0]),
    );
    let toml = format!(
        "name = \"a\"\n{base}cycle_period_us = 1000\n{}[[joints]]\nnames = [\"shoulder\"]\nactuator = \"ideal\"\n\
         stiffness = 2000.0\ndamping = 50.0\n[[pose]]\nname = \"stand\"\n",
        ideal_actuator(0.0, 1.0)
    );
    robot(&urdf, &toml)
}

fn held(model: &RobotModel) -> Simulation {
    let mut simulation = active(&floor(), model, &quiet("stand", 0.0, 0.0));
    let mut commands = Commands::new(simulation.layout());
    commands.joints[0] = JointCommand::hold(0.0, 2000.0, 50.0);
    simulation.command(&commands).unwrap();
    simulation
}

#[test]
fn it_stands_where_a_robot_that_floats_would_tip_over() {
    let mut floats = held(&arm(""));
    run(&mut floats, 1.0);
    assert!(floats.truth().base_in_world.rotation.angle() > 0.5, "it tips over");
    let model = arm("base = \"fixed\"\n");
    assert_eq!(model.description.base, Base::Fixed);
    let mut fixed = held(&model);
    let before = fixed.truth().base_in_world;
    let push = Vector3::new(300.0, 500.0, 200.0);
    fixed.push(Push { link: 0, point_in_link: Vector3::zeros(), force_in_world: push, until: Time::from_seconds(0.5) });
    run(&mut fixed, 1.0);
    let truth = fixed.truth();
    assert_eq!(truth.base_in_world, before, "nothing moves it");
    // 5 kg on half a metre, against 2,000 N·m/rad
    let sag = 5.0 * 9.81 * 0.5 / 2000.0;
    assert!((truth.joint_positions[0] - sag).abs() < 1e-4, "{} rad, expected {sag}", truth.joint_positions[0]);
}

#[test]
fn a_swinging_arm_keeps_its_energy_and_its_base() {
    let mut space = floor();
    space.gravity = 3.0;
    let urdf = format!(
        "<robot name=\"a\">{}{}{}</robot>",
        link("world", 1.0, [0.0; 3], 0.01, ""),
        link("arm", 5.0, [0.5, 0.0, 0.0], 0.2, ""),
        hinge("shoulder", "world", "arm", [0.0, 0.0, 2.0]),
    );
    // a URDF whose root is called world is fixed to it, by convention
    let mut simulation = Simulation::new(&space, &bare(&urdf), &quiet("zero", 0.0, 0.0)).unwrap();
    let begin = simulation.mechanical_energy();
    run(&mut simulation, 3.0);
    assert!((simulation.mechanical_energy() - begin).abs() < 1e-5 * 30.0, "{}", simulation.mechanical_energy() - begin);
    assert!(
        simulation.truth().joint_velocities[0].abs() > 0.1 && simulation.truth().base_in_world.translation.z == 0.0
    );
}

#[test]
fn nobody_carries_it_away() {
    let relocation = Relocation { at: Time::from_seconds(1.0), to: Pose2::default() };
    let setup = Setup { relocations: vec![relocation], ..quiet("stand", 0.0, 0.0) };
    let error = Simulation::new(&floor(), &arm("base = \"fixed\"\n"), &setup).err().unwrap().to_string();
    assert!(error.contains("relocations") && error.contains("fixed to the world"), "{error}");
}
