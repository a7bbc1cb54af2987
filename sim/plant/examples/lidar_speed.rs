//! How fast the range finder is: `cargo run --release -p plant --example lidar_speed -- [WORLD] [SECONDS]`.
//!
//! The centaur stands on the world's first start place and its laser turns at 5 rad/s. The time is that of the whole
//! simulation with the laser less that of the same simulation without.

#![allow(clippy::disallowed_methods, reason = "it measures time")]

#[path = "support/mod.rs"]
mod support;

use std::path::Path;

use plant::{Setup, Simulation};
use robot_io::{Commands, JointCommand, LaserScan, Lifecycle, Pose2};
use robot_model::RobotModel;
use support::computing_seconds;
use worlds::World;

/// What the laser's axis shall do [rad/s].
const SPIN: f64 = 5.0;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let world = arguments.next().unwrap_or_else(|| "spacebot".to_owned());
    let seconds: f64 = arguments.next().map_or(Ok(4.0), |text| text.parse())?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml"))?;
    let world = World::load(&root.join("worlds").join(format!("{world}.toml")))?;
    let mut without = begin(&world, &robot, &[])?;
    let mut with = begin(&world, &robot, &["laser"])?;
    let (mut beams, mut echoes) = (0_usize, 0_usize);
    let (mut alone, mut together) = (0.0, 0.0);
    while with.time().seconds() < seconds {
        alone += step(&mut without, &mut |_| {});
        together += step(&mut with, &mut |scan| {
            beams += scan.ranges.len();
            echoes += scan.ranges.iter().filter(|range| **range > 0).count();
        });
    }
    let rate = beams as f64 / (together - alone);
    println!("{beams} beams in {seconds} s, {:.1} % with an echo", 100.0 * echoes as f64 / beams as f64);
    println!("physics alone {:.1} x real time, with the laser {:.1} x", seconds / alone, seconds / together);
    println!("{:.2} million beams/s on one core, {:.0} ns a beam", rate * 1e-6, 1e9 / rate);
    let spin = robot.tree.joint("laser_spin").ok_or("no laser_spin")?;
    println!("the axis turns at {:.3} rad/s", with.truth().joint_velocities[spin]);
    Ok(())
}

fn begin(world: &World, robot: &RobotModel, sensors: &[&str]) -> Fallible<Simulation> {
    let spawn = world.spawns.first().map_or(Pose2::default(), |spawn| Pose2 { x: spawn.x, y: spawn.y, yaw: spawn.yaw });
    let sensors = sensors.iter().map(|name| (*name).to_owned()).collect();
    let mut simulation = Simulation::new(world, robot, &Setup { spawn, sensors, ..Setup::default() })?;
    simulation.transition(Lifecycle::Inactive)?;
    simulation.transition(Lifecycle::Active)?;
    let pose = simulation.truth().joint_positions;
    let mut commands = Commands::new(simulation.layout());
    for (joint, settings) in robot.description.joints.iter().enumerate() {
        commands.joints[joint] = JointCommand::hold(pose[joint], settings.stiffness, settings.damping);
    }
    if let Some(spin) = robot.tree.joint("laser_spin") {
        commands.joints[spin] = JointCommand::turn(SPIN, robot.description.joints[spin].damping);
    }
    simulation.command(&commands)?;
    Ok(simulation)
}

/// A quarter of a second; how long it took on its core [s].
fn step(simulation: &mut Simulation, see: &mut dyn FnMut(&LaserScan)) -> f64 {
    let started = computing_seconds();
    for _ in 0..250 {
        simulation.step();
        if simulation.time().nanoseconds().is_multiple_of(4_000_000) {
            simulation.readings().scans.iter().flatten().for_each(|scan| see(scan));
        }
    }
    computing_seconds() - started
}
