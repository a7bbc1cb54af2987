//! Colour and depth cameras on the centaur.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod support;

use nalgebra::Point3;
use plant::{Setup, Simulation};
use robot_io::{Commands, DepthImage, Image, Intrinsics, JointCommand, Pose2, Sealed};
use robot_model::{RobotModel, Source};
use support::{active, centaur, hold, shipped, world};

/// A yellow box, 2.2 m ahead.
const BOX: &str = "[[object]]\nname = \"box\"\nbox = { size = [0.4, 0.5, 0.6] }\nplace = [2.4, 0.2]\nmaterial = \"concrete\"\n\
                   color = [0.9, 0.8, 0.1]";

fn with(sensors: &[&str], noise: bool) -> Setup {
    Setup { sensors: sensors.iter().map(|name| (*name).to_owned()).collect(), noise, ..Setup::default() }
}

/// One control cycle.
fn cycle(simulation: &mut Simulation) {
    (0..simulation.steps_per_cycle()).for_each(|_| simulation.step());
}

/// Stands still, and asks for pictures of all cameras if so.
fn ask(simulation: &mut Simulation, take: bool) {
    let mut commands = hold(simulation, None);
    commands.take_image.fill(take);
    commands.take_depth_image.fill(take);
    simulation.command(&commands).unwrap();
}

fn image(simulation: &mut Simulation) -> Sealed<Image> {
    ask(simulation, true);
    cycle(simulation);
    ask(simulation, false);
    (0..50)
        .find_map(|_| {
            simulation.readings().images[0].clone().or_else(|| {
                cycle(simulation);
                None
            })
        })
        .unwrap()
}

fn depth_image(simulation: &mut Simulation) -> Sealed<DepthImage> {
    ask(simulation, true);
    cycle(simulation);
    ask(simulation, false);
    (0..50)
        .find_map(|_| {
            simulation.readings().depth_images[0].clone().or_else(|| {
                cycle(simulation);
                None
            })
        })
        .unwrap()
}

/// Where a point of the world is seen: column, row and depth [m].
fn seen(simulation: &Simulation, link: &str, intrinsics: &Intrinsics, point: [f64; 3]) -> (f64, f64, f64) {
    let link = simulation.robot().tree.link(link).unwrap();
    let there = simulation.link_in_world(link).inverse_transform_point(&Point3::from(point));
    let (column, row) = intrinsics.project(&there).unwrap();
    (column, row, there.x)
}

#[test]
fn a_box_is_seen_where_it_is_projected_with_its_depth() {
    let mut simulation = active(&world("concrete", BOX), &centaur(), &with(&["rgbd_depth"], false));
    let picture = depth_image(&mut simulation);
    let camera = simulation.layout().depth_cameras[0].intrinsics;
    assert_eq!((picture.width, picture.height), (camera.width, camera.height));
    // the front face is at x = 2.2 m, y from -0.05 to 0.45 m, z from 0 to 0.6 m
    let (column, row, depth) = seen(&simulation, "rgbd_camera_link", &camera, [2.2, 0.2, 0.45]);
    let found = picture.depth(column.round() as usize, row.round() as usize).unwrap();
    // half a step of disparity at this depth, and half a pixel of a face that the camera looks down on
    let step = 0.0625 * depth * depth / (camera.fx * 0.075);
    assert!((found - depth).abs() < 0.5 * step + 0.005, "{found} instead of {depth} ± {step}");
    // its left edge: within it the face, one pixel further the ground behind
    let (edge, row, _) = seen(&simulation, "rgbd_camera_link", &camera, [2.2, 0.45, 0.3]);
    let (inside, outside) = (edge.ceil() as usize, edge.floor() as usize - 1);
    let across = [inside, outside].map(|column| picture.depth(column, row.round() as usize).unwrap());
    assert!(across[1] > across[0] + 0.2, "{across:?} at column {edge}");
}

