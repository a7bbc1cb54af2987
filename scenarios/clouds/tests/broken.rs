//! Broken recordings are read as far as they are whole or refused by name; nothing panics and memory does not follow what is claimed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use clouds::{CloudError, Wanted};
use proptest::prelude::*;
use support::{BEGIN, Messages, clouds_as, odometry, read, static_frames};

const KINDS: [(&str, &str); 4] = [
    ("sensor_msgs/msg/PointCloud2", "cdr"),
    ("sensor_msgs/PointCloud2", "ros1"),
    ("foxglove.PointCloud", "protobuf"),
    ("foxglove.PointCloud", "json"),
];

/// Bytes to change: where, as a share of the whole, and to what.
fn changes() -> impl Strategy<Value = Vec<(f64, u8)>> {
    prop::collection::vec((0.0..1.0_f64, any::<u8>()), 1..6)
}

fn change(bytes: &mut [u8], changes: &[(f64, u8)]) {
    let length = bytes.len();
    for (share, byte) in changes {
        bytes[((share * length as f64) as usize).min(length - 1)] = *byte;
    }
}

fn with_odometry(kind: usize) -> Vec<Messages<'static>> {
    let (schema, encoding) = KINDS[kind];
    let odometry = ("/odom", "nav_msgs/msg/Odometry", "cdr", vec![(BEGIN, odometry(BEGIN, 1.0))]);
    let frames = ("/tf_static", "tf2_msgs/msg/TFMessage", "cdr", vec![(0, static_frames())]);
    vec![clouds_as(schema, encoding), odometry, frames]
}

fn names_the_file(result: Result<impl Sized, CloudError>, path: &std::path::Path) {
    let Err(error) = result else { return };
    assert!(error.to_string().contains(path.file_name().unwrap().to_str().unwrap()), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Messages whose bytes were changed, in a file that is sound.
    #[test]
    fn changed_messages_are_read_or_refused(kind in 0..4_usize, changes in changes(), cut in 0.0..1.0_f64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mcap");
        let mut topics = with_odometry(kind);
        for (_, _, _, messages) in &mut topics {
            change(&mut messages[0].1, &changes);
            if cut < 0.3 {
                let length = (3.0 * cut * messages[0].1.len() as f64) as usize;
                messages[0].1.truncate(length);
            }
        }
        support::write_mcap(&path, &topics, None);
        names_the_file(read(&path, &Wanted { needs_odometry: true, ..Wanted::default() }), &path);
        names_the_file(read(&path, &Wanted::default()), &path);
    }

    /// Files whose bytes were changed or cut off.
    #[test]
    fn changed_files_are_read_or_refused(lz4 in any::<bool>(), changes in changes(), cut in 0.5..2.0_f64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mcap");
        support::write_mcap(&path, &with_odometry(0), lz4.then_some(mcap::Compression::Lz4));
        let mut bytes = std::fs::read(&path).unwrap();
        change(&mut bytes, &changes);
        bytes.truncate((cut * bytes.len() as f64) as usize);
        std::fs::write(&path, bytes).unwrap();
        names_the_file(read(&path, &Wanted::default()), &path);
    }

    /// Databases whose bytes were changed.
    #[test]
    fn changed_databases_are_read_or_refused(changes in changes()) {
        let folder = tempfile::tempdir().unwrap();
        support::write_bag(folder.path(), &with_odometry(0));
        let path = folder.path().join("bag_0.db3");
        let mut bytes = std::fs::read(&path).unwrap();
        change(&mut bytes, &changes);
        std::fs::write(&path, bytes).unwrap();
        drop(read(folder.path(), &Wanted { needs_odometry: true, ..Wanted::default() }));
    }

    /// Bytes that nobody has written.
    #[test]
    fn any_message_is_read_or_refused(kind in 0..4_usize, bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mcap");
        let (schema, encoding) = KINDS[kind];
        support::write_mcap(&path, &[("/points", schema, encoding, vec![(BEGIN, bytes)])], None);
        names_the_file(read(&path, &Wanted::default()), &path);
    }
}

#[test]
fn a_message_that_claims_much_is_refused_with_its_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let mut topic = clouds_as("sensor_msgs/msg/PointCloud2", "cdr");
    // height and width stand behind header and frame
    topic.3[3].1[24..32].copy_from_slice(&[0xff; 8]);
    support::write_mcap(&path, &[topic], None);
    let error = read(&path, &Wanted::default()).unwrap_err().to_string();
    assert!(error.contains("run.mcap: message 3 of /points: expected at most 4000000 points"), "{error}");
}

