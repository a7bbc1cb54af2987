//! Scans and pictures have channels of their own, and come back into the readings to the bit.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

mod support;

use std::path::Path;

use foxglove::messages as fg;
use foxglove::{Decode, Encode};
use replay::{BitFlip, LogReader, LogWriter, Recorder, Replay, Value, diff, tamper};
use robot_io::{Clock, Readings, RobotIo, StateWriter};

const RAW: &str = "/lidar/raw";

fn record(path: &Path, cycles: u64) -> Vec<Readings> {
    let (recorded, _) = support::record_as(path, support::sensing_layout(2), cycles, 3);
    recorded.into_iter().map(|(readings, _)| readings).collect()
}

/// The whole contents, not their digests.
fn bits(readings: &Readings) -> Vec<u8> {
    StateWriter::save(&mut readings.clone())
}

#[test]
fn scans_and_pictures_come_back_to_the_bit_in_their_cycles() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let recorded = record(&path, 600);
    let scans = recorded.iter().filter(|readings| readings.scans[0].is_some()).count();
    assert_eq!(scans, 95, "one every 25 ms but for the first");
    let log = LogReader::open(&path).unwrap();
    let mut cycles = log.cycles();
    for readings in &recorded {
        let cycle = cycles.next_cycle().unwrap().unwrap();
        assert_eq!(bits(&cycle.readings), bits(readings), "cycle {}", readings.cycle);
    }
    for (frame, readings) in log.frames().zip(&recorded) {
        assert_eq!(bits(&frame.unwrap().cycle.readings), bits(readings), "cycle {}", readings.cycle);
    }
    let late = log.cycles_from(333).unwrap().next().unwrap().unwrap();
    assert_eq!(bits(&late.readings), bits(&recorded[333]));
}

#[test]
fn a_replay_gives_them_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let recorded = record(&path, 60);
    let log = LogReader::open(&path).unwrap();
    let (mut robot, mut clock) = Replay::new(&log).unwrap();
    let mut readings = Readings::new(log.layout());
    robot.bring_up().unwrap();
    for expected in &recorded {
        robot.read(&mut readings).unwrap();
        assert_eq!(bits(&readings), bits(expected));
        let _ = clock.advance();
    }
}

/// A scan makes no other word move, so the packing of the others is as good with it as without.
#[test]
fn scans_cost_the_words_of_a_cycle_little_more_than_their_digests() {
    let folder = tempfile::tempdir().unwrap();
    let (with, without) = (folder.path().join("with.mcap"), folder.path().join("without.mcap"));
    support::record_as(&with, support::sensing_layout(20), 500, 3);
    support::record(&without, 20, 500, 3);
    let words = |path: &Path| -> usize {
        let messages = LogReader::open(path).unwrap().messages("/io").unwrap();
        messages.iter().map(|message| message.data.len()).sum()
    };
    let more = words(&with) as f64 / words(&without) as f64 - 1.0;
    assert!(more < 0.02, "{:.1} % more", 100.0 * more);
}

fn decode_all<T: Decode + Encode>(log: &LogReader, topic: &str) -> Vec<T> {
    let decode = |message: replay::LogMessage| T::decode(message.data.as_slice()).unwrap_or_else(|_| panic!("{topic}"));
    log.messages(topic).unwrap().into_iter().map(decode).collect()
}

#[test]
fn public_tools_see_scans_in_metres_and_pictures_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap");
    let recorded = record(&path, 100);
    let log = LogReader::open(&path).unwrap();
    let scans: Vec<fg::LaserScan> = decode_all(&log, RAW);
    let ours: Vec<_> = recorded.iter().filter_map(|readings| readings.scans[0].as_ref()).collect();
    assert_eq!((scans.len(), scans[0].frame_id.as_str()), (ours.len(), "laser_link"));
    assert_eq!((scans[1].start_angle, scans[1].end_angle), (-2.356, ours[1].geometry.angle(1080)));
    assert_eq!(scans[1].ranges[0], f64::INFINITY, "nothing came back");
    assert_eq!(scans[1].ranges[500], f64::from(ours[1].ranges[500]) / 1000.0);
    assert_eq!(scans[1].timestamp.unwrap().nsec(), 25_000_000);
    let images: Vec<fg::RawImage> = decode_all(&log, "/camera/front/image");
    let ours: Vec<_> = recorded.iter().filter_map(|readings| readings.images[0].as_ref()).collect();
    assert_eq!((images[2].data.as_ref(), images[2].encoding.as_str()), (ours[2].rgb.as_slice(), "rgb8"));
    let depths: Vec<fg::RawImage> = decode_all(&log, "/camera/front/depth");
    let ours: Vec<_> = recorded.iter().filter_map(|readings| readings.depth_images[0].as_ref()).collect();
    assert_eq!((depths[0].encoding.as_str(), depths[0].step, depths.len()), ("16UC1", 16, ours.len()));
    assert_eq!(depths[0].data[2..4], ours[0].depths[1].to_le_bytes());
}

