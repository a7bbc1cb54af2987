//! One half of `robot_models/compare/speed.py`: steps a robot and says how fast, and tells the other half what to step.
//!
//! `cargo run --release -p plant --example side_by_side -- ROBOT WORLD rest|moving SECONDS [MODEL.json]`

#![allow(clippy::disallowed_methods, reason = "it measures wall time")]

use std::f64::consts::TAU;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Instant;

use plant::{Setup, Simulation};
use robot_io::{Commands, JointCommand, Lifecycle, Pose2};
use robot_model::RobotModel;
use worlds::World;

/// Steps that are timed at once; the commands stay as they are for so long.
const STEPS: u32 = 4;
/// Until then the robot stands [s].
const BEGIN: f64 = 1.0;
/// Joints sway by so much [rad], in so long [s]; wheels drive at so much [m/s].
const SWAY: f64 = 0.05;
const PERIOD: f64 = 2.0;
const SPEED: f64 = 0.5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [robot, world, motion, seconds, rest @ ..] = arguments.as_slice() else {
        return Err("expected ROBOT WORLD rest|moving SECONDS [MODEL.json]".into());
    };
    let (robot, world) = (RobotModel::load(Path::new(robot))?, World::load(Path::new(world))?);
    let (moving, seconds) = (motion == "moving", seconds.parse::<f64>()?);
    let start = world.spawns.first().map_or(Pose2::default(), |at| Pose2 { x: at.x, y: at.y, yaw: at.yaw });
    let setup = Setup { spawn: start, noise: false, ..Setup::default() };
    let mut simulation = Simulation::new(&world, &robot, &setup)?;
    simulation.transition(Lifecycle::Inactive)?;
    simulation.transition(Lifecycle::Active)?;
    let mut commands = Commands::new(simulation.layout());
    let pose = simulation.truth().joint_positions;
    if let [model] = rest {
        std::fs::write(model, model_of(&simulation, &robot, &world, &pose))?;
    }
    let (mut spent, mut steps, mut contacts, mut counted, mut iterations) = (0.0, 0_u32, 0, 0_u32, 0);
    let mut frame = plant::Frame::default();
    while simulation.time().seconds() < seconds {
        let time = simulation.time().seconds() - BEGIN;
        answer(&robot, &pose, if moving { time.max(0.0) } else { 0.0 }, &mut commands);
        simulation.command(&commands)?;
        let started = Instant::now();
        for _ in 0..STEPS {
            simulation.step();
        }
        if time >= 0.0 {
            spent += started.elapsed().as_secs_f64();
            steps += STEPS;
            simulation.frame(&mut frame);
            contacts += frame.contacts.len();
            iterations += simulation.certificate().iterations;
            counted += 1;
        }
    }
    let truth = simulation.truth();
    let up = (truth.base_in_world.rotation * nalgebra::Vector3::z()).z;
    println!(
        "{{\"steps_per_s\": {:.1}, \"contacts\": {:.1}, \"iterations\": {:.2}, \"base\": {:?}, \"upright\": {up:.4}, \"mass\": {:.3}, \"joints\": {}}}",
        f64::from(steps) / spent,
        contacts as f64 / f64::from(counted.max(1)),
        iterations as f64 / f64::from(counted.max(1)),
        truth.base_in_world.translation.vector.as_slice(),
        robot.tree.mass(),
        robot.tree.dof()
    );
    Ok(())
}

/// Joints hold their pose or sway about it; wheels stand or drive.
fn answer(robot: &RobotModel, pose: &[f64], time: f64, commands: &mut Commands) {
    for (joint, settings) in robot.description.joints.iter().enumerate() {
        let sway = SWAY * ((TAU * time / PERIOD + joint as f64).sin() - (joint as f64).sin());
        let goal = pose[joint] + if time > 0.0 { sway } else { 0.0 };
        commands.joints[joint] = JointCommand::hold(goal, settings.stiffness, settings.damping);
    }
    for wheel in &robot.description.wheels {
        let settings = &robot.description.joints[wheel.drive_joint];
        let turn = if time > 0.0 { SPEED / wheel.radius } else { 0.0 };
        commands.joints[wheel.drive_joint] = JointCommand::turn(turn, settings.damping);
    }
}

/// All that another engine needs beside the URDF, as JSON.
fn model_of(simulation: &Simulation, robot: &RobotModel, world: &World, pose: &[f64]) -> String {
    let base = simulation.truth().base_in_world;
    let mut text = format!(
        "{{\"base\": {:?}, \"base_xyzw\": {:?}, \"sway\": {SWAY}, \"period\": {PERIOD}, \"begin\": {BEGIN}, \"joints\": [",
        base.translation.vector.as_slice(),
        base.rotation.coords.as_slice()
    );
    for (index, (joint, settings)) in robot.tree.joints.iter().zip(&robot.description.joints).enumerate() {
        let class = settings.actuator.map(|class| &robot.description.actuators[class]);
        let of = |value: fn(&robot_model::description::ActuatorClass) -> f64| class.map_or(0.0, value);
        let wheel = robot.description.wheels.iter().find(|wheel| wheel.drive_joint == index);
        let _ = write!(
            text,
            "{}{{\"name\": {:?}, \"position\": {:?}, \"stiffness\": {:?}, \"damping\": {:?}, \"armature\": {:?}, \"viscous\": {:?}, \
             \"coulomb\": {:?}, \"effort\": {:?}, \"turn\": {}}}",
            if index == 0 { "" } else { ", " },
            joint.name,
            pose[index],
            settings.stiffness,
            settings.damping,
            of(|class| class.rotor_inertia * class.gear_ratio * class.gear_ratio),
            of(|class| class.viscous_friction),
            of(|class| class.coulomb_friction),
            of(|class| class.peak_effort),
            wheel.map_or("null".to_owned(), |wheel| format!("{:?}", SPEED / wheel.radius)),
        );
    }
    let terrain = &world.terrain;
    let _ = write!(
        text,
        "], \"friction\": {:?}, \"rows\": {}, \"columns\": {}, \"cell\": {:?}, \"origin\": [{:?}, {:?}], \"heights\": {:?}}}",
        world.materials[0].friction,
        terrain.rows,
        terrain.columns,
        terrain.cell,
        terrain.origin_x,
        terrain.origin_y,
        terrain.heights
    );
    text
}
