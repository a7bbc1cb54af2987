//! A log that was cut opens and is read up to the cut; a broken or foreign file is one clear error.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use replay::{LogError, LogReader};
use robot_io::Pool;

/// Where a log is until it is whole.
fn partial(path: &Path) -> PathBuf {
    path.with_added_extension(replay::PARTIAL)
}

/// Reads everything that a log has; how many cycles there were, or the first error.
fn read_all(path: &Path) -> Result<(u64, bool), LogError> {
    let log = LogReader::open(path)?;
    for place in log.snapshots()? {
        log.snapshot(&place, &Pool::default())?;
    }
    log.digests()?;
    log.inputs()?;
    log.events()?;
    for frame in log.frames() {
        frame?;
    }
    let mut cycles = 0;
    for cycle in log.cycles() {
        assert_eq!(cycle?.readings.cycle, cycles, "cycles come in order and none is missing");
        cycles += 1;
    }
    if let Some((last, time)) = log.last_cycle()? {
        assert_eq!(log.cycle_at(time)?, Some(last));
        log.cycles_from(last / 2)?.next();
    }
    Ok((cycles, log.cut().is_some()))
}

fn small_log(folder: &Path) -> (PathBuf, Vec<u8>) {
    let path = folder.join("whole.mcap");
    support::record_as(&path, support::sensing_layout(2), 600, 3);
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}

#[test]
fn a_log_cut_anywhere_is_read_up_to_its_last_chunk() {
    let folder = tempfile::tempdir().unwrap();
    let (_, bytes) = small_log(folder.path());
    let path = folder.path().join("cut.mcap");
    let (mut most, mut refused) = (0, 0);
    // steps that are odd and prime fall on heads, lengths, chunks, indices and the summary
    for length in
        (0..4_000).step_by(331).chain((4_000..bytes.len()).step_by(2_503)).chain(bytes.len() - 40..bytes.len())
    {
        std::fs::write(&path, &bytes[..length]).unwrap();
        match read_all(&path) {
            Ok((cycles, _)) => {
                assert!(cycles.is_multiple_of(250) || cycles == 600, "whole chunks: {cycles}");
                assert!(cycles >= most, "a longer file has no fewer cycles");
                most = cycles;
            }
            Err(LogError::Foreign { .. }) => refused += 1,
            Err(error) => panic!("cut at {length}: {error}"),
        }
    }
    assert_eq!(most, 600);
    assert!(refused > 1, "before the header's end it is no log yet");
}

#[test]
fn a_cut_says_where_and_how_much() {
    let folder = tempfile::tempdir().unwrap();
    let (_, bytes) = small_log(folder.path());
    let path = folder.path().join("cut.mcap");
    let length = bytes.len() * 3 / 4;
    std::fs::write(&path, &bytes[..length]).unwrap();
    let log = LogReader::open(&path).unwrap();
    let cut = log.cut().unwrap();
    assert_eq!(cut.at_byte + cut.lost_bytes, length as u64);
    assert!(cut.to_string().contains("of which"), "{cut}");
    assert!(log.cycles().count() >= 250);
}

#[test]
fn a_process_killed_at_once_leaves_what_it_had_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("killed.mcap");
    let layout = support::layout(2);
    let log = replay::LogWriter::create(&path, &support::header(&layout)).unwrap();
    // neither finished nor dropped, as after kill -9
    std::mem::forget(log);
    let message = LogReader::open(&path).unwrap_err().to_string();
    assert!(
        message.contains("of a run that did not end there is") && message.contains("killed.mcap.partial"),
        "{message}"
    );
    let log = LogReader::open(&partial(&path)).unwrap();
    assert_eq!((log.header().case.as_str(), log.cycles().count()), ("test_case", 0));
    assert_eq!(log.cut().unwrap().reason, "the file ends without a footer");
}

/// The victim of the next test: it records for ever if it is told where.
#[test]
fn records_until_killed() {
    let Some(path) = std::env::var_os("CHIRON_TEST_VICTIM_LOG") else { return };
    support::record(Path::new(&path), 20, 10_000_000, 3);
}

#[test]
fn a_log_cut_by_kill_9_opens_and_is_right_up_to_its_last_chunk() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("victim.mcap");
    let path = partial(&target);
    let mut victim = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "records_until_killed"])
        .env("CHIRON_TEST_VICTIM_LOG", &target)
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while std::fs::metadata(&path).map_or(0, |file| file.len()) < 3_000_000 {
        assert_eq!(victim.try_wait().unwrap(), None, "the victim records until it is killed");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    victim.kill().unwrap();
    victim.wait().unwrap();
    let log = LogReader::open(&path).unwrap();
    assert!(log.cut().is_some());
    let (cycles, _) = read_all(&path).unwrap();
    assert!(cycles >= 500 && log.digests().unwrap().len() as u64 == cycles, "{cycles}");
    let again = folder.path().join("again.mcap");
    support::record(&again, 20, cycles, 3);
    assert_eq!(replay::diff(&path, &again).unwrap(), None);
}