#[test]
fn the_projectors_shadow_lies_to_the_right_of_what_is_near() {
    let mut simulation = active(&world("concrete", BOX), &centaur(), &with(&["rgbd_depth"], false));
    let picture = depth_image(&mut simulation);
    let camera = simulation.layout().depth_cameras[0].intrinsics;
    let (edge, row, near) = seen(&simulation, "rgbd_camera_link", &camera, [2.2, -0.05, 0.5]);
    let row = row.round() as usize;
    let lost = (edge.ceil() as usize..).take_while(|column| picture.depth(*column, row).is_none()).count();
    let far = picture.depth(edge.ceil() as usize + lost, row).unwrap();
    // disparity of the edge less that of the ground behind it
    let expected = camera.fx * 0.075 * (1.0 / near - 1.0 / far);
    assert!((lost as f64 - expected).abs() <= 2.0, "{lost} pixels instead of {expected}");
    assert!(lost >= 2);
}

#[test]
fn depth_becomes_coarser_with_the_square_of_the_distance() {
    let mut simulation = active(&shipped("flat"), &centaur(), &with(&["rgbd_depth"], true));
    let picture = depth_image(&mut simulation);
    let camera = simulation.layout().depth_cameras[0].intrinsics;
    let mut depths: Vec<u16> = picture.depths.iter().copied().filter(|depth| *depth > 0).collect();
    depths.sort_unstable();
    depths.dedup();
    assert!(depths.len() > 50 && depths[0] >= 500 && depths[depths.len() - 1] <= 6000);
    for pair in depths.windows(2) {
        let (middle, step) = (5e-4 * f64::from(pair[0] + pair[1]), 1e-3 * f64::from(pair[1] - pair[0]));
        let expected = 0.0625 * middle * middle / (camera.fx * 0.075);
        assert!(step > expected - 2e-3, "{pair:?}: a step of {expected} m");
    }
}

#[test]
fn colours_and_shadows_are_where_they_belong() {
    let mut simulation = active(&world("soil", BOX), &centaur(), &with(&["head_front"], false));
    let picture = image(&mut simulation);
    let camera = simulation.layout().cameras[0].intrinsics;
    let pixel = |point: [f64; 3]| {
        let (column, row, _) = seen(&simulation, "head_camera_front_link", &camera, point);
        let place = 3 * (row.round() as usize * picture.width + column.round() as usize);
        [0, 1, 2].map(|channel| i32::from(picture.rgb[place + channel]))
    };
    let [red, green, blue] = pixel([2.3, 0.2, 0.599]);
    assert!(red > 150 && green > 130 && blue < 110, "the box's top is yellow: {red} {green} {blue}");
    let [red, _, blue] = pixel([2.0, 2.0, 0.0]);
    assert!(red > blue + 30, "soil is brown");
    // the sun stands behind on the right: the box's shadow falls ahead and to the left
    let (shade, sunny) = (pixel([2.75, 0.75, 0.0]), pixel([2.75, -0.75, 0.0]));
    assert!(shade[0] + 30 < sunny[0], "{shade:?} {sunny:?}");
    let sky = &picture.rgb[..3];
    assert!(sky[2] > sky[0] + 20, "{sky:?}");
}

#[test]
fn a_request_that_comes_too_early_waits_and_a_picture_is_stamped_when_its_first_row_was_exposed() {
    let mut simulation = active(&shipped("flat"), &centaur(), &with(&["rgbd_depth"], true));
    cycle(&mut simulation);
    ask(&mut simulation, true);
    let mut pictures = Vec::new();
    for _ in 0..100 {
        cycle(&mut simulation);
        let now = simulation.time().nanoseconds();
        pictures.extend(simulation.readings().depth_images[0].iter().map(|picture| (picture.stamp.nanoseconds(), now)));
    }
    // asked for in every cycle, but only 30 Hz; 240 rows of 90 µs
    assert_eq!(pictures[0], (4_000_000, 28_000_000));
    for pair in pictures.windows(2) {
        let apart = pair[1].0 - pair[0].0;
        assert!((33_333_333..=34_333_333).contains(&apart), "{apart}");
    }
    ask(&mut simulation, false);
    (0..20).for_each(|_| cycle(&mut simulation));
    let still = (0..50).filter(|_| {
        cycle(&mut simulation);
        simulation.readings().depth_images[0].is_some()
    });
    assert_eq!(still.count(), 0, "nobody asks any more");
}

