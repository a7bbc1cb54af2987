//! What a controller is told of its robot differs from the truth as a careful lab's figures do, or as the scenario says.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

extern crate scenarios as chiron;

use std::path::Path;
use std::sync::{Arc, Mutex};

use robot_io::Pose2;
use robot_model::RobotModel;
use scenarios::{Case, ControllerError, Library, Registry, Stage};

#[allow(dead_code, missing_docs, reason = "a program of its own")]
#[path = "../templates/controller/main.rs"]
mod page;

/// A robot as somebody knows it, and where it starts.
type Known = (RobotModel, Pose2);

fn case(seed: u64, rest: &str) -> String {
    format!(
        "title = \"told\"\nworld = \"spacebot\"\nrobot = \"centaur\"\nseed = {seed}\nduration = 1.0\n\
         sensors = [\"laser\"]\nspawn = {{ place = \"landing\" }}\n[controller]\nname = \"noting\"\n{rest}"
    )
}

/// What the controller is told, and what is so.
fn told(text: &str) -> (Known, Known) {
    let noted = Arc::new(Mutex::new(None));
    let note = Arc::clone(&noted);
    let registry = Registry::standard().with("noting", move |setup| -> Result<page::Wave, ControllerError> {
        *note.lock().unwrap() = Some((setup.robot.clone(), setup.start_in_world));
        Err(ControllerError::Settings("noted".to_owned()))
    });
    let library = Library::at(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).with_registry(registry);
    let stage = Stage::load(&library, Case::parse(text, "case.toml").unwrap()).unwrap();
    stage.pilot(&stage.layout(), 0).unwrap_err();
    let told = noted.lock().unwrap().take().unwrap();
    (told, (RobotModel::clone(&stage.robot), stage.spawn))
}

/// Root mean square of some errors in units of their deviation.
fn spread(errors: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = errors.fold((0.0, 0.0), |(sum, count), error| (sum + error * error, count + 1.0));
    (sum / f64::max(count, 1.0)).sqrt()
}

#[test]
fn it_errs_as_a_careful_lab_does() {
    let (mut masses, mut zeros, mut wheels, mut starts) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for seed in 1..=12 {
        let ((robot, start), (truth, spawn)) = told(&case(seed, ""));
        for (told, link) in robot.tree.links.iter().zip(&truth.tree.links).filter(|(_, link)| link.inertia.mass > 0.0) {
            masses.push((told.inertia.mass / link.inertia.mass - 1.0) / 0.02);
            assert_eq!(told.visuals, link.visuals);
        }
        for joint in truth.tree.joints.iter().filter(|joint| joint.name.contains("knee") || joint.name.contains("hip"))
        {
            let [told, link] = [&robot, &truth].map(|robot| robot.tree.links[joint.link].placement_in_parent);
            zeros.push(told.rotation.angle_to(&link.rotation) / 0.0009);
        }
        let radii = robot.description.wheels.iter().zip(&truth.description.wheels);
        wheels.extend(radii.map(|(told, wheel)| (told.radius / wheel.radius - 1.0) / 0.0015));
        starts.extend([(start.x - spawn.x) / 0.005, (start.y - spawn.y) / 0.005, (start.yaw - spawn.yaw) / 0.0009]);
    }
    for (what, errors) in [("mass", masses), ("zero", zeros), ("wheel", wheels), ("start", starts)] {
        let spread = spread(errors.into_iter());
        assert!((0.75..1.25).contains(&spread), "{what}: {spread}");
    }
}

#[test]
fn sensors_are_told_elsewhere_and_the_axis_too() {
    let ((robot, _), (truth, _)) = told(&case(5, ""));
    let link = |robot: &RobotModel, name: &str| robot.tree.links[robot.tree.link(name).unwrap()].placement_in_parent;
    let mut moved = vec![(robot.description.imus[0].pose_in_link, truth.description.imus[0].pose_in_link)];
    let carriers = ["laser_link", "rgbd_camera_link"];
    moved.extend(carriers.map(|name| (link(&robot, name), link(&truth, name))));
    for (told, mounted) in moved {
        let off = (told.translation.vector - mounted.translation.vector).norm();
        let turned = told.rotation.angle_to(&mounted.rotation);
        assert!((1e-5..0.01).contains(&off) && (1e-5..0.004).contains(&turned), "{off} m, {turned} rad");
    }
}

#[test]
fn the_seed_draws_it_and_the_plant_does_not() {
    let mass = |text: &str| told(text).0.0.tree.mass();
    let on_bus = case(3, "").replacen("seed", "plant = \"virtual-bus\"\nseed", 1);
    assert_eq!(mass(&case(3, "")), mass(&on_bus));
    assert_ne!(mass(&case(3, "")), mass(&case(4, "")));
}

#[test]
fn told_exactly_or_badly_as_the_scenario_says() {
    let ((robot, start), (truth, spawn)) = told(&case(3, "[uncertainty]\nscale = 0.0\n"));
    assert_eq!((robot.tree.mass(), start), (truth.tree.mass(), spawn));
    assert_eq!(robot.description, truth.description);
    let ((_, start), (_, spawn)) = told(&case(3, "[uncertainty]\nstart = 0.5\n"));
    let off = (start.x - spawn.x).hypot(start.y - spawn.y);
    assert!((0.05..2.0).contains(&off), "{off} m");
}

#[test]
fn nonsense_is_refused_with_its_line() {
    for (rest, expected) in [
        (
            "[uncertainty]\nmass = 0.02\nstart = -1.0\n",
            "case.toml:12: uncertainty.start: expected a number from 0 to 1 [m], found -1",
        ),
        ("[uncertainty]\nmas = 0.02\n", "case.toml:11: [uncertainty] mas: expected one of `scale`, `mass`"),
    ] {
        let refused = Case::parse(&case(1, rest), "case.toml").unwrap_err().to_string();
        assert!(refused.starts_with(expected), "{refused}");
    }
}
