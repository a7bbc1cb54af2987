//! What was recorded comes back to the bit, and the log explains itself.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use foxglove::messages as fg;
use foxglove::{Decode, Encode};
use replay::{LogReader, LogWriter, Recorder, SceneEntity, SceneGeometry, SceneShape, channel};
use robot_io::{Commands, DummyRobot, Lifecycle, Pool, Readings, RobotIo, Severity, StateWriter, Time};

#[test]
fn every_reading_and_command_comes_back_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let (recorded, summary) = support::record(&path, 12, 900, 3);
    let log = LogReader::open(&path).unwrap();
    assert_eq!((summary.cycles, summary.bytes), (900, std::fs::metadata(&path).unwrap().len()));
    assert_eq!(log.cut(), None);
    let mut count = 0;
    for (cycle, (readings, commands)) in log.cycles().zip(&recorded) {
        let mut cycle = cycle.unwrap();
        assert!(cycle.answered && cycle.readings.status.lifecycle == Lifecycle::Active);
        assert_eq!(StateWriter::save(&mut cycle.readings), StateWriter::save(&mut readings.clone()), "cycle {count}");
        assert_eq!(StateWriter::save(&mut cycle.commands), StateWriter::save(&mut commands.clone()), "cycle {count}");
        count += 1;
    }
    assert_eq!((count, log.cycles().count()), (900, 900));
}

#[test]
fn the_header_brings_back_case_seed_and_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    support::record(&path, 3, 10, 3);
    let log = LogReader::open(&path).unwrap();
    assert_eq!(log.header(), &support::header(&support::layout(3)));
    assert_eq!(log.header().file("test_case.toml"), Some(b"world = \"flat\"\n".as_slice()));
    assert_eq!(log.header().meta("duration_s"), Some("60"));
}

#[test]
fn one_can_go_to_any_cycle_and_any_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let (recorded, _) = support::record(&path, 4, 1_200, 3);
    let log = LogReader::open(&path).unwrap();
    for cycle in [0, 1, 249, 250, 251, 700, 1_199] {
        let found = log.cycles_from(cycle).unwrap().next().unwrap().unwrap();
        assert_eq!(found.readings, recorded[cycle as usize].0);
        assert_eq!(log.cycle_at(Time::from_nanoseconds(cycle * 4_000_000)).unwrap(), Some(cycle));
    }
    assert!(log.cycles_from(1_200).unwrap().next().is_none());
    assert_eq!(log.cycle_at(Time::from_seconds(1e6)).unwrap(), None);
    assert_eq!(log.last_cycle().unwrap(), Some((1_199, Time::from_nanoseconds(1_199 * 4_000_000))));
}

#[test]
fn snapshots_digests_inputs_and_events_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let (recorded, _) = support::record(&path, 4, 600, 3);
    let log = LogReader::open(&path).unwrap();
    let snapshots = log.snapshots().unwrap();
    assert_eq!(snapshots.iter().map(|place| place.cycle).collect::<Vec<_>>(), [0, 250, 500]);
    let snapshot = log.snapshot(&snapshots[1], &Pool::default()).unwrap();
    let (state, pool) = support::state_of(250, &Pool::default());
    assert_eq!((snapshot.state.as_slice(), &snapshot.pool), (&state.words[..], &pool));
    assert_eq!(log.snapshot_before(499).unwrap().unwrap().cycle, 250);
    let digests = log.digests().unwrap();
    let (readings, commands) = &mut recorded[599].clone();
    let expected = support::digests(readings, commands).map(|(name, digest)| (name.to_owned(), digest));
    assert_eq!((digests.len(), digests[599].digests.as_slice()), (600, expected.as_slice()));
    let expected: Vec<_> = (0..600).flat_map(support::inputs).collect();
    assert_eq!(log.inputs().unwrap(), expected);
    let events = log.events().unwrap();
    assert_eq!((events.len(), events[0].severity), (6, Severity::Warning));
    assert_eq!(events[0].message, "safety_filter left_leg_joint_0: position clamped [rad] 2.5000, limit 2.0000");
    let frames: Vec<_> = log.frames().map(Result::unwrap).collect();
    assert_eq!((frames.len(), frames[150].inputs.len(), frames[151].inputs.len()), (600, 1, 0));
    assert!(frames.iter().all(|frame| frame.digests.len() == 2));
}

/// Decodes each message of a topic with the schema that its channel names.
fn decode_all<T: Decode + Encode>(log: &LogReader, topic: &str) -> Vec<T> {
    let decode = |message: replay::LogMessage| T::decode(message.data.as_slice()).unwrap_or_else(|_| panic!("{topic}"));
    log.messages(topic).unwrap().into_iter().map(decode).collect()
}

