//! Where the robot believes it is on its map and what it knows of the world, on topics that public tools draw.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use foxglove::messages as fg;
use foxglove::{Decode, Encode};
use nalgebra::{Isometry3, Point3, Vector3};
use replay::{LogReader, LogSummary, LogWriter, Recorder, channel};
use robot_io::{
    Commands, Edge, Grid, HeightMap, Layer, Localization, Marker, PointCloud, Pose2, PoseGraphView, Readings, RobotIo,
    Sealed, SurfelView, Telemetry, Time,
};

/// A sweep lasts so many cycles of 4 ms.
const SWEEP: u64 = 314;

/// A controller's mind: a pose in each cycle, a sweep of `points` points each turn, and all that a mapper draws.
struct Mind {
    telemetry: Telemetry,
    points: usize,
}

impl Mind {
    fn new(points: usize) -> Mind {
        Mind { telemetry: Telemetry::default(), points }
    }

    fn think(&mut self, cycle: u64, now: Time) -> &Telemetry {
        let base_in_map = Isometry3::translation(0.5 * now.seconds(), 1.0, 0.8);
        self.telemetry.localization = Some(Localization { stamp: now, base_in_map, ..Localization::default() });
        if cycle % SWEEP == 1 && cycle > 1 {
            self.telemetry.layers.retain(|(name, _)| *name == "local_path");
            let layers = layers(self.points, cycle, now);
            self.telemetry.layers.extend(layers);
        }
        &self.telemetry
    }
}

fn layers(points: usize, cycle: u64, now: Time) -> Vec<(&'static str, Layer)> {
    let wave = |i: usize| (i as f64 * 0.37 + cycle as f64).sin();
    let cloud = Sealed::new(PointCloud {
        stamp: now,
        frame: Cow::Borrowed("base_link"),
        points: (0..points).map(|i| [wave(i) as f32, wave(i + 1) as f32, 0.1]).collect(),
        times: (0..points).map(|i| -1.25 * (1.0 - i as f32 / points as f32)).collect(),
        intensities: Vec::new(),
    });
    let place = Isometry3::translation(1.0, 2.0, 0.0);
    let surfel = |i| SurfelView { position: Point3::new(wave(i), 1.0, 0.0), normal: Vector3::z(), radius: 0.1 };
    let nodes = vec![Isometry3::identity(), place, Isometry3::translation(2.0, 2.0, 0.0)];
    let edge = |from, to, closes_loop| Edge { from, to, closes_loop };
    let graph = PoseGraphView { nodes, edges: vec![edge(0, 1, false), edge(1, 2, false), edge(2, 0, true)] };
    let (cell, origin_x, origin_y, columns, rows) = (0.1, -1.0, -2.0, 30, 40);
    let heights = HeightMap { cell, origin_x, origin_y, columns, rows, heights: (0..1200).map(wave).collect() };
    let values = (0..1200).map(|i| if i % 7 == 0 { f32::NAN } else { wave(i) as f32 }).collect();
    let pose = Pose2 { x: 3.0, y: -1.0, yaw: 0.5 };
    vec![
        ("sweep", Layer::Cloud(cloud.clone(), place)),
        ("map_cloud", Layer::Cloud(cloud, place)),
        ("surfels", Layer::Surfels(Arc::new((0..100).map(surfel).collect()))),
        ("pose_graph", Layer::Graph(Arc::new(graph))),
        ("height_map", Layer::Heights(Sealed::new(heights))),
        ("cost_map", Layer::Grid(Arc::new(Grid { cell, origin_x, origin_y, columns, rows, values }))),
        ("global_path", Layer::Path(Arc::new(robot_io::Path { poses: vec![Pose2::default(), pose] }))),
        ("footprint", Layer::Outline(Arc::new(vec![[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]]))),
        ("navigation_markers", Layer::Markers(Arc::new(vec![Marker { label: "goal", pose }]))),
        ("frontiers", Layer::Markers(Arc::new(vec![Marker { label: "frontier", pose }]))),
    ]
}

fn record(path: &Path, cycles: u64, points: usize) -> LogSummary {
    let layout = support::sensing_layout(4);
    let log = LogWriter::create(path, &support::header(&layout)).unwrap();
    let mut robot = Recorder::new(support::NoisyRobot::new(layout.clone(), 3), log.clone());
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    let mut mind = Mind::new(points);
    robot.bring_up().unwrap();
    for cycle in 0..cycles {
        robot.read(&mut readings).unwrap();
        support::answer(&readings, &mut commands);
        robot.write(&commands).unwrap();
        log.mapping(mind.think(cycle, readings.time)).unwrap();
        support::show(&log, &readings);
    }
    log.finish().unwrap()
}

fn decode_all<T: Decode + Encode>(log: &LogReader, topic: &str) -> Vec<T> {
    let decode = |message: replay::LogMessage| T::decode(message.data.as_slice()).unwrap_or_else(|_| panic!("{topic}"));
    log.messages(topic).unwrap().into_iter().map(decode).collect()
}

