//! Wheels that meet what they cannot roll over stop there, and nothing else happens.
#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::path::Path;

use plant::Simulation;
use support::{active, cart, centaur, hold, quiet, shipped};
use worlds::World;

/// The largest force on a wheel [N] and the largest vertical velocity of the base [m/s] while it drives at `speed` [m/s] for a time [s], with
/// motors of `strength` times what the robot has: a cart of strong motors climbs walls.
fn drive(simulation: &mut Simulation, speed: f64, strength: f64, seconds: f64) -> (f64, f64) {
    let mut commands = hold(simulation, Some(speed));
    for wheel in &simulation.robot().description.wheels {
        commands.joints[wheel.drive_joint].damping *= strength;
    }
    simulation.command(&commands).unwrap();
    let (mut force, mut lift): (f64, f64) = (0.0, 0.0);
    let end = simulation.time().seconds() + seconds;
    while simulation.time().seconds() < end {
        simulation.step();
        let truth = simulation.truth();
        force = truth.wheel_forces.iter().copied().fold(force, f64::max);
        lift = lift.max(truth.base_velocity_in_world.z.abs());
    }
    (force, lift)
}

#[test]
fn the_centaur_against_a_step_of_15_centimetres_stands_still() {
    let mut simulation = active(&shipped("step"), &centaur(), &quiet("stand", 0.9, 0.0));
    drive(&mut simulation, 0.0, 1.0, 0.5);
    let (force, lift) = drive(&mut simulation, 0.1, 1.0, 5.0);
    let truth = simulation.truth();
    // a leg of some 18 kg at 0.1 m/s; the rest of the robot comes on its joints
    assert!(force < 1000.0 && lift < 0.05, "{force} N, {lift} m/s");
    assert!(truth.base_velocity_in_world.norm() < 1e-3, "{}", truth.base_velocity_in_world);
    assert!((1.0..1.2).contains(&truth.base_in_world.translation.x));
}

#[test]
fn a_cart_against_a_wall_of_any_kind_stands_still() {
    let step = "[[terrain.layer]]\nkind = \"flat\"\nheight = 0.5\nregion = { rectangle = { min = [1.5, -9.0], max = [9.0, 9.0] } }\n";
    let wall =
        "[[object]]\nname = \"wall\"\nbox = { size = [0.2, 4.0, 1.0] }\nplace = [1.6, 0.0]\nmaterial = \"concrete\"\n";
    for wall in [step, wall] {
        let text = format!("name = \"t\"\n[terrain]\ncell = 0.05\nsize = [8.0, 8.0]\nmaterial = \"concrete\"\n{wall}");
        let world = World::from_str(&text, "t.toml", Path::new(".")).unwrap();
        let mut simulation = active(&world, &cart(), &quiet("stand", 0.6, 0.0));
        drive(&mut simulation, 0.0, 1.0, 0.5);
        let (force, lift) = drive(&mut simulation, 0.5, 0.05, 4.0);
        let x = simulation.truth().base_in_world.translation.x;
        // 12 kg at 0.5 m/s are stopped in a millisecond or two, by two wheels that go on turning and climb a little
        assert!(force < 4000.0 && lift < 0.3, "{force} N, {lift} m/s");
        assert!((1.0..1.15).contains(&x), "it stops with its wheels at the wall: {x} m");
        assert!(simulation.truth().base_velocity_in_world.norm() < 0.05);
    }
}