#[test]
fn what_people_look_at_is_there_at_fifty_hertz() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    support::record(&path, 4, 500, 3);
    let log = LogReader::open(&path).unwrap();
    let joints: Vec<fg::JointStates> = decode_all(&log, channel::JOINT_STATES);
    assert_eq!((joints.len(), joints[0].joints[3].name.as_str()), (100, "left_leg_joint_3"));
    assert_eq!(decode_all::<fg::JointStates>(&log, channel::JOINT_COMMANDS).len(), 100);
    let frames: Vec<fg::FrameTransforms> = decode_all(&log, channel::TF);
    assert_eq!((frames.len(), frames[9].transforms.len()), (100, 4));
    let truth: Vec<fg::PoseInFrame> = decode_all(&log, channel::TRUTH);
    assert_eq!(truth[50].pose.unwrap().position.unwrap().x, 1.0);
    let poses = log.truth().unwrap();
    assert_eq!((poses.len(), poses[50].1.translation.x), (truth.len(), 1.0));
    assert_eq!(decode_all::<fg::Odometry>(&log, channel::ODOMETRY).len(), 100);
    for topic in [channel::IMU, channel::TELEMETRY] {
        let messages = log.messages(topic).unwrap();
        assert_eq!(messages.len(), 100, "{topic}");
        messages.iter().for_each(|message| {
            serde_json::from_slice::<serde_json::Value>(&message.data).unwrap();
        });
    }
}

#[test]
fn the_file_is_mcap_as_its_reference_reader_sees_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    support::record(&path, 4, 500, 3);
    let bytes = std::fs::read(&path).unwrap();
    let summary = mcap::Summary::read(&bytes).unwrap().unwrap();
    let truth = summary.channels.values().find(|channel| channel.topic == channel::TRUTH).unwrap();
    assert_eq!(truth.metadata["source"], "truth");
    assert_eq!(truth.schema.as_ref().unwrap().name, "foxglove.PoseInFrame");
    let io = summary.channels.values().find(|channel| channel.topic == channel::IO).unwrap();
    let words = String::from_utf8(io.schema.as_ref().unwrap().data.to_vec()).unwrap();
    assert!(words.contains("f64 readings/joints/left_leg_joint_2/position\n"), "{words}");
    let messages: Result<Vec<_>, _> = mcap::MessageStream::new(&bytes).unwrap().collect();
    assert_eq!(messages.unwrap().iter().filter(|message| message.channel.topic == channel::IO).count(), 500);
}

#[test]
fn the_same_run_makes_the_same_file() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (folder.path().join("a.mcap"), folder.path().join("b.mcap"));
    support::record(&a, 6, 700, 3);
    support::record(&b, 6, 700, 3);
    assert!(std::fs::read(&a).unwrap() == std::fs::read(&b).unwrap());
}

#[test]
fn a_cycle_that_nobody_answers_is_recorded_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let layout = support::layout(2);
    let log = LogWriter::create(&path, &support::header(&layout)).unwrap();
    let mut robot = Recorder::new(DummyRobot::new(layout.clone()), log.clone());
    let (mut readings, mut commands) = (Readings::new(&layout), Commands::new(&layout));
    robot.bring_up().unwrap();
    for cycle in 0..3 {
        robot.read(&mut readings).unwrap();
        if cycle != 1 {
            support::answer(&readings, &mut commands);
            robot.write(&commands).unwrap();
        }
    }
    log.finish().unwrap();
    let answered: Vec<bool> = LogReader::open(&path).unwrap().cycles().map(|cycle| cycle.unwrap().answered).collect();
    assert_eq!(answered, [true, false, true]);
}

#[test]
fn a_scene_is_there_with_its_shapes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let log = LogWriter::create(&path, &support::header(&support::layout(1))).unwrap();
    let shape = |geometry| SceneShape { shape_in_frame: nalgebra::Isometry3::identity(), geometry, color: [1.0; 4] };
    let points = vec![nalgebra::Point3::origin(); 3];
    let shapes = vec![
        shape(SceneGeometry::Box { size: nalgebra::Vector3::new(1.0, 2.0, 3.0) }),
        shape(SceneGeometry::Cylinder { radius: 0.1, length: 0.4 }),
        shape(SceneGeometry::Mesh { points, triangles: vec![[0, 1, 2]] }),
    ];
    log.scene(&[SceneEntity { id: "base".to_owned(), frame: "base".to_owned(), shapes }]).unwrap();
    log.finish().unwrap();
    let scenes: Vec<fg::SceneUpdate> = decode_all(&LogReader::open(&path).unwrap(), channel::SCENE);
    let entity = &scenes[0].entities[0];
    assert_eq!(entity.cubes[0].size.unwrap().y, 2.0);
    assert_eq!((entity.cylinders[0].size.unwrap().x, entity.triangles[0].indices.len()), (0.2, 3));
}

#[test]
fn a_finished_log_takes_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let log = LogWriter::create(&path, &support::header(&support::layout(1))).unwrap();
    log.finish().unwrap();
    let error = log.digests(0, &[]).unwrap_err();
    assert!(error.to_string().ends_with("run.mcap: the log is finished; nothing can be added"), "{error}");
}
