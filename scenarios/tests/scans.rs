//! A run that takes its scans from a log: they come cycle by cycle, are recorded again, and the new log explains itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::path::{Path, PathBuf};

use replay::LogReader;
use robot_io::{StateWriter, Time};
use scenarios::progress::Progress;
use scenarios::recording::{Fork, Recording, fork, verify};
use scenarios::run_log::RunLog;
use scenarios::runner::Runner;
use scenarios::{Case, Library, Staffing, Stage};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn stage(seed: u64, seconds: f64, sensors: &[&str]) -> Stage {
    let library = Library::at(&root());
    let mut case = Case::load(&library, "centaur_drives_flat").unwrap();
    (case.seed, case.duration) = (seed, Time::from_seconds(seconds));
    case.sensors = sensors.iter().map(|sensor| (*sensor).to_owned()).collect();
    Stage::load(&library, case).unwrap()
}

fn run(stage: &Stage, path: &Path) -> LogReader {
    let log = RunLog::create(path, stage, false).unwrap();
    let mut runner = Runner::new(stage, Staffing::default(), Some(log)).unwrap();
    while !runner.is_over() {
        runner.cycle().unwrap();
    }
    runner.finish().unwrap();
    LogReader::open(path).unwrap()
}

/// Each cycle's scan, to the bit.
fn scans(log: &LogReader) -> Vec<Option<Vec<u8>>> {
    let scan = |cycle: replay::Cycle| cycle.readings.scans[0].clone().map(|scan| StateWriter::save(&mut scan.open()));
    log.cycles().map(|cycle| scan(cycle.unwrap())).collect()
}

#[test]
fn a_run_sees_what_another_saw_until_that_ends() {
    let folder = tempfile::tempdir().unwrap();
    let first = run(&stage(2, 0.4, &["laser"]), &folder.path().join("first.mcap"));
    let own = run(&stage(3, 0.6, &["laser"]), &folder.path().join("own.mcap"));
    let seeing = stage(3, 0.6, &["laser"]).seeing(&first).unwrap();
    let path = folder.path().join("second.mcap");
    let second = run(&seeing, &path);
    let (before, after) = (scans(&first), scans(&second));
    assert_eq!(before.iter().flatten().count(), 16);
    assert_eq!((&after[..100], after[100..].iter().flatten().count()), (&before[..], 0));
    assert_ne!(scans(&own)[..100], before[..], "with its own laser it would have seen something else");

    let recording = Recording::open(&path).unwrap();
    let verified = verify(&recording, 1, &mut Progress::silent()).unwrap();
    assert_eq!((verified.cycles, verified.divergence), (150, None));
    let at = Time::from_seconds(0.2);
    let forked = Fork { at, ..Fork::default() }.stage(&recording).unwrap();
    let mut runner = fork(&recording, &forked, at, || Ok(None)).unwrap();
    runner.cycle().unwrap();
    let cycle = runner.session().readings().cycle as usize;
    let seen = runner.session().readings().scans[0].clone().map(|scan| StateWriter::save(&mut scan.open()));
    assert_eq!(seen, after[cycle], "cycle {cycle}");
}

#[test]
fn scans_of_another_robot_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let blind = run(&stage(2, 0.02, &[]), &folder.path().join("blind.mcap"));
    let message = stage(2, 1.0, &["laser"]).seeing(&blind).unwrap_err().to_string();
    assert!(message.ends_with("lasers of the recorded robot: expected [laser], as in this run, found []"), "{message}");
}

#[test]
fn a_real_bus_without_anybody_who_sees_is_refused() {
    let mut stage = stage(2, 1.0, &["laser"]);
    stage.case.plant = scenarios::case::PlantKind::EtherCat("none".to_owned());
    let message = stage.plant().unwrap_err().to_string();
    assert!(message.contains("expected a scenario whose sensors are on the bus, found 'laser'"), "{message}");
}
