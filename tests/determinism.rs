//! The same case and seed is the same run: twice, on any number of workers, and after a snapshot.
#![allow(clippy::unwrap_used, reason = "tests")]

use replay::LoggedSnapshot;
use robot_io::{Digest, Time};
use scenarios::session::{Session, Snapshot};
use scenarios::{Case, Library, Staffing, Stage};
use support::root;

/// The busiest scenario that ships: rough ground, slopes, a deadline task, all skills.
const CASE: &str = "centaur_crosses_spacebot";

/// The same with a laser, a map of megabytes, and three kinds of slow work under way at once.
const MAPPING: &str = "centaur_blocked_path";

fn stage(seed: u64) -> Stage {
    stage_of(CASE, seed)
}

fn stage_of(case: &str, seed: u64) -> Stage {
    let library = Library::at(root());
    let mut case = Case::load(&library, case).unwrap();
    case.seed = seed;
    Stage::load(&library, case).unwrap()
}

fn session(stage: &Stage, workers: usize) -> Session {
    Session::start(stage.assemble(Staffing { workers, ..Staffing::default() }).unwrap()).unwrap()
}

fn run_until(session: &mut Session, end: Time) -> Vec<Digest> {
    let mut digests = Vec::new();
    while digests.is_empty() || session.readings().time < end {
        session.cycle().unwrap();
        digests.push(session.digest());
    }
    digests
}

fn seconds(seconds: f64) -> Time {
    Time::from_seconds(seconds)
}

#[test]
fn two_runs_are_the_same_in_every_cycle_on_any_number_of_workers() {
    let stage = stage(6);
    let inline = run_until(&mut session(&stage, 0), seconds(6.0));
    for workers in [1, 2] {
        let digests = run_until(&mut session(&stage, workers), seconds(6.0));
        let first = inline.iter().zip(&digests).position(|(a, b)| a != b);
        assert_eq!(first, None, "first cycle that differs with {workers} workers");
    }
}

#[test]
fn a_robot_that_maps_and_navigates_is_the_same_on_any_number_of_workers() {
    let stage = stage_of(MAPPING, 8);
    let inline = run_until(&mut session(&stage, 0), seconds(16.0));
    for workers in [1, 2] {
        let digests = run_until(&mut session(&stage, workers), seconds(16.0));
        let first = inline.iter().zip(&digests).position(|(a, b)| a != b);
        assert_eq!(first, None, "first cycle that differs with {workers} workers");
    }
}

#[test]
fn another_seed_is_another_run() {
    let one = run_until(&mut session(&stage(6), 0), seconds(0.5));
    let other = run_until(&mut session(&stage(7), 0), seconds(0.5));
    assert_ne!(one.last(), other.last());
}

fn assert_goes_on_from_a_snapshot(stage: &Stage, taken: Time, end: Time) {
    let mut whole = session(stage, 1);
    run_until(&mut whole, taken);
    let saved = whole.snapshot();
    let (bytes, pool) = (saved.to_bytes().unwrap(), saved.pool().clone());
    let expected = run_until(&mut whole, end);

    let snapshot = Snapshot::from_log(LoggedSnapshot { state: bytes.clone(), pool }, root()).unwrap();
    let mut restored = session(stage, 1);
    restored.restore(&snapshot).unwrap();
    assert_eq!(restored.snapshot().to_bytes().unwrap(), bytes, "what was restored is what was saved");
    let digests = run_until(&mut restored, end);
    let first = expected.iter().zip(&digests).position(|(a, b)| a != b);
    assert_eq!(first, None, "first cycle that differs after the snapshot");
}

#[test]
fn a_run_restored_from_a_snapshot_goes_on_as_if_nothing_had_happened() {
    assert_goes_on_from_a_snapshot(&stage(6), seconds(2.0), seconds(4.0));
}

/// In the middle of a sweep, with a map, a plan and slow work under way.
#[test]
fn a_robot_that_maps_and_navigates_goes_on_from_a_snapshot_too() {
    assert_goes_on_from_a_snapshot(&stage_of(MAPPING, 8), seconds(11.3), seconds(16.0));
}

/// Work is asked for, taken and judged in some cycles only, and a snapshot may fall just before any of them.
#[test]
fn a_snapshot_goes_on_whichever_cycle_it_falls_before() {
    const EVERY: usize = 7;
    let stage = stage_of(MAPPING, 8);
    let mut whole = session(&stage, 1);
    run_until(&mut whole, seconds(9.0));
    let mut restored = session(&stage, 1);
    while whole.readings().time < seconds(24.0) {
        let saved = whole.snapshot();
        let at = whole.next_cycle();
        let logged = LoggedSnapshot { state: saved.to_bytes().unwrap(), pool: saved.pool().clone() };
        let snapshot = Snapshot::from_log(logged, root()).unwrap();
        // one that knows nothing, and one that comes from another cycle
        let mut fresh = session(&stage, 1);
        for other in [&mut fresh, &mut restored] {
            other.restore(&snapshot).unwrap();
        }
        for _ in 0..EVERY {
            whole.cycle().unwrap();
            for other in [&mut fresh, &mut restored] {
                other.cycle().unwrap();
                assert_eq!(other.digest(), whole.digest(), "cycle {} from cycle {at} on", whole.readings().cycle);
            }
        }
    }
}

#[test]
fn going_back_in_the_same_session_gives_the_same_future() {
    let stage = stage(6);
    let mut session = session(&stage, 0);
    run_until(&mut session, seconds(1.0));
    let snapshot = session.snapshot();
    let expected = run_until(&mut session, seconds(2.5));
    session.restore(&snapshot).unwrap();
    assert_eq!(run_until(&mut session, seconds(2.5)), expected);
}

#[test]
fn a_snapshot_that_was_cut_or_spoiled_is_refused_or_restores_without_a_panic() {
    let stage = stage(6);
    let mut session = session(&stage, 0);
    run_until(&mut session, seconds(0.1));
    let bytes = session.snapshot().to_bytes().unwrap();
    for length in (0..bytes.len()).step_by(bytes.len() / 40) {
        let cut = LoggedSnapshot { state: bytes[..length].to_vec(), ..LoggedSnapshot::default() };
        assert!(Snapshot::from_log(cut, root()).is_err(), "{length} of {} bytes", bytes.len());
    }
}
