//! Solids whose faces have more than four corners stand and roll on each other as they do on the ground.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::{Isometry3, Vector3};
use plant::{ContactPoint, Frame, Simulation};
use support::{bare, link, prism_mesh, quiet, run, world};

const GRAVITY: f64 = 9.81;

/// Rock whose points carry no moments, so that all are told by forces.
const SLATE: &str = "[[material]]\nname = \"slate\"\nbase = \"rock\"\ntorsional_friction = 0.0\n\
                     rolling_friction = 0.0\n";

/// Objects on level concrete, and a stone far away for a robot.
fn simulation(objects: &str) -> Simulation {
    let stone = bare(&format!("<robot name=\"stone\">{}</robot>", link("stone", 1.0, [0.0; 3], 0.1, "")));
    Simulation::new(&world("concrete", &format!("{SLATE}{objects}")), &stone, &quiet("zero", 8.0, 8.0)).unwrap()
}

/// An upright prism about its middle; fixed to the world without a mass [kg].
fn prism(name: &str, count: usize, size: [f64; 2], mass: Option<f64>, place: &str) -> String {
    let mass = mass.map_or(String::new(), |mass| format!("mass = {mass}\n"));
    let mesh = prism_mesh(count, size);
    format!("[[object]]\nname = \"{name}\"\nmesh = {mesh}\n{mass}material = \"slate\"\n{place}\n")
}

fn at(place: Vector3<f64>, turn_deg: f64) -> String {
    format!("position = [{}, {}, {}]\nrpy_deg = [0.0, 0.0, {turn_deg}]", place.x, place.y, place.z)
}

fn pebble(name: &str, place: Vector3<f64>, turn_deg: f64) -> String {
    format!(
        "[[object]]\nname = \"{name}\"\nbox = {{ size = [0.012, 0.012, 0.012] }}\nmass = 0.004\nmaterial = \"rock\"\n{}\n",
        at(place, turn_deg)
    )
}

fn frame(simulation: &Simulation) -> Frame {
    let mut frame = Frame::default();
    simulation.frame(&mut frame);
    frame
}

fn moved(now: &Isometry3<f64>, before: &Isometry3<f64>) -> f64 {
    (now.translation.vector - before.translation.vector).norm() + 0.02 * now.rotation.angle_to(&before.rotation)
}

#[test]
fn pebbles_stay_on_the_rim_of_a_disc_of_twelve_corners() {
    let mut objects = prism("disc", 12, [0.04, 0.005], Some(0.1), &at(Vector3::new(0.0, 0.0, 0.0025), 0.0));
    for number in 0..10 {
        let angle = 0.3 + core::f64::consts::TAU * f64::from(number) / 10.0;
        // some reach over the rim, by up to a third
        let far = 0.030 + 0.0008 * f64::from(number);
        let place = Vector3::new(far * angle.cos(), far * angle.sin(), 0.0111);
        objects += &pebble(&format!("pebble_{number}"), place, 56.0 * f64::from(number % 6));
    }
    let mut simulation = simulation(&objects);
    run(&mut simulation, 2.0);
    for (number, pebble) in frame(&simulation).objects_in_world.iter().skip(1).enumerate() {
        let (height, lean) = (pebble.translation.z, pebble.rotation * Vector3::z());
        assert!((height - 0.011).abs() < 1e-5 && lean.z > 0.9999, "pebble {number} is at {pebble}");
    }
}

