//! How fast the plant is: `cargo run --release -p plant --example speed -- [WORLD] [SECONDS]`.
//!
//! The centaur stands up and then drives at 0.5 m/s over the world's ground, sensors and digest in every cycle.

#![allow(clippy::disallowed_methods, reason = "it measures wall time")]

use std::path::Path;
use std::time::Instant;

use plant::{Setup, Simulation};
use robot_io::{Commands, JointCommand, Lifecycle, Pose2};
use robot_model::RobotModel;
use worlds::World;

/// Longest stretch that is timed at once: the median of many shrugs off a busy machine.
const STEPS: u32 = 250;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let world = arguments.next().unwrap_or_else(|| "spacebot".to_owned());
    let seconds: f64 = arguments.next().map_or(Ok(10.0), |text| text.parse())?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml"))?;
    let world = World::load(&root.join("worlds").join(format!("{world}.toml")))?;
    let start = world.spawns.first();
    let spawn = start.map_or(Pose2::default(), |spawn| Pose2 { x: spawn.x, y: spawn.y, yaw: spawn.yaw });
    let setup = Setup { spawn, ..Setup::default() };
    let mut simulation = Simulation::new(&world, &robot, &setup)?;
    simulation.transition(Lifecycle::Inactive)?;
    simulation.transition(Lifecycle::Active)?;
    let mut commands = Commands::new(simulation.layout());
    let begin = simulation.truth();
    let mut rates = Vec::new();
    let (mut iterations_taken, mut worst) = (0, 0);
    while simulation.time().seconds() < seconds {
        let speed = if simulation.time().seconds() < 1.0 { 0.0 } else { 0.5 };
        answer(&robot, &begin.joint_positions, speed, &mut commands);
        simulation.command(&commands)?;
        let started = Instant::now();
        for _ in 0..STEPS {
            simulation.step();
            iterations_taken += simulation.certificate().iterations;
            worst = worst.max(simulation.certificate().iterations);
        }
        let digest = simulation.digest();
        rates.push(f64::from(STEPS) / started.elapsed().as_secs_f64());
        std::hint::black_box(digest);
    }
    rates.sort_by(f64::total_cmp);
    let truth = simulation.truth();
    let driven = truth.base_in_world.translation.vector - begin.base_in_world.translation.vector;
    println!("{} joints, {:.1} kg", robot.tree.dof(), robot.tree.mass());
    println!(
        "steps/s: median {:.0}, slowest {:.0}, fastest {:.0}",
        rates[rates.len() / 2],
        rates[0],
        rates[rates.len() - 1]
    );
    println!(
        "Newton iterations: {:.2} a step, {worst} at most",
        iterations_taken as f64 / (simulation.time().seconds() * 1e3)
    );
    println!("moved by {:.3} {:.3} {:.3} m, wheels carry {:.1?} N", driven.x, driven.y, driven.z, truth.wheel_forces);
    println!(
        "base {:.4?}, energy {:.0} J, digest {}",
        truth.base_in_world.rotation.euler_angles(),
        truth.energy_used,
        simulation.digest()
    );
    Ok(())
}

/// Holds the pose; the wheels turn at the speed [m/s].
fn answer(robot: &RobotModel, pose: &[f64], speed: f64, commands: &mut Commands) {
    for (joint, settings) in robot.description.joints.iter().enumerate() {
        commands.joints[joint] = JointCommand::hold(pose[joint], settings.stiffness, settings.damping);
    }
    for wheel in &robot.description.wheels {
        let settings = &robot.description.joints[wheel.drive_joint];
        commands.joints[wheel.drive_joint] = JointCommand::turn(speed / wheel.radius, settings.damping);
    }
}