#[test]
fn what_a_message_has_too_often_is_counted_and_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let (fields, frames) = ([0x2a, 0].repeat(1_000_000), [0x0a, 0].repeat(1_000_000));
    let frames = ("/tf_static", "foxglove.FrameTransforms", "protobuf", vec![(0, frames)]);
    support::write_mcap(&path, &[("/points", "foxglove.PointCloud", "protobuf", vec![(BEGIN, fields)])], None);
    let error = read(&path, &Wanted::default()).unwrap_err().to_string();
    assert!(error.contains("message 0 of /points: expected at most 256 fields of a point, found 1000000"), "{error}");
    support::write_mcap(&path, &[clouds_as("foxglove.PointCloud", "protobuf"), frames], None);
    let error = read(&path, &Wanted { frame: Some("base".to_owned()), ..Wanted::default() }).unwrap_err().to_string();
    assert!(error.contains("message 0 of /tf_static: expected at most 10000 frames, found 1000000"), "{error}");
}

#[test]
fn an_attachment_without_its_end_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    for length in 0..36_u8 {
        // times, name, media type and length are all zero, and behind them there is no room for the checksum
        let record = [[mcap::records::op::ATTACHMENT, length].as_slice(), &[0; 7], &vec![0; length.into()]].concat();
        std::fs::write(&path, [mcap::MAGIC, &record].concat()).unwrap();
        let error = read(&path, &Wanted::default()).unwrap_err().to_string();
        assert!(error.contains("run.mcap: before byte") && error.contains("an attachment without its end"), "{error}");
    }
}

#[test]
fn a_scan_of_kitti_that_was_cut_is_named() {
    let folder = tempfile::tempdir().unwrap();
    support::write_kitti(folder.path());
    std::fs::write(folder.path().join("velodyne/000003.bin"), [0; 30]).unwrap();
    let error = read(folder.path(), &Wanted::default()).unwrap_err().to_string();
    assert!(error.contains("000003.bin: length") && error.contains("found 30 bytes"), "{error}");
}

/// A recorder that was killed leaves a file without an end.
#[test]
fn a_recording_that_was_cut_is_read_as_far_as_it_goes_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    for compression in [None, Some(mcap::Compression::Lz4)] {
        support::write_mcap(&path, &with_odometry(0), compression);
        let whole = std::fs::read(&path).unwrap();
        let (log, clouds) = read(&path, &Wanted::default()).unwrap();
        assert!(!log.remarks().iter().any(|remark| remark.starts_with("cut off")), "{:?}", log.remarks());

        // summary and footer are missing, and then a part of the messages
        std::fs::write(&path, &whole[..whole.len() - 10]).unwrap();
        let (log, same) = read(&path, &Wanted::default()).unwrap();
        assert_eq!(same, clouds);
        let remark = format!("run.mcap ends in the middle of a record, after {} bytes", whole.len() - 10);
        assert!(log.remarks()[0].contains(&remark), "{:?}", log.remarks());

        let (mut before, mut fewest) = (clouds.len(), usize::MAX);
        for left in (1..40).rev().map(|share| share * whole.len() / 40) {
            std::fs::write(&path, &whole[..left]).unwrap();
            match read(&path, &Wanted::default()) {
                Ok((_, some)) => {
                    assert!(some.len() <= before && some[..] == clouds[..some.len()], "{left} bytes");
                    (before, fewest) = (some.len(), fewest.min(some.len()));
                }
                Err(error) => assert!(error.to_string().contains(&format!("after {left} bytes")), "{error}"),
            }
        }
        assert!(fewest < clouds.len(), "of {} clouds never fewer than {fewest}", clouds.len());
    }
}