#[test]
fn foreign_files_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("foreign.mcap");
    for (contents, expected) in [
        (b"".as_slice(), "found an empty file"),
        (b"name = \"centaur\"\n".as_slice(), "expected the bytes [89, 4d, 43, 41, 50, 30, 0d, 0a] of an MCAP file"),
        (mcap::MAGIC, "expected the metadata record 'chiron'"),
    ] {
        std::fs::write(&path, contents).unwrap();
        let message = LogReader::open(&path).unwrap_err().to_string();
        assert!(message.contains(expected) && message.contains("foreign.mcap") && !message.contains('\n'), "{message}");
    }
    let missing = LogReader::open(&folder.path().join("no_such.mcap")).unwrap_err().to_string();
    assert!(missing.contains("no_such.mcap: cannot open"), "{missing}");
}

#[test]
fn a_log_of_another_format_is_refused_by_its_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.mcap");
    let about = [("format", "1"), ("program", "chiron 0.0.1")].map(|(key, value)| (key.to_owned(), value.to_owned()));
    let mut writer = mcap::Writer::new(std::fs::File::create(&path).unwrap()).unwrap();
    let record = mcap::records::Metadata { name: "chiron".to_owned(), metadata: about.into_iter().collect() };
    writer.write_metadata(&record).unwrap();
    writer.finish().unwrap();
    let message = read_all(&path).unwrap_err().to_string();
    assert!(message.contains("expected version 4") && message.contains("found version 1, of chiron"), "{message}");
}

#[test]
fn every_flipped_byte_of_a_whole_log_is_noticed() {
    let bytes = shared_log();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flipped.mcap");
    for place in (0..bytes.len()).step_by(bytes.len() / 1_500 + 1).chain(bytes.len() - 300..bytes.len()) {
        let mut flipped = bytes.to_vec();
        flipped[place] ^= 1 << (place % 8);
        std::fs::write(&path, &flipped).unwrap();
        let message = match LogReader::open(&path) {
            Ok(log) => panic!("byte {place} of {}: nothing noticed, cut {:?}", bytes.len(), log.cut()),
            Err(error) => error.to_string(),
        };
        assert!(message.contains("flipped.mcap") && message.contains("expected"), "byte {place}: {message}");
    }
}

#[test]
fn a_flipped_seed_in_a_log_that_was_cut_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut bytes) = small_log(folder.path());
    let key = b"case\x09\0\0\0";
    let place = bytes.windows(key.len()).position(|window| window == key).unwrap() + key.len();
    bytes[place] ^= 1;
    std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let message = LogReader::open(&path).unwrap_err().to_string();
    assert!(message.contains("damaged at metadata chiron"), "{message}");
}

#[test]
fn a_flipped_byte_in_a_chunk_or_an_attachment_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut bytes) = small_log(folder.path());
    let attached = bytes.windows(5).position(|window| window == b"world").unwrap();
    bytes[attached] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let message = LogReader::open(&path).unwrap_err().to_string();
    assert!(message.contains("damaged at attachment 'test_case.toml'"), "{message}");
    bytes[attached] ^= 1;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let message = read_all(&path).unwrap_err().to_string();
    assert!(message.contains("damaged at chunk"), "{message}");
}

#[test]
fn a_disk_that_is_full_is_an_error_of_the_recording() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let error = replay::LogWriter::create(full, &support::header(&support::layout(2)));
    let message = match error {
        Err(error) => error.to_string(),
        Ok(log) => log.finish().unwrap_err().to_string(),
    };
    assert!(message.contains("/dev/full: cannot write"), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..2_000), magic in any::<bool>()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("random.mcap");
        let head = if magic { mcap::MAGIC } else { &[] };
        std::fs::write(&path, [head, &bytes].concat()).unwrap();
        prop_assert!(read_all(&path).is_err());
    }
}

/// A small log, made once for all mutations.
fn shared_log() -> &'static [u8] {
    static LOG: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
    LOG.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("whole.mcap");
        support::record_as(&path, support::sensing_layout(1), 10, 3);
        std::fs::read(&path).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn mutated_logs_never_panic(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::of((any::<prop::sample::Index>(), 1_usize..200)),
    ) {
        let mut bytes = shared_log().to_vec();
        for (place, value) in &flips {
            let place = place.index(bytes.len());
            bytes[place] = *value;
        }
        if let Some((place, count)) = cut {
            let from = place.index(bytes.len());
            bytes.drain(from..bytes.len().min(from + count));
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mutated.mcap");
        std::fs::write(&path, &bytes).unwrap();
        if let Err(error) = read_all(&path) {
            let message = error.to_string();
            prop_assert!(message.contains("mutated.mcap") && message.contains("expected"), "{}", message);
        }
    }
}
