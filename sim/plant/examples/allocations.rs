//! What a step allocates: `cargo run --release -p plant --example allocations`.

#[path = "../../../tests/support/counting.rs"]
mod counting;

use std::path::Path;

use counting::{Counting, allocations};
use plant::{Setup, Simulation};
use robot_io::{Commands, JointCommand, Lifecycle, Pose2};
use robot_model::RobotModel;
use worlds::World;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml"))?;
    for (name, laser) in [("flat", false), ("spacebot", false), ("spacebot", true)] {
        let world = World::load(&root.join(format!("worlds/{name}.toml")))?;
        let spawn = world.spawns.first().map_or(Pose2::default(), |at| Pose2 { x: at.x, y: at.y, yaw: at.yaw });
        let sensors = if laser { vec!["laser".to_owned()] } else { Vec::new() };
        let mut simulation = Simulation::new(&world, &robot, &Setup { spawn, sensors, ..Setup::default() })?;
        simulation.transition(Lifecycle::Inactive)?;
        simulation.transition(Lifecycle::Active)?;
        let mut commands = Commands::new(simulation.layout());
        let pose = simulation.truth().joint_positions;
        for (joint, settings) in robot.description.joints.iter().enumerate() {
            commands.joints[joint] = JointCommand::hold(pose[joint], settings.stiffness, settings.damping);
        }
        for wheel in &robot.description.wheels {
            commands.joints[wheel.drive_joint] = JointCommand::turn(0.5 / wheel.radius, 4.0);
        }
        simulation.command(&commands)?;
        (0..2_000).for_each(|_| simulation.step());
        let before = allocations();
        (0..4_000).for_each(|_| simulation.step());
        let counted = allocations() - before;
        let seen = if laser { ", with the laser" } else { "" };
        println!("{name}{seen}: {:.2} allocations per step, driving", counted as f64 / 4_000.0);
    }
    Ok(())
}