/// The centaur with a depth camera on the laser's axis.
fn dizzy(row_period_us: u64) -> RobotModel {
    let centaur = centaur();
    let read = |source: &Source| String::from_utf8(source.bytes.to_vec()).unwrap();
    let toml = format!(
        "{}\n[[depth_camera]]\nname = \"dizzy\"\nlink = \"laser_spin_link\"\nxyz = [0.0, 0.0, 0.3]\nrpy = [0.0, 0.0, 0.0]\n\
         width = 160\nheight = 60\nhorizontal_fov_deg = 60.0\nrate_hz = 20.0\nrow_period_us = {row_period_us}\n\
         min_range = 0.2\nmax_range = 6.0\nbaseline = 0.001\ndisparity_step = 1e-4\ndisparity_noise = 0.0\nwhite_range = 90.0\n",
        read(&centaur.sources[0])
    );
    let source = |name: &str, text: String| Source { name: name.to_owned(), bytes: text.into_bytes().into() };
    RobotModel::from_sources(source("centaur.toml", toml), source("centaur.urdf", read(&centaur.sources[1]))).unwrap()
}

#[test]
fn a_turning_camera_with_a_rolling_shutter_sees_a_pole_slanted() {
    let pole =
        "[[object]]\nname = \"pole\"\nbox = { size = [0.1, 0.1, 4.0] }\nplace = [2.0, 0.3]\nmaterial = \"concrete\"";
    let mut simulation = active(&world("concrete", pole), &dizzy(500), &with(&["dizzy"], false));
    let spin = simulation.robot().tree.joint("laser_spin").unwrap();
    let command = |simulation: &mut Simulation, take: bool| {
        let mut commands: Commands = hold(simulation, None);
        commands.joints[spin] = JointCommand::turn(5.0, 0.3);
        commands.take_depth_image.fill(take);
        simulation.command(&commands).unwrap();
    };
    command(&mut simulation, false);
    let link = simulation.robot().tree.link("laser_spin_link").unwrap();
    // a little before the axis looks ahead, at full speed
    let heading = |simulation: &Simulation| simulation.link_in_world(link).rotation.euler_angles().2;
    while simulation.time().seconds() < 2.0 || !(-0.12..0.0).contains(&heading(&simulation)) {
        cycle(&mut simulation);
    }
    command(&mut simulation, true);
    let speed = simulation.truth().joint_velocities[spin];
    let picture = (0..20)
        .find_map(|_| {
            cycle(&mut simulation);
            simulation.readings().depth_images[0].clone()
        })
        .unwrap();
    let camera = simulation.layout().depth_cameras[0].intrinsics;
    // the pole's middle in each row that shows it
    let middle = |row: usize| {
        let columns: Vec<usize> =
            (0..picture.width).filter(|column| picture.depth(*column, row).is_some_and(|depth| depth < 2.2)).collect();
        columns.iter().sum::<usize>() as f64 / columns.len() as f64
    };
    let (first, last) = (middle(2), middle(57));
    // turning to the left, what stands still wanders to the right
    let expected = speed * 55.0 * 500e-6 * camera.fx;
    assert!(((last - first) / expected - 1.0).abs() < 0.15, "{first} to {last}, expected {expected} px");
}

#[test]
fn a_run_through_a_snapshot_in_mid_picture_is_the_run_without() {
    let begin = || {
        let setup =
            Setup { spawn: Pose2 { x: 5.9, y: -3.5, yaw: 1.57 }, ..with(&["rgbd_depth", "head_front", "laser"], true) };
        let mut simulation = active(&shipped("spacebot"), &centaur(), &setup);
        (0..50).for_each(|_| cycle(&mut simulation));
        ask(&mut simulation, true);
        simulation
    };
    let go = |simulation: &mut Simulation| -> Vec<_> {
        let each = (0..30).map(|_| {
            cycle(simulation);
            let readings = simulation.readings();
            let pictures = (readings.images[0].is_some(), readings.depth_images[0].is_some());
            (pictures, simulation.digest())
        });
        each.collect()
    };
    let mut whole = begin();
    (0..12).for_each(|_| whole.step());
    let saved = whole.snapshot();
    (0..2).for_each(|_| whole.step());
    let expected = go(&mut whole);
    assert!(expected.iter().any(|((image, _), _)| *image) && expected.iter().any(|((_, depth), _)| *depth));
    let mut fresh = begin();
    fresh.restore(&saved).unwrap();
    assert!(fresh.snapshot() == saved, "a restored snapshot saves the same bytes");
    (0..2).for_each(|_| fresh.step());
    assert_eq!(go(&mut fresh), expected);
}
