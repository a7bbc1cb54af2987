//! Ground that gives way: how deep, how strong, at what cost, and that it stays so.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::Path;

use nalgebra::Vector3;
use plant::{Push, Simulation};
use robot_io::Time;
use robot_model::RobotModel;
use support::{active, cart, collision_box, link, quiet, robot, run, trial_wedge};
use worlds::{Material, World};

const CELL: f64 = 0.02;
const GRAVITY: f64 = 9.81;

/// Level deformable ground, 8 × 4 m.
fn ground(material: &str) -> World {
    ground_with(material, "")
}

/// The same with more lines of TOML.
fn ground_with(material: &str, more: &str) -> World {
    let text = format!(
        "name = \"t\"\n[terrain]\ndeformable = true\ncell = {CELL}\nsize = [8.0, 4.0]\nmaterial = \"{material}\"\n{more}"
    );
    World::from_str(&text, "t.toml", Path::new(".")).unwrap()
}

/// A plate of 0.4 × 0.2 m that weighs so much [kg], and is kept level by its width.
fn plate(mass: f64) -> RobotModel {
    let urdf =
        format!("<robot name=\"b\">{}</robot>", link("plate", mass, [0.0; 3], 1.0, &collision_box(0.4, 0.2, 0.05)));
    robot(&urdf, "name = \"b\"\ncycle_period_us = 1000\n[[pose]]\nname = \"stand\"\n")
}

/// A force on the base that changes evenly from now on, in a hundred steps.
fn ramp(simulation: &mut Simulation, from: Vector3<f64>, to: Vector3<f64>, seconds: f64) {
    for step in 0..100 {
        let force = from + (to - from) * (f64::from(step) / 100.0);
        push(simulation, force, 0.01 * seconds);
        run(simulation, 0.01 * seconds);
    }
}

fn push(simulation: &mut Simulation, force: Vector3<f64>, seconds: f64) {
    let until = Time::from_seconds(simulation.time().seconds() + seconds);
    simulation.push(Push { link: 0, point_in_link: Vector3::zeros(), force_in_world: force, until });
}

/// A plate that was put down gently, whose middle of its face lies between samples.
fn laid_down(material: &str, mass: f64) -> Simulation {
    let mut simulation = active(&ground(material), &plate(mass), &quiet("stand", 0.01, 0.01));
    ramp(&mut simulation, Vector3::z() * (mass * GRAVITY), Vector3::zeros(), 2.0);
    run(&mut simulation, 0.5);
    simulation
}

fn place(simulation: &Simulation) -> Vector3<f64> {
    simulation.truth().base_in_world.translation.vector
}

#[test]
fn a_plate_sinks_as_deep_as_bekker_says() {
    for (material, mass) in [("sand", 30.0), ("sand", 90.0), ("soil", 60.0), ("gravel", 120.0)] {
        let simulation = laid_down(material, mass);
        let sunk = 0.025 - place(&simulation).z;
        let material = Material::preset(material).unwrap();
        let pressure = mass * GRAVITY / 0.08;
        let expected = material.sinkage.depth(pressure, 0.2) + pressure / material.soil.unloading_modulus;
        assert!((sunk / expected - 1.0).abs() < 0.02, "{} {mass} kg: {sunk} m, Bekker {expected} m", material.name);
    }
}

/// The share of its strength that sand gives to a plate that has moved by `way` [m], by Janosi and Hanamoto; what the plate has moved onto has
/// been sheared less.
fn janosi(way: f64, k: f64) -> f64 {
    let full = 1.0 - libm::exp(-way / k);
    ((0.4 - way) * full + way - k * full) / 0.4
}

#[test]
fn a_plate_shears_as_janosi_says_and_slides_beyond_mohr_and_coulomb() {
    let mass = 60.0;
    let soil = Material::preset("sand").unwrap().soil;
    let strength = 0.08 * soil.strength(mass * GRAVITY / 0.08);
    // what the plate has before it is pushed along
    let passive = |simulation: &Simulation| {
        let (at, bottom) = (place(simulation).x + 0.2, place(simulation).z - 0.025);
        let high = simulation.world().terrain.height_at(at + CELL, 0.0).unwrap();
        0.2 * trial_wedge(&soil, high - bottom)
    };
    let pulled = |share: f64| {
        let mut simulation = laid_down("sand", mass);
        let (before, pull) = (place(&simulation), Vector3::x() * (share * strength));
        ramp(&mut simulation, Vector3::zeros(), pull, 4.0);
        push(&mut simulation, pull, 2.0);
        run(&mut simulation, 1.0);
        let way = (place(&simulation) - before).x;
        run(&mut simulation, 1.0);
        (way, (place(&simulation) - before).x - way, passive(&simulation) / strength)
    };
    let mut meets = 0.0;
    for share in [0.3, 0.5, 0.8] {
        let (way, creeps, passive) = pulled(share);
        let given = janosi(way, soil.shear_displacement) + passive;
        meets = passive;
        assert!((given / share - 1.0).abs() < 0.07, "{share}: {given} after {way} m");
        assert!(creeps.abs() < 1e-3, "{share}: {creeps} m more in another second");
    }
    // a twentieth more than both give; what it heaps up slows it then
    let (way, more, _) = pulled(1.05 * (1.0 + meets));
    assert!(way > 0.3 && more > 0.05, "{way} m, and {more} m more in another second");
}

