//! What moves without forces: objects on rails, and a robot that somebody carries away.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use plant::{Frame, Relocation, Setup, Simulation};
use robot_io::{Pose2, Time};
use support::{active, centaur, hold, world};

const CART: &str = r#"
[[object]]
name = "cart"
box = { size = [0.5, 0.5, 0.8] }
place = [3.0, 2.0]
material = "concrete"
motion = { way = [[3.0, -2.0]], speed = 1.0, begin = 0.5 }
"#;

fn advance(simulation: &mut Simulation, cycles: usize) {
    for _ in 0..cycles {
        (0..simulation.steps_per_cycle()).for_each(|_| simulation.step());
    }
}

fn carried() -> Simulation {
    let relocations = vec![Relocation { at: Time::from_seconds(1.0), to: Pose2 { x: -4.0, y: 3.0, yaw: 2.0 } }];
    let mut simulation =
        active(&world("concrete", CART), &centaur(), &Setup { relocations, noise: false, ..Setup::default() });
    let commands = hold(&simulation, None);
    simulation.command(&commands).unwrap();
    simulation
}

#[test]
fn an_object_on_rails_is_where_its_file_says() {
    let mut simulation = carried();
    advance(&mut simulation, 500);
    let mut frame = Frame::default();
    simulation.frame(&mut frame);
    let cart = frame.objects_in_world[0].translation;
    assert!((cart.y - 0.5).abs() < 1e-3 && (cart.x - 3.0).abs() < 1e-3, "after 2 s: {cart}");
}

#[test]
fn a_robot_that_is_carried_away_stands_there_as_it_stood_here() {
    let mut simulation = carried();
    advance(&mut simulation, 240);
    let before = simulation.truth().base_in_world;
    advance(&mut simulation, 260);
    let after = simulation.truth().base_in_world;
    let (_, _, yaw) = after.rotation.euler_angles();
    assert!((after.translation.x + 4.0).abs() < 0.02 && (after.translation.y - 3.0).abs() < 0.02, "{after}");
    assert!((yaw - 2.0).abs() < 0.02, "yaw {yaw} rad");
    assert!((after.translation.z - before.translation.z).abs() < 0.005, "it stands as high as before");
}

#[test]
fn both_survive_a_snapshot() {
    let mut whole = carried();
    advance(&mut whole, 200);
    let saved = whole.snapshot();
    advance(&mut whole, 200);
    let mut other = carried();
    other.restore(&saved).unwrap();
    advance(&mut other, 200);
    assert_eq!(other.digest(), whole.digest());
}