#[test]
fn each_sweep_is_one_message_with_a_time_for_each_point() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    record(&path, 1_300, 1_000);
    let log = LogReader::open(&path).unwrap();
    let clouds: Vec<fg::PointCloud> = decode_all(&log, channel::LIDAR_POINTS);
    assert_eq!(clouds.len(), 4);
    let cloud = &clouds[1];
    let end = Time::from_nanoseconds((2 * SWEEP + 1) * 4_000_000);
    let stamp = cloud.timestamp.unwrap();
    assert_eq!(
        (u64::from(stamp.sec()), u64::from(stamp.nsec())),
        (end.nanoseconds() / 1_000_000_000, end.nanoseconds() % 1_000_000_000)
    );
    assert_eq!((cloud.frame_id.as_str(), cloud.point_stride), ("base_link", 16));
    let fields: Vec<_> = cloud.fields.iter().map(|field| (field.name.as_str(), field.offset, field.r#type)).collect();
    assert_eq!(fields, [("x", 0, 7), ("y", 4, 7), ("z", 8, 7), ("time", 12, 7)]);
    let time = |point: usize| f32::from_le_bytes(cloud.data[16 * point + 12..16 * point + 16].try_into().unwrap());
    assert_eq!((cloud.data.len(), time(0), time(500)), (16_000, -1.25, -0.625));
    assert_eq!(cloud.pose.unwrap().position.unwrap().x, 0.0, "its pose is on /slam/pose");
}

#[test]
fn the_pose_comes_at_fifty_hertz_and_at_each_sweeps_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    record(&path, 1_300, 100);
    let log = LogReader::open(&path).unwrap();
    let poses: Vec<fg::PoseInFrame> = decode_all(&log, channel::SLAM_POSE);
    assert!((260..=264).contains(&poses.len()), "{}", poses.len());
    assert!(poses.iter().all(|pose| pose.frame_id == "map"));
    let stamps: Vec<_> = poses.iter().map(|pose| pose.timestamp.unwrap()).collect();
    assert!(stamps.is_sorted_by(|a, b| (a.sec(), a.nsec()) < (b.sec(), b.nsec())), "none twice");
    for cloud in decode_all::<fg::PointCloud>(&log, channel::LIDAR_POINTS) {
        assert!(stamps.contains(&cloud.timestamp.unwrap()));
    }
}

#[test]
fn maps_and_plans_are_written_when_they_change_and_about_once_a_second() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    record(&path, 1_300, 100);
    let log = LogReader::open(&path).unwrap();
    assert_eq!(decode_all::<fg::PointCloud>(&log, "/map/cloud").len(), 4);
    let heights: Vec<fg::Grid> = decode_all(&log, "/map/heights");
    assert_eq!((heights.len(), heights[0].column_count, heights[0].data.len()), (4, 30, 4 * 1_200));
    assert!((heights[0].pose.unwrap().position.unwrap().x + 1.05).abs() < 1e-12, "a corner, not a middle");
    assert_eq!(decode_all::<fg::Grid>(&log, "/map/costs").len(), 4);
    let surfels: Vec<fg::PointCloud> = decode_all(&log, "/map/surfels");
    assert_eq!((surfels[0].fields[5].name.as_str(), surfels[0].point_stride), ("normal_z", 28));
    let graphs: Vec<fg::SceneUpdate> = decode_all(&log, "/map/graph");
    let graph = &graphs[0].entities[0];
    assert_eq!((graph.spheres.len(), graph.lines[0].points.len(), graph.lines[1].points.len()), (3, 4, 2));
    for same in ["/plan/global", "/plan/footprint", "/plan/markers", "/layers/frontiers"] {
        assert_eq!(log.messages(same).unwrap().len(), 1, "{same} does not change");
    }
}

#[test]
fn channels_that_begin_later_leave_the_rest_of_the_log_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let (path, plain) = (folder.path().join("run.mcap"), folder.path().join("plain.mcap"));
    record(&path, 700, 100);
    support::record_as(&plain, support::sensing_layout(4), 700, 3);
    let (log, plain) = (LogReader::open(&path).unwrap(), LogReader::open(&plain).unwrap());
    assert!(!plain.topics().contains(&channel::SLAM_POSE) && log.topics().contains(&"/map/graph"));
    assert_eq!(log.cycles().count(), 700);
    assert_eq!(log.frames().filter_map(Result::ok).count(), 700);
    let bytes = std::fs::read(&path).unwrap();
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let graph = summary.channels.values().find(|channel| channel.topic == "/map/graph").unwrap();
    assert_eq!(graph.schema.as_ref().unwrap().name, "foxglove.SceneUpdate");
}

/// Sweeps of 40 000 points each, as the centaur's laser gives them.
#[test]
fn what_mapping_adds_to_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let (path, plain) = (folder.path().join("run.mcap"), folder.path().join("plain.mcap"));
    let cycles = 10 * 250;
    let bytes = record(&path, cycles, 40_000).bytes;
    let (_, without) = support::record_as(&plain, support::sensing_layout(4), cycles, 3);
    let more = (bytes as f64 - without.bytes as f64) / 10.0;
    println!("mapping adds {:.2} MB per simulated second, scans included in both", more * 1e-6);
    assert!(more < 1.0e6, "{more}");
}