/// Where a prism stands on another one, which weighs `carrier` [kg] or is fixed to the world: forces and moments about its middle are in balance, and it does not move.
fn stands(counts: [usize; 2], carrier: Option<f64>, turn_deg: f64, aside: Vector3<f64>) {
    let what =
        format!("{counts:?} corners on {carrier:?} kg, turned by {turn_deg:.1}°, {:.1} mm aside", 1e3 * aside.norm());
    let (mass, top) = (0.3, 0.02);
    let lower = prism("lower", counts[0], [0.04, top], carrier, &at(Vector3::new(0.0, 0.0, 0.5 * top), 0.0));
    let upper =
        prism("upper", counts[1], [0.03, 0.04], Some(mass), &at(aside + Vector3::z() * (top + 0.0201), turn_deg));
    let mut simulation = simulation(&(lower + &upper));
    run(&mut simulation, 0.5);
    let before = frame(&simulation).objects_in_world[1];
    run(&mut simulation, 2.0);
    let frame = frame(&simulation);
    let now = frame.objects_in_world[1];
    assert!(moved(&now, &before) < 1e-6, "{what}: moves by {} m", moved(&now, &before));
    assert!((now.translation.z - top - 0.02).abs() < 1e-5, "{what}: is at a height of {}", now.translation.z);
    let between = |contact: &&ContactPoint| (contact.position_in_world.z - top).abs() < 1e-3;
    let (mut force, mut moment) = (Vector3::zeros(), Vector3::zeros());
    for contact in frame.contacts.iter().filter(between) {
        force += contact.force_in_world;
        moment += (contact.position_in_world - now.translation.vector).cross(&contact.force_in_world);
    }
    assert!((force - Vector3::z() * (mass * GRAVITY)).norm() < 1e-3 * mass * GRAVITY, "{what}: {force} N");
    assert!(moment.norm() < 5e-5 * mass * GRAVITY, "{what}: {moment} N·m");
}

#[test]
fn a_prism_on_another_stays_at_any_turn_and_offset_and_its_pressure_is_right() {
    for (number, counts) in [[12, 5], [7, 12], [16, 8], [12, 4], [6, 16], [4, 12], [9, 9]].into_iter().enumerate() {
        for step in 0..6 {
            let angle = 0.7 + 1.3 * f64::from(step) + number as f64;
            // the lower one carries to 40 mm at a corner and to 28 mm, of four corners, beside one
            let far = 0.025 * f64::from(step) / 5.0;
            let aside = Vector3::new(far * angle.cos(), far * angle.sin(), 0.0);
            for carrier in [Some(2.0), None] {
                stands(counts, carrier, 17.0 * f64::from(step) + number as f64, aside);
            }
        }
    }
}

/// How far a disc of 48 corners that is set on its edge on an incline of 10° rolls in 0.45 s, and how far its rim has turned [m]; on the ground, or
/// on a slab that lies there.
fn rolls(on_slab: bool) -> (f64, f64) {
    let (radius, slope, thickness) = (0.05, 10_f64.to_radians(), 0.1);
    let place = |above: f64| {
        let from_ramp = Vector3::new(-slope.sin(), 0.0, slope.cos()) * above;
        Vector3::new(0.0, 0.0, 6.0 * slope.tan()) + from_ramp
    };
    let pose = |above: f64, roll: f64, pitch: f64| {
        let at = place(above);
        format!("position = [{}, {}, {}]\nrpy_deg = [{roll}, {pitch}, 0.0]\n", at.x, at.y, at.z)
    };
    let slab = format!(
        "[[object]]\nname = \"slab\"\nbox = {{ size = [3.0, 0.5, {thickness}] }}\nmass = 300.0\nmaterial = \"concrete\"\n{}",
        pose(0.5 * thickness + 1e-4, 0.0, -10.0)
    );
    let lift = radius + if on_slab { thickness + 2e-4 } else { 1e-4 };
    let disc = prism("disc", 48, [radius, 0.02], Some(0.2), &pose(lift, 90.0, 0.0));
    let objects = support::ramp(10.0) + "\n" + if on_slab { &slab } else { "" } + &disc;
    let mut simulation = simulation(&objects);
    let disc = |simulation: &Simulation| *frame(simulation).objects_in_world.last().unwrap();
    let before = disc(&simulation);
    run(&mut simulation, 0.45);
    let now = disc(&simulation);
    ((now.translation.vector - before.translation.vector).norm(), now.rotation.angle_to(&before.rotation) * radius)
}

#[test]
fn a_disc_on_its_edge_rolls_on_a_slab_as_on_the_ground() {
    let [(way, turned), (on_slab, turned_there)] = [false, true].map(rolls);
    assert!(way > 0.08 && (turned - way).abs() < 0.02 * way, "on the ground: {way} m, turned by {turned} m");
    assert!((turned_there - on_slab).abs() < 0.02 * way, "on the slab: {on_slab} m, turned by {turned_there} m");
    assert!((on_slab - way).abs() < 0.03 * way, "{on_slab} m on the slab, {way} m on the ground");
}
