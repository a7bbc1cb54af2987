//! Whether the centaur stands: `cargo run --release -p plant --example stand -- [SECONDS]`.

use std::path::Path;

use plant::{Setup, Simulation, plug};
use robot_io::{Clock, Commands, JointCommand, Readings, RobotIo};
use robot_model::RobotModel;
use worlds::World;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let seconds: f64 = std::env::args().nth(1).map_or(Ok(60.0), |text| text.parse())?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml"))?;
    let world = World::load(&root.join("worlds/flat.toml"))?;
    let (mut sim, mut clock, shared) = plug(Simulation::new(&world, &robot, &Setup::default())?);
    let mut readings = Readings::new(sim.layout());
    let mut commands = Commands::new(sim.layout());
    sim.bring_up()?;
    let pose = shared.truth().joint_positions;
    for (joint, settings) in robot.description.joints.iter().enumerate() {
        commands.joints[joint] = JointCommand::hold(pose[joint], settings.stiffness, settings.damping);
    }
    let (begin, mut settled) = (shared.truth(), shared.truth());
    while clock.now().seconds() < seconds {
        sim.read(&mut readings)?;
        sim.write(&commands)?;
        clock.advance()?;
        let cycles = readings.cycle + 1;
        if cycles * sim.layout().period.nanoseconds() == 1_000_000_000 {
            settled = shared.truth();
        }
        if cycles.is_multiple_of(if seconds > 5.0 { 2_000 } else { 100 }) {
            let truth = shared.truth();
            let moved = (truth.base_in_world.translation.vector - begin.base_in_world.translation.vector) * 1e3;
            let drift =
                (truth.base_in_world.translation.vector - settled.base_in_world.translation.vector).norm() * 1e3;
            let errors = truth.joint_positions.iter().zip(&pose).map(|(now, wanted)| (now - wanted).abs());
            let (name, worst) = errors.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or_default();
            println!(
                "{:6.2} s: base moved {:7.3} {:7.3} {:7.3} mm, since 1 s {drift:.4} mm; worst joint {} {worst:.4} rad, effort {:.2}; wheels {:.1?}",
                truth.time.seconds(),
                moved.x,
                moved.y,
                moved.z,
                robot.tree.joints[name].name,
                truth.joint_efforts[name],
                truth.wheel_forces
            );
        }
    }
    Ok(())
}
