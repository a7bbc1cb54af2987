//! The first difference between two runs is named: cycle, component, field, both values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::path::Path;

use replay::{BitFlip, LogReader, Recomputed, Replay, Value, Verdict, Verifier, diff, header_differences, tamper};
use robot_io::{Clock, Commands, IoError, Readings, RobotIo};

const JOINTS: usize = 5;

fn flip_word(cycle: u64, field: &str, bit: u32) -> BitFlip {
    BitFlip::Word { cycle, field: field.to_owned(), bit }
}

/// Computes the run again beside the log.
fn verify(path: &Path, cycles: u64) -> Verdict {
    let log = LogReader::open(path).unwrap();
    let mut robot = support::NoisyRobot::new(log.layout().clone(), 3);
    let (mut readings, mut commands) = (Readings::new(log.layout()), Commands::new(log.layout()));
    let mut verifier = Verifier::new(&log);
    robot.bring_up().unwrap();
    for cycle in 0..cycles {
        robot.read(&mut readings).unwrap();
        readings.operator = support::operator(cycle);
        support::answer(&readings, &mut commands);
        let digests = support::digests(&mut readings, &mut commands);
        let inputs = support::inputs(cycle);
        let recomputed = Recomputed { readings: &readings, commands: &commands, digests: &digests, inputs: &inputs };
        if !verifier.check(&recomputed).unwrap() {
            break;
        }
    }
    verifier.finish().unwrap()
}

#[test]
fn a_run_computed_again_agrees() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    support::record(&path, JOINTS, 600, 3);
    assert_eq!(verify(&path, 600), Verdict { cycles: 600, divergence: None });
}

#[test]
fn one_flipped_bit_of_a_recorded_reading_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bad) = (folder.path().join("run.mcap"), folder.path().join("bad.mcap"));
    support::record(&path, JOINTS, 600, 3);
    tamper(&path, &bad, &flip_word(417, "readings/joints/left_leg_joint_2/velocity", 0)).unwrap();
    let verdict = verify(&bad, 600);
    let found = verdict.divergence.unwrap();
    assert_eq!((verdict.cycles, found.cycle, found.component.as_str()), (417, 417, "readings"));
    assert_eq!(found.field, "joints/left_leg_joint_2/velocity");
    let (Value::Number(was), Value::Number(is)) = (&found.recorded, &found.now) else { panic!("{found}") };
    assert_eq!(was.to_bits() ^ is.to_bits(), 1);
    assert!(
        found.to_string().starts_with("cycle 417 (1.668 s), readings, joints/left_leg_joint_2/velocity: recorded ")
    );
    assert_eq!(diff(&bad, &path).unwrap().unwrap().field, found.field);
    assert_eq!(diff(&path, &path).unwrap(), None);
}

#[test]
fn any_flipped_bit_of_any_word_is_found_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bad) = (folder.path().join("run.mcap"), folder.path().join("bad.mcap"));
    support::record(&path, 1, 70, 3);
    for (cycle, field, bit) in [
        (0, "readings/time", 3),
        (1, "readings/joints/left_leg_joint_0/status", 15),
        (65, "readings/operator/twist/yaw", 63),
        (31, "readings/imus/imu_0/orientation/w", 51),
        (32, "readings/contacts/wheel_7/touching", 0),
        (33, "commands/joints/left_leg_joint_0/damping", 7),
        (69, "commands/emergency_stop", 0),
    ] {
        tamper(&path, &bad, &flip_word(cycle, field, bit)).unwrap();
        let found = diff(&path, &bad).unwrap().unwrap_or_else(|| panic!("{field}"));
        let named = format!("{}/{}", found.component, found.field);
        assert_eq!((found.cycle, named.as_str()), (cycle, field));
    }
}

#[test]
fn one_flipped_bit_of_a_push_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bad) = (folder.path().join("run.mcap"), folder.path().join("bad.mcap"));
    support::record(&path, JOINTS, 300, 3);
    tamper(&path, &bad, &BitFlip::Input { index: 1, value: 2, bit: 40 }).unwrap();
    let found = verify(&bad, 300).divergence.unwrap();
    assert_eq!((found.cycle, found.component.as_str()), (150, "inputs"));
    assert_eq!(found.field, "push 'base' in cycle 150, value 2");
}