/// A cart that is pulled over sand along x, at where its wheels have no motors.
fn pulled_cart(more: &str) -> Simulation {
    let mut simulation = active(&ground_with("sand", more), &cart(), &quiet("stand", -3.0, 0.0));
    run(&mut simulation, 1.0);
    simulation
}

#[test]
fn what_rolling_costs_is_the_work_of_pressing_the_rut() {
    const PULL: f64 = 30.0;
    let sand = Material::preset("sand").unwrap().sinkage;
    let depths = |simulation: &Simulation, from: f64, to: f64| -> Vec<f64> {
        let places = (0..400).map(|place| -4.0 + CELL * f64::from(place)).filter(|x| (from..to).contains(x));
        places.map(|x| -simulation.world().terrain.height_at(x, 0.2).unwrap()).collect()
    };
    // of two ruts that are as wide as a wheel
    let work = |simulation: &Simulation| {
        let of_column =
            |depth: &f64| sand.modulus(0.04) * libm::pow(*depth, sand.exponent + 1.0) / (sand.exponent + 1.0);
        2.0 * 0.04 * CELL * depths(simulation, -4.0, 4.0).iter().map(of_column).sum::<f64>()
    };
    // what shears beside costs too; a little cohesion keeps the rut's walls upright
    let smooth = "[[material]]\nname = \"sand\"\nsoil = { friction_angle_deg = 0.0, cohesion = 200.0, shear_displacement = 1.0 }\n";
    let mut simulation = pulled_cart(smooth);
    push(&mut simulation, Vector3::x() * PULL, 3.0);
    push(&mut simulation, Vector3::x() * 15.0, 0.1);
    run(&mut simulation, 1.25);
    let (at, speed) = (place(&simulation).x, simulation.truth().base_velocity_in_world.x);
    let pressed = work(&simulation);
    // nothing holds it aside, so that it strays after a while
    run(&mut simulation, 0.75);
    let (way, faster) = (place(&simulation).x - at, simulation.truth().base_velocity_in_world.x);
    // 12 kg, whose wheels nothing turns
    let costs = PULL * way - 0.5 * 12.0 * (faster * faster - speed * speed);
    let pressed = work(&simulation) - pressed;
    assert!((costs / pressed - 1.0).abs() < 0.1, "{costs} J over {way} m; the ruts are worth {pressed} J");

    // between the wheels, where two have passed, it is as deep as carries the load: the soil before the lowest point, by Bekker's parabola, and
    // what springs back behind it
    let ahead = depths(&simulation, at + way - 0.2, at + way + 0.2);
    let depth = ahead.iter().sum::<f64>() / ahead.len() as f64;
    let pressure = sand.modulus(0.04) * libm::pow(depth, sand.exponent);
    let before = (3.0 - sand.exponent) / 3.0 * (0.2 * depth).sqrt();
    let behind = 2.0 / 3.0 * (0.2 * pressure / Material::preset("sand").unwrap().soil.unloading_modulus).sqrt();
    let carries = 0.04 * pressure * (before + behind);
    assert!((carries / (3.0 * GRAVITY) - 1.0).abs() < 0.1, "a rut of {depth} m carries {carries} N");
}

#[test]
fn a_rut_stays_and_is_a_part_of_what_is_saved() {
    let mut simulation = pulled_cart("");
    push(&mut simulation, Vector3::x() * 50.0, 1.5);
    run(&mut simulation, 0.5);
    let saved = simulation.snapshot();
    run(&mut simulation, 1.0);
    let (digest, terrain) = (simulation.digest(), simulation.world().terrain.clone());
    let behind = |terrain: &worlds::Terrain| terrain.height_at(-2.6, 0.2).unwrap();
    assert!(behind(&terrain) < -0.01, "{}", behind(&terrain));

    // the same goes on, whether it was here before or not, and the ground is as it was
    simulation.restore(&saved).unwrap();
    assert_ne!(simulation.world().terrain, terrain);
    run(&mut simulation, 1.0);
    assert_eq!((simulation.digest(), &simulation.world().terrain), (digest, &terrain));
    let mut fresh = active(&ground("sand"), &cart(), &quiet("stand", -3.0, 0.0));
    fresh.restore(&saved).unwrap();
    run(&mut fresh, 1.0);
    assert_eq!((fresh.digest(), &fresh.world().terrain), (digest, &terrain));
}

#[test]
fn rigid_ground_in_a_deformable_world_is_what_it_is_elsewhere() {
    let text = |deformable: bool| {
        format!(
            "name = \"t\"\n[terrain]\ndeformable = {deformable}\ncell = {CELL}\nsize = [8.0, 4.0]\nmaterial = \"concrete\"\n"
        )
    };
    let rolled = |deformable: bool| {
        let world = World::from_str(&text(deformable), "t.toml", Path::new(".")).unwrap();
        let mut simulation = active(&world, &cart(), &quiet("stand", -3.0, 0.0));
        push(&mut simulation, Vector3::x() * 10.0, 2.0);
        run(&mut simulation, 2.0);
        place(&simulation)
    };
    assert_eq!(rolled(true), rolled(false));
}
