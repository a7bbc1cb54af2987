//! The same start gives the same run, to the bit, also through a snapshot.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use nalgebra::Vector3;
use plant::{Push, Setup, Simulation};
use proptest::prelude::*;
use robot_io::{Digest, Pose2, StateWriter, Time, first_difference};
use support::{active, centaur, hold, shipped};

/// The centaur on rough ground, driving, and pushed in between.
fn simulation(seed: u64) -> Simulation {
    let world = shipped("spacebot");
    let start = world.spawns[0].clone();
    let setup = Setup { seed, spawn: Pose2 { x: start.x, y: start.y, yaw: start.yaw }, ..Setup::default() };
    let mut simulation = active(&world, &centaur(), &setup);
    let commands = hold(&simulation, Some(0.5));
    simulation.command(&commands).unwrap();
    simulation.push(Push {
        link: 0,
        point_in_link: Vector3::new(0.1, 0.0, 0.2),
        force_in_world: Vector3::new(30.0, 120.0, 0.0),
        until: Time::from_seconds(1.2),
    });
    simulation
}

/// Goes on for so many cycles; the digest of each.
fn digests(simulation: &mut Simulation, cycles: usize) -> Vec<Digest> {
    let mut digests = Vec::new();
    for _ in 0..cycles {
        (0..simulation.steps_per_cycle()).for_each(|_| simulation.step());
        digests.push(simulation.digest());
    }
    digests
}

#[test]
fn two_runs_of_two_seconds_are_the_same() {
    assert_eq!(digests(&mut simulation(7), 500), digests(&mut simulation(7), 500));
}

#[test]
fn another_seed_is_another_run() {
    assert_ne!(digests(&mut simulation(7), 3), digests(&mut simulation(8), 3));
}

#[test]
fn a_run_through_a_snapshot_is_the_run_without() {
    let mut whole = simulation(7);
    let before = digests(&mut whole, 250);
    let saved = whole.snapshot();
    let expected = digests(&mut whole, 250);

    // the seed is no part of a snapshot's state, so the run that continues must be made with the same one
    let mut fresh = simulation(7);
    fresh.restore(&saved).unwrap();
    assert_eq!(fresh.digest(), before[249]);
    assert_eq!(fresh.snapshot(), saved, "a restored snapshot saves the same bytes");
    assert_eq!(digests(&mut fresh, 250), expected);

    // and going back in the same simulation
    whole.restore(&saved).unwrap();
    assert_eq!(digests(&mut whole, 250), expected);
}

#[test]
fn with_movable_objects_too() {
    let object = "[[object]]\nname = \"crate\"\nbox = { size = [0.3, 0.9, 0.3] }\nplace = [0.9, 0.0]\nmass = 2.0\n\
                  material = \"concrete\"";
    let world = support::world("concrete", object);
    let begin = || {
        let mut simulation = active(&world, &centaur(), &Setup::default());
        let commands = hold(&simulation, Some(0.6));
        simulation.command(&commands).unwrap();
        simulation
    };
    let mut whole = begin();
    digests(&mut whole, 150);
    let saved = whole.snapshot();
    let expected = digests(&mut whole, 350);
    let mut fresh = begin();
    fresh.restore(&saved).unwrap();
    assert_eq!(digests(&mut fresh, 350), expected);
    let mut frame = plant::Frame::default();
    whole.frame(&mut frame);
    assert!(frame.objects_in_world[0].translation.x > 1.1, "the robot pushes the crate: {}", frame.objects_in_world[0]);
}

#[test]
fn a_flipped_bit_is_named() {
    let mut one = simulation(7);
    let mut two = simulation(7);
    digests(&mut one, 10);
    digests(&mut two, 10);
    let (_, _, mut plant) = plant::plug(one);
    let saved = StateWriter::save(&mut plant);
    let (_, _, mut other) = plant::plug(two);
    assert_eq!(first_difference(&mut other, &saved), None);
    let mut broken = saved.clone();
    let at = broken.len() / 2;
    broken[at] ^= 1;
    let difference = first_difference(&mut other, &broken).unwrap();
    assert!(difference.field.contains('/'), "{difference}");
}

#[test]
fn the_wrong_snapshot_is_refused_with_a_reason() {
    let saved = simulation(7).snapshot();
    let world = support::world("concrete", "");
    let mut other = Simulation::new(&world, &centaur(), &Setup::default()).unwrap();
    let before = other.digest();
    let error = other.restore(&saved).unwrap_err().to_string();
    assert!(error.contains("robot, world and set-up"), "{error}");
    let error = other.restore(b"MCAP").unwrap_err().to_string();
    assert!(error.contains("begin otherwise"), "{error}");
    assert_eq!(other.digest(), before, "a refused snapshot changes nothing");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_broken_snapshot_is_taken_or_panics(cut in 0.0..1.0, at in 0.0..1.0, bit in 0_u8..8, truncate: bool) {
        thread_local! {
            static SAVED: (std::cell::RefCell<Simulation>, Vec<u8>) = {
                let mut simulation = simulation(7);
                let saved = simulation.snapshot();
                (std::cell::RefCell::new(simulation), saved)
            };
        }
        SAVED.with(|(simulation, saved)| {
            let mut bytes = saved.clone();
            if truncate {
                bytes.truncate((cut * bytes.len() as f64) as usize);
            } else {
                let index = (at * bytes.len() as f64) as usize;
                bytes[index] ^= 1 << bit;
            }
            assert!(simulation.borrow_mut().restore(&bytes).is_err());
        });
    }
}
