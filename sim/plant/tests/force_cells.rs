//! Force/torque cells in joints that do not move: in a wrist before a tool, in a foot.

#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "each test file uses its own part of the support")]

mod support;

use nalgebra::{Rotation3, Vector3};
use plant::{Push, Simulation};
use robot_io::{Commands, JointCommand};
use robot_model::RobotModel;
use support::{active, collision_box, floor, hinge, ideal_actuator, link, quiet, robot, run};

const GRAVITY: f64 = 9.81;
/// Of arm, tool and finger [kg].
const MASSES: [f64; 3] = [2.0, 1.0, 0.5];

/// A stand with an arm at a height [m], a tool screwed to the arm 0.4 m out with its weight 0.1 m further, and a finger on the tool.
fn arm(height: f64) -> RobotModel {
    let [arm, tool, finger] = MASSES;
    let flange = "<joint name=\"flange\" type=\"fixed\"><parent link=\"arm\"/><child link=\"tool\"/><origin xyz=\"0.4 0 0\"/></joint>";
    let urdf = format!(
        "<robot name=\"a\">{}{}{}{}{}{flange}{}</robot>",
        link("stand", 300.0, [0.0; 3], 300.0, &collision_box(0.4, 4.0, 0.5)),
        link("arm", arm, [0.2, 0.0, 0.0], 0.02, ""),
        hinge("shoulder", "stand", "arm", [0.3, 0.0, height]),
        link("tool", tool, [0.1, 0.0, 0.0], 0.004, &collision_box(0.1, 0.1, 0.1)),
        link("finger", finger, [0.05, 0.0, 0.0], 0.001, ""),
        hinge("knuckle", "tool", "finger", [0.2, 0.0, 0.0]),
    );
    let cell = |name: &str, joint: &str| {
        format!("[[force_torque]]\nname = \"{name}\"\njoint = \"{joint}\"\nforce_noise = 0.0\ntorque_noise = 0.0\n")
    };
    let toml = format!(
        "name = \"a\"\ncycle_period_us = 1000\n{}[[joints]]\nnames = [\"shoulder\", \"knuckle\"]\nactuator = \"ideal\"\n\
         stiffness = 2000.0\ndamping = 40.0\n[[pose]]\nname = \"stand\"\n{}{}",
        ideal_actuator(1e-5, 100.0),
        cell("wrist", "flange"),
        cell("shoulder", "shoulder"),
    );
    robot(&urdf, &toml)
}

/// The arm level, or where `shoulder` leaves it.
fn held(height: f64, shoulder: Option<f64>) -> Simulation {
    let mut simulation = active(&floor(), &arm(height), &quiet("stand", 0.0, 0.0));
    let mut commands = Commands::new(simulation.layout());
    commands.joints[0] = shoulder.map_or(JointCommand::default(), |angle| JointCommand::hold(angle, 2e4, 200.0));
    commands.joints[1] = JointCommand::hold(0.0, 2000.0, 10.0);
    simulation.command(&commands).unwrap();
    run(&mut simulation, 3.0);
    simulation
}

/// Force and torque of the wrist's cell, turned into the world.
fn wrist_in_world(simulation: &Simulation) -> (Vector3<f64>, Vector3<f64>) {
    let turn = Rotation3::from_axis_angle(&Vector3::y_axis(), simulation.truth().joint_positions[0]);
    let reading = simulation.readings().force_torques[0];
    (turn * reading.force, turn * reading.torque)
}

#[test]
fn a_wrist_feels_the_tool_and_the_hand_on_it() {
    let simulation = held(0.0, Some(0.0));
    let (force, torque) = wrist_in_world(&simulation);
    let [_, tool, finger] = MASSES;
    assert!((force - Vector3::new(0.0, 0.0, -(tool + finger) * GRAVITY)).norm() < 0.01, "{force}");
    // what hangs out forward pulls down: about y
    let expected = (tool * 0.1 + finger * 0.25) * GRAVITY;
    assert!((torque - Vector3::new(0.0, expected, 0.0)).norm() < 0.01, "{torque}");
    assert_eq!(simulation.layout().force_torques[0].frame, "tool");
}

