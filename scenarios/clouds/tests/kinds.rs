//! Every kind of recording that is read says the same, and what is not read is named.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use clouds::{TimeOrigin, Wanted};
use robot_io::Time;
use support::{BEGIN, CLOUDS, Messages, PERIOD, POINTS, clouds_as, odometry, point, read, static_frames};

const ROS: &str = "sensor_msgs/msg/PointCloud2";
const FOXGLOVE: &str = "foxglove.PointCloud";

fn expect_all(path: &std::path::Path) {
    let (log, clouds) = read(path, &Wanted::default()).unwrap();
    assert_eq!(clouds.len() as u64, CLOUDS);
    let clock = log.clock().unwrap();
    assert_eq!((clock.field.as_str(), clock.unit, clock.origin), ("t", "ns", TimeOrigin::Stamp));
    for (number, cloud) in (0..).zip(&clouds) {
        assert_eq!((cloud.number, cloud.stamp), (number, Time::from_nanoseconds(BEGIN + number * PERIOD)));
        assert_eq!(cloud.points.len() as u32, POINTS - 1, "the one that is no number is left out");
        assert_eq!(cloud.points[7], point(7));
        assert!((clock.seconds(cloud)[7] - 0.014).abs() < 1e-9);
    }
    assert!((log.period() - 0.1).abs() < 1e-9);
}

#[test]
fn clouds_of_ros_and_foxglove_are_the_same_however_they_are_written_and_packed() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = [(ROS, "cdr"), ("sensor_msgs/PointCloud2", "ros1"), (FOXGLOVE, "protobuf"), (FOXGLOVE, "json")];
    for (schema, encoding) in kinds {
        for (name, compression) in [("plain", None), ("lz4", Some(mcap::Compression::Lz4))] {
            let path = folder.path().join(format!("{encoding}_{name}.mcap"));
            support::write_mcap(&path, &[clouds_as(schema, encoding)], compression);
            expect_all(&path);
        }
    }
    let bag = folder.path().join("bag");
    support::write_bag(&bag, &[clouds_as(ROS, "cdr")]);
    expect_all(&bag);
}

#[test]
fn kitti_folders_have_times_and_no_times_of_points() {
    let folder = tempfile::tempdir().unwrap();
    support::write_kitti(folder.path());
    let (log, clouds) = read(folder.path(), &Wanted::default()).unwrap();
    assert_eq!((clouds.len() as u64, clouds[2].stamp), (CLOUDS, Time::from_nanoseconds(2 * PERIOD)));
    assert!(log.clock().is_none() && log.truth_file().is_none());
    std::fs::write(folder.path().join("times.txt"), "0.0\n0.1\n").unwrap();
    let error = read(folder.path(), &Wanted::default()).unwrap_err().to_string();
    assert!(error.contains("times.txt") && error.contains("5 scans") && error.contains("found 2"), "{error}");
}

#[test]
fn odometry_moves_the_frame_that_it_tells_of() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let poses =
        (0..100).map(|step| (BEGIN + step * 10_000_000, odometry(BEGIN + step * 10_000_000, step as f64))).collect();
    let odometry: Messages = ("/odom", "nav_msgs/msg/Odometry", "cdr", poses);
    let frames: Messages = ("/tf_static", "tf2_msgs/msg/TFMessage", "cdr", vec![(0, static_frames())]);
    support::write_mcap(&path, &[clouds_as(ROS, "cdr"), odometry, frames], None);
    let (log, clouds) = read(&path, &Wanted::default()).unwrap();
    assert!(log.odometry().is_empty() && log.followed() == "lidar" && clouds[0].points[0] == point(0));
    let (log, clouds) = read(&path, &Wanted { needs_odometry: true, ..Wanted::default() }).unwrap();
    assert_eq!((log.odometry().len(), log.followed(), clouds[0].points[0][0]), (100, "base", point(0)[0] + 1.0));
    let lost = Wanted { frame: Some("moon".to_owned()), ..Wanted::default() };
    let error = read(&path, &lost).unwrap_err().to_string();
    assert!(error.contains("'moon'") && error.contains("base, lidar"), "{error}");
}

#[test]
fn several_topics_have_to_be_chosen_from_and_none_is_said_with_what_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let mut other = clouds_as(FOXGLOVE, "protobuf");
    other.0 = "/other";
    support::write_mcap(&path, &[clouds_as(ROS, "cdr"), other], None);
    let error = read(&path, &Wanted::default()).unwrap_err().to_string();
    assert!(error.contains("--topic") && error.contains("/points") && error.contains("/other"), "{error}");
    let (log, _) = read(&path, &Wanted { topic: Some("/other".to_owned()), ..Wanted::default() }).unwrap();
    assert_eq!(log.topic().schema, FOXGLOVE);
    let error = read(&path, &Wanted { topic: Some("/other".to_owned()), needs_odometry: true, ..Wanted::default() });
    assert!(error.unwrap_err().to_string().contains("a topic with odometry"));
    support::write_mcap(&path, &[("/image", "sensor_msgs/msg/Image", "cdr", vec![(0, vec![0])])], None);
    let error = read(&path, &Wanted::default()).unwrap_err().to_string();
    assert!(
        error.contains("a topic with clouds") && error.contains("/image (sensor_msgs/msg/Image, cdr, 1 messages)"),
        "{error}"
    );
}

#[test]
fn what_is_not_read_is_named_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, expected) in [
        ("a.bag", b"#ROSBAG V2.0\n".as_slice(), "a ROS 1 bag; `mcap convert"),
        ("a.las", b"LASF\0\0", "a LAS or LAZ file"),
        ("a.pcd", b"# .PCD v0.7", "a PCD file"),
        ("a.txt", b"hello", "a file that begins with [68, 65, 6c, 6c, 6f]"),
        ("a.bin", b"1234", "give the folder"),
        ("empty", b"", "an empty file"),
    ] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = read(&path, &Wanted::default()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("an MCAP file, a rosbag2 folder"), "{error}");
    }
    let bag = folder.path().join("bag");
    std::fs::create_dir_all(&bag).unwrap();
    std::fs::write(bag.join("metadata.yaml"), "  compression_format: zstd\n  compression_mode: FILE\n").unwrap();
    assert!(read(&bag, &Wanted::default()).unwrap_err().to_string().contains("packed by 'zstd'"));

    let killed = folder.path().join("killed");
    std::fs::create_dir_all(&killed).unwrap();
    std::fs::write(killed.join("killed_0.mcap"), b"").unwrap();
    let error = read(&killed, &Wanted::default()).unwrap_err().to_string();
    assert!(error.contains("killed_0.mcap and no metadata.yaml") && error.contains("give the file"), "{error}");
}
