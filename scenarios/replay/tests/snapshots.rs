//! Snapshots share what has not changed: its contents are in a log once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::collections::BTreeSet;
use std::sync::Arc;

use replay::{LogReader, LogWriter, channel};
use robot_io::{Keeper, Pool, Saved, Sealed, State, Time};

/// A map of 5 MB, sealed, in parts of 100 kB of which one changes each second.
#[derive(Default, State)]
struct Mapper {
    map: Sealed<Vec<Sealed<Vec<f64>>>>,
}

impl Mapper {
    fn at(second: usize) -> Mapper {
        let part = |part: usize| {
            let changed = if part <= second % 50 {
                second / 50 * 50 + part
            } else {
                (second / 50 * 50 + part).saturating_sub(50)
            };
            Sealed::new(
                (0..12_500).map(|i| ((i * 50 + part) as f64 + 1e6 * changed as f64).sqrt()).collect::<Vec<f64>>(),
            )
        };
        Mapper { map: Sealed::new((0..50).map(part).collect()) }
    }
}

fn save(mapper: &mut Mapper, known: &Pool) -> (Saved, Pool) {
    let mut keeper = Keeper::new(known);
    (keeper.save(mapper), keeper.finish())
}

/// Records a snapshot each second; returns what each added to the log [bytes].
fn record(path: &std::path::Path, seconds: u64) -> Vec<u64> {
    let layout = support::layout(1);
    let log = LogWriter::create(path, &support::header(&layout)).unwrap();
    let mut pool = Pool::default();
    let mut added = Vec::new();
    for second in 0..seconds {
        log.begin_cycle(250 * second, Time::from_seconds(second as f64)).unwrap();
        let (state, refers_to) = save(&mut Mapper::at(second as usize), &pool);
        added.push(log.snapshot(250 * second, &state.words, &refers_to).unwrap());
        pool = refers_to;
    }
    log.finish().unwrap();
    added
}

#[test]
fn a_map_of_5_mb_that_changes_by_100_kb_a_second_costs_100_kb_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let added = record(&path, 20);
    let size = std::fs::metadata(&path).unwrap().len();
    println!("first snapshot {} bytes, others {:?}, file {size} bytes", added[0], &added[1..]);
    assert!(added[0] > 5_000_000 && added[1..].iter().all(|bytes| *bytes < 102_000), "{added:?}");
    assert!(size < 7_500_000, "{size}");
    let log = LogReader::open(&path).unwrap();
    let (mut digests, contents) = (BTreeSet::new(), log.messages(channel::CONTENTS).unwrap());
    assert!(contents.iter().all(|message| digests.insert(message.data[..8].to_vec())), "each is there once");
    let mut known = Pool::default();
    for (second, place) in log.snapshots().unwrap().iter().enumerate() {
        let snapshot = log.snapshot(place, &known).unwrap();
        let (state, _) = save(&mut Mapper::at(second), &known);
        let mut restored = Mapper::default();
        snapshot.pool.restore(&mut restored, &state).unwrap();
        assert_eq!(restored.map.digest(), Mapper::at(second).map.digest(), "second {second}");
        known.extend(&snapshot.pool);
    }
}

#[test]
fn snapshots_that_are_read_together_share_their_contents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    record(&path, 3);
    let log = LogReader::open(&path).unwrap();
    let places = log.snapshots().unwrap();
    let first = log.snapshot(&places[0], &Pool::default()).unwrap();
    let second = log.snapshot(&places[1], &first.pool).unwrap();
    let shared = second.pool.iter().filter(|(digest, contents)| {
        first.pool.get(*digest).is_some_and(|known| Arc::ptr_eq(&known.words, &contents.words))
    });
    assert_eq!((shared.count(), second.pool.len()), (49, 51));
}

#[test]
fn contents_that_are_missing_are_named_by_their_digest() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let layout = support::layout(1);
    let log = LogWriter::create(&path, &support::header(&layout)).unwrap();
    let (state, pool) = save(&mut Mapper::at(0), &Pool::default());
    log.snapshot(0, &state.words, &pool).unwrap();
    log.finish().unwrap();
    let (gone, _) = pool.iter().next().unwrap();
    let log = LogReader::open(&support::without_message(&path, channel::CONTENTS, &gone.0.to_le_bytes())).unwrap();
    let message = log.snapshot(&log.snapshots().unwrap()[0], &Pool::default()).unwrap_err().to_string();
    assert!(message.contains("damaged at the snapshot of cycle 0"), "{message}");
    assert!(message.ends_with(&format!("found no contents of the sealed value {gone}")), "{message}");
}