#[test]
fn a_field_that_does_not_exist_cannot_be_flipped() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bad) = (folder.path().join("run.mcap"), folder.path().join("bad.mcap"));
    support::record(&path, JOINTS, 10, 3);
    let error = tamper(&path, &bad, &flip_word(3, "readings/joints/tail/position", 0)).unwrap_err();
    assert!(error.to_string().contains("readings/joints/tail/position"), "{error}");
}

#[test]
fn two_seeds_part_in_the_first_cycle_and_two_lengths_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b", "c"].map(|name| folder.path().join(name));
    support::record(&paths[0], JOINTS, 300, 3);
    support::record(&paths[1], JOINTS, 300, 4);
    support::record(&paths[2], JOINTS, 280, 3);
    let seeds = diff(&paths[0], &paths[1]).unwrap().unwrap();
    assert_eq!((seeds.cycle, seeds.field.as_str()), (0, "joints/left_leg_joint_0/velocity"));
    let lengths = diff(&paths[0], &paths[2]).unwrap().unwrap();
    assert_eq!((lengths.cycle, lengths.component.as_str()), (280, "run"));
    assert_eq!(lengths.describe("a", "b"), "cycle 280 (1.120 s), run, length: a cycle 280, b nothing");
    assert_eq!(verify(&paths[0], 200).divergence.unwrap().cycle, 200, "a run that ends too early");
}

#[test]
fn a_cut_log_verifies_up_to_the_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    support::record(&path, JOINTS, 900, 3);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() * 2 / 3]).unwrap();
    assert!(LogReader::open(&path).unwrap().cut().is_some());
    let verdict = verify(&path, 900);
    assert!(verdict.divergence.is_none() && verdict.cycles >= 250, "{verdict:?}");
}

#[test]
fn headers_say_what_else_differs() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| folder.path().join(name));
    support::record(&paths[0], JOINTS, 1, 3);
    support::record(&paths[1], JOINTS + 1, 1, 3);
    let [a, b] = paths.map(|path| LogReader::open(&path).unwrap());
    assert_eq!(header_differences(&a, &b), ["the robots' layouts differ"]);
    assert!(header_differences(&a, &a).is_empty());
}

/// Runs the controller against the recorded readings.
fn replay_controller(path: &Path, gain: f64) -> (Replay, u64) {
    let log = LogReader::open(path).unwrap();
    let (mut robot, mut clock) = Replay::new(&log).unwrap();
    let (mut readings, mut commands) = (Readings::new(log.layout()), Commands::new(log.layout()));
    robot.bring_up().unwrap();
    let mut cycles = 0;
    loop {
        robot.read(&mut readings).unwrap();
        assert_eq!((readings.cycle, readings.time), (cycles, clock.now()));
        support::answer(&readings, &mut commands);
        if readings.cycle == 200 {
            commands.joints[3].damping *= gain;
        }
        robot.write(&commands).unwrap();
        cycles += 1;
        match clock.advance() {
            Ok(_) => {}
            Err(IoError::End) => break,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(robot.read(&mut readings), Err(IoError::End));
    (robot, cycles)
}

#[test]
fn recorded_readings_make_the_same_commands() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    support::record(&path, JOINTS, 400, 3);
    let (robot, cycles) = replay_controller(&path, 1.0);
    assert_eq!((cycles, robot.compared(), robot.divergence()), (400, 400, None));
}

#[test]
fn a_changed_controller_is_named_by_cycle_joint_and_field() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    support::record(&path, JOINTS, 400, 3);
    let (robot, _) = replay_controller(&path, 1.5);
    let found = robot.divergence().unwrap();
    assert_eq!((found.cycle, found.component.as_str()), (200, "commands"));
    assert_eq!(found.field, "joints/left_leg_joint_3/damping");
    assert_eq!((&found.recorded, &found.now), (&Value::Number(12.0), &Value::Number(18.0)));
}

#[test]
fn a_replay_can_begin_in_the_middle() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let (recorded, _) = support::record(&path, JOINTS, 400, 3);
    let log = LogReader::open(&path).unwrap();
    let (mut robot, clock) = Replay::from_cycle(&log, 333).unwrap();
    let mut readings = Readings::new(log.layout());
    robot.bring_up().unwrap();
    robot.read(&mut readings).unwrap();
    assert_eq!(readings, recorded[333].0);
    assert_eq!(clock.now(), readings.time);
}
