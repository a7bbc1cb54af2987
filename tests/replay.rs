//! A log is its run: it verifies, a flipped bit is named, a cut log verifies up to the cut, a fork leaves it where told.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

use replay::{BitFlip, tamper};
use robot_io::Time;
use scenarios::progress::Progress;
use scenarios::recording::{Fork, Recording, Verification, controllers_only, fork, verify};
use scenarios::run_log::RunLog;
use scenarios::runner::Runner;
use scenarios::{Case, Library, Staffing, Stage};
use support::root;

/// A short recorded run in which somebody pushes the robot.
fn record(folder: &Path, seconds: f64) -> PathBuf {
    let library = Library::at(root());
    let mut case = Case::load(&library, "centaur_pushed").unwrap();
    case.duration = Time::from_seconds(seconds);
    let stage = Stage::load(&library, case).unwrap();
    let path = folder.join("run.mcap");
    let log = RunLog::create(&path, &stage, false).unwrap();
    Runner::new(&stage, Staffing::default(), Some(log)).unwrap().run(&mut Progress::silent()).unwrap();
    path
}

fn verified(path: &Path) -> Verification {
    verify(&Recording::open(path).unwrap(), 1, &mut Progress::silent()).unwrap()
}

#[test]
fn a_log_verifies_as_a_whole_and_its_controllers_alone() {
    let folder = tempfile::tempdir().unwrap();
    let log = record(folder.path(), 3.0);
    let whole = verified(&log);
    assert_eq!((whole.cycles, whole.divergence), (750, None));
    let controllers = controllers_only(&Recording::open(&log).unwrap(), &mut Progress::silent()).unwrap();
    assert_eq!((controllers.cycles, controllers.divergence), (750, None));
}

#[test]
fn one_flipped_bit_in_a_reading_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let log = record(folder.path(), 1.0);
    let spoiled = folder.path().join("spoiled.mcap");
    let field = "readings/joints/front_left_knee_pitch/position".to_owned();
    tamper(&log, &spoiled, &BitFlip::Word { cycle: 100, field, bit: 0 }).unwrap();
    let divergence = verified(&spoiled).divergence.unwrap();
    assert_eq!(divergence.cycle, 100);
    assert!(divergence.to_string().contains("front_left_knee_pitch/position"), "{divergence}");
    assert_eq!(replay::diff(&log, &spoiled).unwrap().unwrap().cycle, 100);
}

#[test]
fn one_flipped_bit_in_a_push_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let log = record(folder.path(), 2.5);
    let spoiled = folder.path().join("spoiled.mcap");
    tamper(&log, &spoiled, &BitFlip::Input { index: 0, value: 3, bit: 5 }).unwrap();
    let divergence = verified(&spoiled).divergence.unwrap();
    assert_eq!(divergence.cycle, 500, "the push at 2 s");
    assert!(divergence.to_string().contains("push"), "{divergence}");
}

#[test]
fn a_log_that_was_cut_verifies_up_to_the_cut() {
    let folder = tempfile::tempdir().unwrap();
    let log = record(folder.path(), 4.0);
    let bytes = std::fs::read(&log).unwrap();
    std::fs::write(&log, &bytes[..bytes.len() * 2 / 3]).unwrap();
    let verification = verified(&log);
    assert_eq!(verification.divergence, None);
    assert!(verification.cut.is_some());
    assert!((250..1000).contains(&verification.cycles), "{} cycles", verification.cycles);
}

#[test]
fn a_fork_with_the_same_seed_is_the_same_run_and_with_another_it_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::open(&record(folder.path(), 2.0)).unwrap();
    let mut whole = recording.session(0).unwrap();
    while whole.readings().time < Time::from_seconds(1.99) {
        whole.cycle().unwrap();
    }
    let forked = |seed| {
        let change = Fork { at: Time::from_seconds(1.2), seed, settings: Vec::new() };
        let stage = change.stage(&recording).unwrap();
        let mut runner = fork(&recording, &stage, change.at, || Ok(None)).unwrap();
        while runner.session().readings().time < Time::from_seconds(1.99) {
            runner.cycle().unwrap();
        }
        runner.session().digest()
    };
    assert_eq!(forked(None), whole.digest());
    assert_ne!(forked(Some(99)), whole.digest());
}

#[test]
fn the_log_of_a_fork_verifies_from_where_it_begins() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::open(&record(folder.path(), 2.0)).unwrap();
    let settings = vec!["locomotion.body.gain=0.3".to_owned()];
    let change = Fork { at: Time::from_seconds(1.2), seed: Some(99), settings };
    let stage = change.stage(&recording).unwrap();
    let path = folder.path().join("fork.mcap");
    let log = || RunLog::create(&path, &stage, false).map(Some);
    fork(&recording, &stage, change.at, log).unwrap().run(&mut Progress::silent()).unwrap();
    let whole = verified(&path);
    assert_eq!((whole.cycles, whole.divergence), (200, None));
    let controllers = controllers_only(&Recording::open(&path).unwrap(), &mut Progress::silent()).unwrap();
    assert_eq!((controllers.cycles, controllers.divergence), (200, None));
}
