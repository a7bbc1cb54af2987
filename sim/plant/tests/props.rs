//! The props that ship do what they are for.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::Path;

use nalgebra::{Isometry3, Point3, Vector3};
use plant::{Frame, Simulation};
use support::{bare, link, quiet, run};
use worlds::World;

/// Props on level concrete, more objects among them, and a stone far away for a robot.
fn simulation(text: &str) -> (Simulation, Vec<String>) {
    let text = format!("name = \"t\"\n[terrain]\ncell = 0.1\nsize = [20.0, 20.0]\nmaterial = \"concrete\"\n{text}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds");
    let world = World::from_str(&text, "t.toml", &folder).unwrap();
    let stone = bare(&format!("<robot name=\"stone\">{}</robot>", link("stone", 1.0, [0.0; 3], 0.1, "")));
    let names = world.objects.iter().map(|object| object.name.clone()).collect();
    (Simulation::new(&world, &stone, &quiet("zero", 8.0, 8.0)).unwrap(), names)
}

fn prop(name: &str, at: &str) -> String {
    format!("[[prop]]\nname = \"{name}\"\nfile = \"../assets/props/{name}.toml\"\n{at}\n")
}

/// Where an object is.
fn pose((simulation, names): &(Simulation, Vec<String>), name: &str) -> Isometry3<f64> {
    let mut frame = Frame::default();
    simulation.frame(&mut frame);
    frame.objects_in_world[names.iter().position(|own| own == name).unwrap()]
}

/// A ram that moves along an axis of the world and is pressed forward with about this force [N].
fn ram(size: [f64; 3], from: [f64; 3], axis: [f64; 3], force: f64) -> String {
    // the spring is long and soft, so that its force changes little on the way
    format!(
        "[[object]]\nname = \"ram\"\nbox = {{ size = {size:?} }}\nposition = {from:?}\nmass = 0.2\nmaterial = \"concrete\"\n\
         slide = {{ axis = {axis:?}, limits = [0.0, 0.6], spring = {}, rest = 10.0, damping = 30.0 }}\n",
        force / 10.0
    )
}

#[test]
fn everything_in_the_workshop_stays_where_it_stands() {
    let stone = bare(&format!("<robot name=\"stone\">{}</robot>", link("stone", 1.0, [0.0; 3], 0.1, "")));
    let world = support::shipped("workshop");
    let names: Vec<String> = world.objects.iter().map(|object| object.name.clone()).collect();
    let mut scene = (Simulation::new(&world, &stone, &quiet("zero", -5.0, -4.0)).unwrap(), names);
    run(&mut scene.0, 0.5);
    let before: Vec<Isometry3<f64>> = scene.1.iter().map(|name| pose(&scene, name)).collect();
    run(&mut scene.0, 5.0);
    for (name, before) in scene.1.iter().zip(before) {
        let moved = (pose(&scene, name).translation.vector - before.translation.vector).norm();
        assert!(moved < 1e-4, "{name} moves by {moved} m");
        assert!(pose(&scene, name).rotation.angle_to(&before.rotation) < 1e-3, "{name} turns");
    }
}

#[test]
fn a_cup_holds_what_is_poured_into_it() {
    let pebbles: String = (0..6)
        .map(|number| {
            let (x, y) = (0.013 * f64::from(number % 2) - 0.006, 0.013 * f64::from(number / 2 % 2) - 0.004);
            let z = 0.02 + 0.014 * f64::from(number);
            format!(
                "[[object]]\nname = \"pebble_{number}\"\nbox = {{ size = [0.012, 0.012, 0.012] }}\nposition = [{x}, {y}, {z}]\n\
                 mass = 0.004\nmaterial = \"rock\"\n"
            )
        })
        .collect();
    let mut scene = simulation(&(prop("cup", "position = [0.0, 0.0, 0.001]") + &pebbles));
    run(&mut scene.0, 1.5);
    let cup = pose(&scene, "cup");
    assert!(cup.rotation.angle() < 0.01 && cup.translation.vector.xy().norm() < 0.005, "it stands: {cup}");
    for number in 0..6 {
        let within = cup.inverse() * Point3::from(pose(&scene, &format!("pebble_{number}")).translation.vector);
        let [x, y, z] = [within.x, within.y, within.z];
        assert!(x.hypot(y) < 0.034 && z > 0.008 && z < 0.1, "pebble {number} is at {x:.3}, {y:.3}, {z:.3}");
    }
}

