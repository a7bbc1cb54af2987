//! A picture of the centaur without a window. Skipped, loudly, where there is no graphics adapter.

#![allow(clippy::unwrap_used, reason = "tests")]

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use image::RgbImage;
use nalgebra::Vector3;
use plant::{Setup, Simulation};
use robot_io::{Commands, Pose2};
use robot_model::RobotModel;
use station::{CameraPose, Overlays, Scene, Shot, StationError, StationFrame};
use worlds::World;

const SIZE: (u32, u32) = (320, 180);

/// The centaur on level ground, half a second after it was set down.
fn centaur() -> (Scene, StationFrame) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let world = World::load(&root.join("worlds/flat.toml")).unwrap();
    let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml")).unwrap();
    let mut simulation = Simulation::new(&world, &robot, &Setup::default()).unwrap();
    (0..500).for_each(|_| simulation.step());
    let layout = simulation.layout().clone();
    let mut frame = StationFrame {
        readings: simulation.readings().clone(),
        commands: Commands::new(&layout),
        ..StationFrame::default()
    };
    simulation.frame(&mut frame.frame);
    let scene = Scene {
        title: "centaur".to_owned(),
        world: Arc::new(world),
        robot: Arc::new(robot),
        layout,
        odom_in_world: Pose2::default(),
        settings: Vec::new(),
        by_hand: Vec::new(),
    };
    (scene, frame)
}

fn shot(frame: StationFrame, path: std::path::PathBuf, overlays: Overlays) -> Shot {
    let camera =
        CameraPose::Fixed { eye_in_world: Vector3::new(2.2, -1.8, 1.4), target_in_world: Vector3::new(0.0, 0.0, 0.6) };
    Shot { frame, path, camera, overlays }
}

/// The frame moved so that the base is at x, y.
fn placed(mut frame: StationFrame, x: f64, y: f64) -> StationFrame {
    let base = frame.frame.links_in_world[0].translation.vector;
    let shift = Vector3::new(x - base.x, y - base.y, 0.0);
    for pose in &mut frame.frame.links_in_world {
        pose.translation.vector += shift;
    }
    for contact in &mut frame.frame.contacts {
        contact.position_in_world += shift;
    }
    frame.frame.com_in_world += shift;
    frame
}

/// Pixels that differ visibly, all and those in the middle ninth.
fn differences(a: &RgbImage, b: &RgbImage) -> (usize, usize) {
    let differ = |x: u32, y: u32| {
        let (p, q) = (a.get_pixel(x, y).0, b.get_pixel(x, y).0);
        p.iter().zip(q).any(|(p, q)| p.abs_diff(q) > 24)
    };
    let pixels = (0..SIZE.0).flat_map(|x| (0..SIZE.1).map(move |y| (x, y))).filter(|&(x, y)| differ(x, y));
    let middle = |&(x, y): &(u32, u32)| x / (SIZE.0 / 3) == 1 && y / (SIZE.1 / 3) == 1;
    let (all, inner): (Vec<_>, usize) = pixels.fold((Vec::new(), 0), |(mut all, inner), pixel| {
        all.push(pixel);
        (all, inner + usize::from(middle(&pixel)))
    });
    (all.len(), inner)
}

/// Standard deviation of the brightness, of 255.
fn contrast(image: &RgbImage) -> f64 {
    let values: Vec<f64> = image.pixels().map(|p| p.0.iter().map(|&c| f64::from(c)).sum::<f64>() / 3.0).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

#[test]
fn the_robot_is_in_the_picture_and_overlays_are_drawn() {
    if let Err(error) = station::adapter() {
        // not eprintln, which a passing test swallows
        let _ = writeln!(
            std::io::stderr(),
            "\n*** SKIPPED: the viewer's pictures are NOT tested on this machine: {error} ***\n"
        );
        return;
    }
    let (scene, frame) = centaur();
    let here = placed(frame.clone(), 0.0, 0.0);
    let away = placed(frame, -30.0, 30.0);
    let folder = std::env::temp_dir().join(format!("chiron-picture-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = |name: &str| folder.join(name);
    let lines = Overlays { contact_forces: true, support_polygon: true, ..Overlays::NONE };
    let shapes = Overlays { collision_shapes: true, ..Overlays::NONE };
    let shots = vec![
        shot(here.clone(), path("here.png"), Overlays::NONE),
        shot(away, path("away.png"), Overlays::NONE),
        shot(here.clone(), path("lines.png"), lines),
        shot(here, path("shapes.png"), shapes),
    ];
    station::screenshots(scene, shots, SIZE).unwrap();
    let open = |name: &str| image::open(path(name)).unwrap().to_rgb8();
    let (here, away, lines, shapes) = (open("here.png"), open("away.png"), open("lines.png"), open("shapes.png"));
    std::fs::remove_dir_all(&folder).unwrap();

    assert_eq!(here.dimensions(), SIZE);
    assert!(contrast(&here) > 12.0, "the picture is blank: contrast {:.1} of 255", contrast(&here));
    let (all, inner) = differences(&here, &away);
    assert!(inner > 300, "the robot is not in the middle: {inner} of 6360 pixels there are its own");
    assert!(all < 40_000, "the robot and its shadow fill {all} of 57600 pixels");
    let (drawn, _) = differences(&here, &lines);
    assert!(drawn > 150, "overlays changed {drawn} pixels");
    let (drawn, on_robot) = differences(&here, &shapes);
    assert!(on_robot > 150 && on_robot * 2 > drawn, "collision shapes changed {drawn} pixels, {on_robot} on the robot");
}

#[test]
fn frames_of_another_robot_and_silly_sizes_are_refused() {
    let (scene, mut frame) = centaur();
    let shots = |frame: &StationFrame| vec![shot(frame.clone(), "never.png".into(), Overlays::NONE)];
    let error = station::screenshots(scene.clone(), shots(&frame), (0, 90)).unwrap_err();
    assert!(matches!(error, StationError::Size { width: 0, height: 90, .. }), "{error}");
    frame.frame.links_in_world.pop();
    let error = station::screenshots(scene.clone(), shots(&frame), SIZE).unwrap_err();
    let links = scene.robot.tree.links.len();
    assert!(error.to_string().contains(&format!("expected {links}")), "{error}");
}
