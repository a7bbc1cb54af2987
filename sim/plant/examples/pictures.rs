//! What the cameras see: `cargo run --release -p plant --example pictures -- FOLDER [WORLD] [PLACE]`.
//!
//! Every camera of the centaur takes a picture at a start place of the world; each is written as a PNG (depth in grey, near
//! is bright), with the time that it took on one core.

#![allow(clippy::disallowed_methods, reason = "it measures time")]

#[path = "support/mod.rs"]
mod support;

use std::path::Path;

use image::{GrayImage, RgbImage};
use plant::{Setup, Simulation};
use robot_io::{Commands, DepthImage, Image, JointCommand, Lifecycle, Pose2};
use robot_model::RobotModel;
use support::computing_seconds;
use worlds::World;

type Fallible<T> = Result<T, Box<dyn std::error::Error>>;

/// Farthest depth in the picture [m].
const FARTHEST: f64 = 6.0;
/// Pictures of each camera, whose mean time counts.
const REPEATS: u32 = 10;

fn main() -> Fallible<()> {
    let mut arguments = std::env::args().skip(1);
    let folder = arguments.next().ok_or("which folder?")?;
    let world = arguments.next().unwrap_or_else(|| "spacebot".to_owned());
    let place = arguments.next();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml"))?;
    let world = World::load(&root.join("worlds").join(format!("{world}.toml")))?;
    let spawn = match place {
        Some(name) => world.spawn(&name),
        None => world.spawns.first(),
    };
    let spawn = spawn.map_or(Pose2::default(), |spawn| Pose2 { x: spawn.x, y: spawn.y, yaw: spawn.yaw });
    let names: Vec<String> = robot.description.vision_sensors().map(str::to_owned).collect();
    let cameras = &robot.layout().cameras;
    let depth_cameras = &robot.layout().depth_cameras;
    for name in names.iter().filter(|name| cameras.iter().chain(depth_cameras).any(|camera| camera.name == **name)) {
        let mut simulation = begin(&world, &robot, spawn, name)?;
        let file = Path::new(&folder).join(format!("{name}.png"));
        let mut taken = take(&mut simulation)?;
        let mut seconds = 0.0;
        for _ in 0..REPEATS {
            taken = take(&mut simulation)?;
            seconds += taken.seconds / f64::from(REPEATS);
        }
        println!("{name}: {} ({:.1} ms, {:.0} ns a pixel)", taken.size, 1e3 * seconds, 1e9 * seconds / taken.pixels);
        taken.write(&file)?;
    }
    Ok(())
}

/// A picture and how long it took.
struct Taken {
    image: Option<Image>,
    depth: Option<DepthImage>,
    seconds: f64,
    size: String,
    pixels: f64,
}

fn begin(world: &World, robot: &RobotModel, spawn: Pose2, sensor: &str) -> Fallible<Simulation> {
    let setup = Setup { spawn, sensors: vec![sensor.to_owned()], ..Setup::default() };
    let mut simulation = Simulation::new(world, robot, &setup)?;
    simulation.transition(Lifecycle::Inactive)?;
    simulation.transition(Lifecycle::Active)?;
    (0..500).for_each(|_| simulation.step());
    Ok(simulation)
}

/// Asks for a picture and waits for it. The time is that of the steps in which the camera works less that of as many others.
fn take(simulation: &mut Simulation) -> Fallible<Taken> {
    let robot = simulation.robot().clone();
    let mut commands = Commands::new(simulation.layout());
    let pose = simulation.truth().joint_positions;
    for (joint, settings) in robot.description.joints.iter().enumerate() {
        commands.joints[joint] = JointCommand::hold(pose[joint], settings.stiffness, settings.damping);
    }
    simulation.command(&commands)?;
    let started = computing_seconds();
    (0..100).for_each(|_| simulation.step());
    let idle = (computing_seconds() - started) / 100.0;
    commands.take_image.fill(true);
    commands.take_depth_image.fill(true);
    simulation.command(&commands)?;
    let started = computing_seconds();
    for steps in 1..=200 {
        simulation.step();
        let readings = simulation.readings();
        let image = readings.images.iter().flatten().next().map(|image| (**image).clone());
        let depth = readings.depth_images.iter().flatten().next().map(|image| (**image).clone());
        let size = image.as_ref().map(|image| (image.width, image.height));
        if let Some((width, height)) = size.or(depth.as_ref().map(|depth| (depth.width, depth.height))) {
            let seconds = (computing_seconds() - started) - idle * f64::from(steps);
            let size = format!("{width} x {height}");
            return Ok(Taken { image, depth, seconds, size, pixels: (width * height) as f64 });
        }
    }
    Err("no picture came within 0.2 s".into())
}

impl Taken {
    fn write(self, file: &Path) -> Fallible<()> {
        if let Some(Image { width, height, rgb, .. }) = self.image {
            RgbImage::from_raw(width as u32, height as u32, rgb).ok_or("not a picture")?.save(file)?;
        }
        if let Some(depth) = self.depth {
            let grey = |depth: &u16| match depth {
                0 => 0,
                depth => (255.0 - 215.0 * (1e-3 * f64::from(*depth) / FARTHEST).min(1.0)) as u8,
            };
            let pixels = depth.depths.iter().map(grey).collect();
            GrayImage::from_raw(depth.width as u32, depth.height as u32, pixels).ok_or("not a picture")?.save(file)?;
        }
        Ok(())
    }
}