/// How deep the battery is in the slot after it was pressed with a force [N] for two seconds, and whether it stays when that ends.
fn pressed(force: f64) -> f64 {
    let battery = prop("battery", "position = [0.0, -0.12, 0.662]");
    let over = ram([0.04, 0.04, 0.02], [0.0, -0.12, 0.735], [0.0, 0.0, -1.0], force);
    let mut scene = simulation(&(prop("base_station", "position = [0.0, 0.0, 0.0]") + &battery + &over));
    run(&mut scene.0, 3.0);
    let battery = pose(&scene, "battery");
    assert!(battery.rotation.angle() < 0.1, "it stands in the slot: {battery}");
    0.6 - (battery.translation.z - 0.06)
}

#[test]
fn the_station_clamps_its_battery() {
    let [weak, strong] = [15.0, 90.0].map(pressed);
    assert!(weak < 0.03, "{weak} m in with 15 N: the plates hold it off");
    assert!((strong - 0.1).abs() < 0.003, "{strong} m in with 90 N: on the ground of its slot");
}

/// How far the switch has turned after its end was pressed upwards with a force [N].
fn switched(force: f64) -> f64 {
    let below = ram([0.02, 0.02, 0.02], [-0.262, 0.15, 0.452], [0.0, 0.0, 1.0], force);
    let mut scene = simulation(&(prop("base_station", "position = [0.0, 0.0, 0.0]") + &below));
    let before = pose(&scene, "base_station_switch");
    run(&mut scene.0, 2.0);
    pose(&scene, "base_station_switch").rotation.angle_to(&before.rotation).to_degrees()
}

#[test]
fn the_stations_switch_flips_when_it_is_pushed_hard_enough() {
    let [weak, strong] = [2.0, 12.0].map(switched);
    assert!(weak < 6.0, "{weak}° with 2 N: in its catch");
    assert!((strong - 40.0).abs() < 0.5, "{strong}° with 12 N: at its other end");
}

#[test]
fn a_door_a_valve_and_a_button_give_way_to_a_push_and_no_further_than_their_stops() {
    let turned = |scene: &(Simulation, Vec<String>), name: &str, before: &Isometry3<f64>| {
        pose(scene, name).rotation.angle_to(&before.rotation).to_degrees()
    };
    for (force, opens) in [(2.0, false), (15.0, true)] {
        let push = ram([0.04, 0.04, 0.04], [0.4, -0.05, 0.8], [0.0, 1.0, 0.0], force);
        let mut scene = simulation(&(prop("door", "position = [0.0, 0.0, 0.0]") + &push));
        let before = pose(&scene, "door");
        run(&mut scene.0, 3.0);
        assert_eq!(turned(&scene, "door", &before) > 20.0, opens, "door with {force} N");
    }
    // under a spoke, 10 cm from the axis
    for (force, turns) in [(8.0, false), (30.0, true)] {
        let push = ram([0.02, 0.02, 0.02], [0.0, 0.1, 0.97], [0.0, 0.0, 1.0], force);
        let mut scene = simulation(&(prop("valve", "position = [0.0, 0.0, 0.0]") + &push));
        let before = pose(&scene, "valve");
        run(&mut scene.0, 2.0);
        assert_eq!(turned(&scene, "valve", &before) > 10.0, turns, "valve with {force} N");
    }
    for (force, expected) in [(3.0, 0.0), (14.0, 0.0075), (60.0, 0.015)] {
        let push = ram([0.02, 0.02, 0.02], [-0.107, 0.0, 1.0], [1.0, 0.0, 0.0], force);
        let mut scene = simulation(&(prop("button", "position = [0.0, 0.0, 0.0]") + &push));
        let before = pose(&scene, "button").translation.vector;
        run(&mut scene.0, 2.0);
        let pressed = (pose(&scene, "button").translation.vector - before).dot(&Vector3::x());
        assert!((pressed - expected).abs() < 0.001, "button with {force} N: {pressed} m in");
    }
}