#[test]
fn it_feels_who_pushes_the_tool_and_not_who_pushes_the_arm() {
    let pushed = |name: &str, point: Vector3<f64>| {
        let mut simulation = held(0.0, Some(0.0));
        let link = simulation.robot().tree.link(name).unwrap();
        let (before, _) = wrist_in_world(&simulation);
        let force_in_world = Vector3::new(0.0, 12.0, -20.0);
        let until = simulation.time() + robot_io::Period::from_seconds(1.0);
        simulation.push(Push { link, point_in_link: point, force_in_world, until });
        run(&mut simulation, 0.9);
        let (force, torque) = wrist_in_world(&simulation);
        (force - before, torque)
    };
    let (force, torque) = pushed("tool", Vector3::new(0.1, 0.0, 0.0));
    assert!((force - Vector3::new(0.0, 12.0, -20.0)).norm() < 0.2, "{force}");
    assert!((torque.z - 0.1 * 12.0).abs() < 0.05, "{torque}");
    let (force, _) = pushed("arm", Vector3::new(0.2, 0.0, 0.0));
    assert!(force.norm() < 0.2, "{force}");
}

#[test]
fn in_a_swing_it_feels_what_newton_says() {
    let mut simulation = active(&floor(), &arm(1.0), &quiet("stand", 0.0, 0.0));
    let mut commands = Commands::new(simulation.layout());
    commands.joints[1] = JointCommand::hold(0.0, 2000.0, 10.0);
    simulation.command(&commands).unwrap();
    run(&mut simulation, 0.1);
    let place = |simulation: &Simulation| {
        let [shoulder, knuckle] = [0, 1].map(|joint| simulation.truth().joint_positions[joint]);
        let out = |angle: f64| Vector3::new(angle.cos(), 0.0, -angle.sin());
        let [_, tool, finger] = MASSES;
        // of both together, by their masses
        out(shoulder) * (0.5 * tool + 0.6 * finger) + out(shoulder + knuckle) * (0.05 * finger)
    };
    let (mut places, mut felt) = (vec![place(&simulation)], vec![wrist_in_world(&simulation).0]);
    for _ in 0..500 {
        simulation.step();
        places.push(place(&simulation));
        felt.push(wrist_in_world(&simulation).0);
    }
    let mass = MASSES[1] + MASSES[2];
    for k in 1..500 {
        let speeding = (places[k + 1] - places[k] * 2.0 + places[k - 1]) / 1e-6;
        let expected = Vector3::new(0.0, 0.0, -GRAVITY) * mass - speeding;
        // readings are of a step, accelerations of the time between two
        let between = (felt[k] + felt[k + 1]) * 0.5;
        assert!((between - expected).norm() < 0.2 + 0.01 * expected.norm(), "{k}: {between}, expected {expected}");
    }
    assert!(felt.iter().map(Vector3::norm).fold(0.0, f64::max) > 25.0, "it did swing");
}

#[test]
fn what_the_ground_carries_the_wrist_does_not() {
    let mut simulation = held(0.1, None);
    run(&mut simulation, 3.0);
    let (force, _) = wrist_in_world(&simulation);
    let weight = (MASSES[1] + MASSES[2]) * GRAVITY;
    assert!(force.z > -0.6 * weight, "the tool lies on the ground: {force}, it weighs {weight} N");
    let turn = Rotation3::from_axis_angle(&Vector3::y_axis(), simulation.truth().joint_positions[0]);
    let shoulder = turn * simulation.readings().force_torques[1].force;
    assert!(
        (shoulder.z - force.z + MASSES[0] * GRAVITY).abs() < 0.1,
        "the arm's own weight lies between: {shoulder} {force}"
    );
}
