//! What perception makes of pictures that the simulated cameras take.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::Path;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use perception::{CameraView, ObjectModel, Pictures, Recogniser, RecognitionSettings};
use plant::{Frame, Setup, Simulation};
use robot_io::{Commands, DepthImage, JointCommand, Lifecycle, Sealed};
use robot_model::RobotModel;
use worlds::World;

/// The props' cup and battery as perception is told them; each about its middle.
const MODELS: &str = r#"
[[object]]
name = "cup"
symmetry = { round = [0, 0, 1] }
[[object.part]]
cup = { radius = 0.04, height = 0.1, wall = 0.004 }

[[object]]
name = "battery"
symmetry = { turns = [{ axis = [0, 0, 1], fold = 4 }, { axis = [1, 0, 0], fold = 2 }] }
[[object.part]]
box = [0.05, 0.05, 0.12]
"#;

/// A table before the centaur, with a cup and a battery on it.
fn scene(cup: [f64; 2], battery: [f64; 2], seed: u64) -> Simulation {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let prop = |name: &str, position: [f64; 3]| {
        format!("[[prop]]\nname = \"{name}\"\nfile = \"../assets/props/{name}.toml\"\nposition = {position:?}\n")
    };
    let text = format!(
        "name = \"t\"\n[terrain]\ncell = 0.1\nsize = [10.0, 10.0]\nmaterial = \"concrete\"\n{}{}{}",
        prop("table", [1.3, 0.0, 0.0]),
        prop("cup", [cup[0], cup[1], 0.741]),
        prop("battery", [battery[0], battery[1], 0.801])
    );
    let world = World::from_str(&text, "t.toml", &root.join("worlds")).unwrap();
    let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml")).unwrap();
    let setup = Setup { sensors: vec!["rgbd_depth".to_owned()], seed, ..Setup::default() };
    let mut simulation = Simulation::new(&world, &robot, &setup).unwrap();
    simulation.transition(Lifecycle::Inactive).unwrap();
    simulation.transition(Lifecycle::Active).unwrap();
    simulation
}

/// Stands for a second, then takes a picture.
fn picture(simulation: &mut Simulation) -> Sealed<DepthImage> {
    let mut commands = Commands::new(simulation.layout());
    let positions = simulation.truth().joint_positions;
    for (joint, settings) in simulation.robot().description.joints.iter().enumerate() {
        commands.joints[joint] = JointCommand::hold(positions[joint], settings.stiffness, settings.damping);
    }
    for cycle in 0.. {
        commands.take_depth_image.fill(cycle == 250);
        simulation.command(&commands).unwrap();
        (0..simulation.steps_per_cycle()).for_each(|_| simulation.step());
        if let Some(picture) = simulation.readings().depth_images[0].clone() {
            return picture;
        }
        assert!(cycle < 400, "no picture after {} s", simulation.time().seconds());
    }
    unreachable!("the loop has no end")
}

/// What is found of the two objects: its number, how far off it is [m] and by how much its upright axis leans [rad].
fn found(simulation: &mut Simulation) -> Vec<(usize, f64, f64)> {
    let picture = picture(simulation);
    let link = simulation.robot().tree.link("rgbd_camera_link").unwrap();
    let view = CameraView::still(simulation.layout().depth_cameras[0].intrinsics, simulation.link_in_world(link));
    let models = ObjectModel::parse(MODELS, "models.toml").unwrap();
    let mut recogniser = Recogniser::new(models, None, RecognitionSettings::default()).unwrap();
    let pictures = Pictures { depth: (&picture, &view), colour: None };
    let seen = recogniser.recognise(&pictures, &Vector3::z_axis(), &UnitQuaternion::identity()).unwrap();
    let mut frame = Frame::default();
    simulation.frame(&mut frame);
    // after the table's five, the cup about its foot and the battery about its middle
    let middle = |index: usize, up: f64| frame.objects_in_world[index] * Isometry3::translation(0.0, 0.0, up);
    let truth = [middle(5, 0.05), middle(6, 0.0)];
    let objects = seen.iter().filter_map(|seen| seen.object.as_ref());
    let off = objects.map(|(model, registered)| {
        let lean = (registered.pose.rotation * Vector3::z()).z.abs().min(1.0).acos();
        (*model, (registered.pose.translation.vector - truth[*model].translation.vector).norm(), lean)
    });
    let mut off: Vec<_> = off.collect();
    off.sort_by_key(|(model, ..)| *model);
    off
}

#[test]
fn a_cup_and_a_battery_on_a_table_are_found_in_the_simulators_pictures() {
    let mut errors = [Vec::new(), Vec::new()];
    for seed in 1..=8 {
        let side = 0.02 * seed as f64;
        let mut simulation = scene([1.05 + 0.5 * side, 0.08 + side], [1.2 - 0.5 * side, -0.05 - side], seed);
        let off = found(&mut simulation);
        println!("seed {seed}: {off:?}");
        for (model, error, lean) in off {
            assert!(error < 0.02, "seed {seed}: model {model} is {error} m off");
            errors[model].push((error, lean));
        }
    }
    for (model, mut errors) in errors.into_iter().enumerate() {
        assert!(errors.len() >= 7, "model {model} is found in {} of 8 pictures", errors.len());
        errors.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (error, lean) = errors[errors.len() / 2];
        assert!(error < 0.005 && lean < 2_f64.to_radians(), "model {model}: median {error} m, {lean} rad");
    }
}
