//! How fast the range finder is: `cargo run --release -p plant --example lidar_speed -- [WORLD] [SECONDS]`.
//!
//! The centaur stands on the world's first start place and its laser turns at 5 rad/s. The time is that of the whole
//! simulation with the laser less that of the same simulation without.

#![allow(clippy::disallowed_methods, reason = "it measures wall time")]

use std::path::Path;
use std::time::Instant;

use plant::{Setup, Simulation};
use robot_io::{Commands, JointCommand, LaserScan, Lifecycle, Pose2};
use robot_model::RobotModel;
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
    let (mut longest, mut beams, mut echoes) = (Vec::new(), 0_usize, 0_usize);
    let (mut alone, mut together) = (0.0, 0.0);
    // slice by slice, so that a busy machine is busy for both
    while with.time().seconds() < seconds {
        let bare = step(&mut without, &mut |_| {});
        let (mut seen, mut heard) = (0, 0);
        let whole = step(&mut with, &mut |scan| {
            seen += scan.ranges.len();
            heard += scan.ranges.iter().filter(|range| **range > 0).count();
        });
        (alone, together) = (alone + bare, together + whole);
        (beams, echoes) = (beams + seen, echoes + heard);
        longest.push(1081.0 * 10.0 / (whole - bare));
    }
    longest.sort_by(f64::total_cmp);
    let rate = longest[longest.len() / 2];
    println!("{beams} beams in {seconds} s, {:.1} % with an echo", 100.0 * echoes as f64 / beams as f64);
    println!("physics alone {:.1} x real time, with the laser {:.1} x", seconds / alone, seconds / together);
    println!("{:.2} million beams/s (median of quarter seconds), {:.0} ns a beam", rate * 1e-6, 1e9 / rate);
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

/// A quarter of a second; how long it took [s].
fn step(simulation: &mut Simulation, see: &mut dyn FnMut(&LaserScan)) -> f64 {
    let started = Instant::now();
    for _ in 0..250 {
        simulation.step();
        if simulation.time().nanoseconds().is_multiple_of(4_000_000) {
            simulation.readings().scans.iter().flatten().for_each(|scan| see(scan));
        }
    }
    started.elapsed().as_secs_f64()
}