#[test]
fn a_flipped_bit_of_a_distance_is_found_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bad) = (folder.path().join("run.mcap"), folder.path().join("bad.mcap"));
    let recorded = record(&path, 300);
    let cycle = recorded.iter().rposition(|readings| readings.scans[0].is_some()).unwrap() as u64;
    let field = "readings/scans/laser/ranges[540]".to_owned();
    tamper(&path, &bad, &BitFlip::Word { cycle, field, bit: 3 }).unwrap();
    let found = diff(&path, &bad).unwrap().unwrap();
    assert_eq!((found.cycle, found.component.as_str()), (cycle, "readings"));
    assert_eq!(found.field, "scans/laser/ranges[540]");
    let (Value::Integer(was), Value::Integer(is)) = (&found.recorded, &found.now) else { panic!("{found}") };
    assert_eq!(was ^ is, 8);
    let field = "commands/take_image/front".to_owned();
    tamper(&path, &bad, &BitFlip::Word { cycle, field, bit: 0 }).unwrap();
    let found = diff(&path, &bad).unwrap().unwrap();
    assert_eq!((found.component.as_str(), found.field.as_str()), ("commands", "take_image/front"));
}

#[test]
fn a_scan_that_only_one_of_two_runs_has_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("run.mcap"), folder.path().join("other.mcap"));
    record(&path, 100);
    let log = LogWriter::create(&other, &support::header(&support::sensing_layout(2))).unwrap();
    let mut robot = Recorder::new(Blind(support::NoisyRobot::new(support::sensing_layout(2), 3)), log.clone());
    let mut readings = Readings::new(robot.layout());
    robot.bring_up().unwrap();
    (0..100).for_each(|_| robot.read(&mut readings).unwrap());
    log.finish().unwrap();
    // nobody answers the blind robot; the readings come first all the same
    let found = diff(&path, &other).unwrap().unwrap();
    assert_eq!((found.cycle, found.field.as_str()), (0, "answered"), "{found}");
}

/// A robot whose laser sees nothing.
struct Blind(support::NoisyRobot);

impl RobotIo for Blind {
    robot_io::delegate_robot_io!(0: layout, lifecycle, transition, write);

    fn read(&mut self, readings: &mut Readings) -> Result<(), robot_io::IoError> {
        self.0.read(readings)?;
        readings.scans.fill(None);
        Ok(())
    }
}

fn first_error(path: &Path) -> Option<String> {
    LogReader::open(path).unwrap().cycles().find_map(Result::err).map(|error| error.to_string())
}

#[test]
fn a_scan_that_is_not_the_recorded_one_is_named_with_its_laser() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bad) = (folder.path().join("run.mcap"), folder.path().join("bad.mcap"));
    record(&path, 60);
    support::rewrite(&path, &bad, |_, data| Some(data));
    assert_eq!(first_error(&bad), None, "a copy is as good");

    support::rewrite(&path, &bad, |topic, data| {
        let mut scan = (topic == RAW).then(|| fg::LaserScan::decode(data.as_slice()).unwrap());
        let changed = scan.as_mut().map(|scan| {
            scan.ranges[77] += 0.001;
            let mut data = Vec::new();
            scan.encode(&mut data).unwrap();
            data
        });
        Some(changed.unwrap_or(data))
    });
    let message = first_error(&bad).unwrap();
    assert!(message.contains("bad.mcap: damaged at chunk"), "{message}");
    assert!(message.contains("expected a scan of 'laser' with the digest"), "{message}");

    support::rewrite(&path, &bad, |topic, data| (topic != RAW).then_some(data));
    let message = first_error(&bad).unwrap();
    assert!(message.contains("found no scan of 'laser'"), "{message}");

    support::rewrite(&path, &bad, |topic, data| Some(if topic == RAW { vec![0xff; 9] } else { data }));
    let message = first_error(&bad).unwrap();
    assert!(message.contains("(/lidar/raw): expected a scan"), "{message}");
}

#[test]
fn a_scan_of_another_geometry_than_the_layouts_is_not_recorded() {
    let folder = tempfile::tempdir().unwrap();
    let mut layout = support::sensing_layout(1);
    let log = LogWriter::create(&folder.path().join("run.mcap"), &support::header(&layout)).unwrap();
    layout.lasers[0].geometry.max_range = 31.0;
    let mut robot = Recorder::new(support::NoisyRobot::new(layout.clone(), 3), log);
    let (mut readings, mut commands) = (Readings::new(&layout), robot_io::Commands::new(&layout));
    robot.bring_up().unwrap();
    let error = (0..20).find_map(|_| {
        robot.read(&mut readings).unwrap();
        support::answer(&readings, &mut commands);
        robot.write(&commands).err()
    });
    let message = error.unwrap().to_string();
    assert!(message.contains("scan of 'laser': expected") && message.contains("max_range: 31.0"), "{message}");
}
