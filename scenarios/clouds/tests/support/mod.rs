//! Recordings as others write them, made byte by byte.
#![allow(
    dead_code,
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "each test uses its part"
)]

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use base64::Engine;
use clouds::{Cloud, CloudError, CloudLog, Wanted};

/// Clouds in each recording, and points in each cloud.
pub const CLOUDS: u64 = 5;
pub const POINTS: u32 = 50;
/// The first cloud's stamp and the time to the next [ns].
pub const BEGIN: u64 = 1_700_000_000_000_000_000;
pub const PERIOD: u64 = 100_000_000;

/// Point `index` of each cloud; the last one is no number.
pub fn point(index: u32) -> [f32; 3] {
    let x = index as f32;
    if index + 1 == POINTS { [f32::NAN, 0.0, 0.0] } else { [1.0 + x, 0.5 * x, -x] }
}

/// x y z as float32 and t as uint32 [ns]: 16 bytes for each point.
pub fn packed() -> Vec<u8> {
    let mut bytes = Vec::new();
    for index in 0..POINTS {
        point(index).iter().for_each(|at| bytes.extend_from_slice(&at.to_le_bytes()));
        bytes.extend_from_slice(&(index * 2_000_000).to_le_bytes());
    }
    bytes
}

/// CDR, little-endian, with the header, or ROS 1's encoding.
#[derive(Default)]
pub struct Cdr {
    bytes: Vec<u8>,
    is_ros1: bool,
}

impl Cdr {
    pub fn put<const N: usize>(&mut self, number: [u8; N]) {
        while !self.is_ros1 && !self.bytes.len().is_multiple_of(N) {
            self.bytes.push(0);
        }
        self.bytes.extend_from_slice(&number);
    }

    pub fn text(&mut self, text: &str) {
        let end = usize::from(!self.is_ros1);
        self.put(((text.len() + end) as u32).to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.resize(self.bytes.len() + end, 0);
    }

    fn header(&mut self, stamp: u64, frame: &str) {
        if self.is_ros1 {
            self.put(7_u32.to_le_bytes());
        }
        self.put(((stamp / 1_000_000_000) as u32).to_le_bytes());
        self.put(((stamp % 1_000_000_000) as u32).to_le_bytes());
        self.text(frame);
    }

    fn pose(&mut self, x: f64) {
        [x, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0].iter().for_each(|number: &f64| self.put(number.to_le_bytes()));
    }

    fn finish(self) -> Vec<u8> {
        if self.is_ros1 { self.bytes } else { [&[0, 1, 0, 0], self.bytes.as_slice()].concat() }
    }
}

pub fn point_cloud2(stamp: u64, is_ros1: bool) -> Vec<u8> {
    let mut message = Cdr { is_ros1, ..Cdr::default() };
    message.header(stamp, "lidar");
    [1, POINTS, 4].iter().for_each(|number: &u32| message.put(number.to_le_bytes()));
    for (place, (name, kind)) in [("x", 7_u8), ("y", 7), ("z", 7), ("t", 6)].into_iter().enumerate() {
        message.text(name);
        message.put((4 * place as u32).to_le_bytes());
        message.put([kind]);
        message.put(1_u32.to_le_bytes());
    }
    message.put([0]);
    message.put(16_u32.to_le_bytes());
    message.put((16 * POINTS).to_le_bytes());
    let data = packed();
    message.put((data.len() as u32).to_le_bytes());
    message.bytes.extend_from_slice(&data);
    message.put([0]);
    message.finish()
}

pub fn odometry(stamp: u64, x: f64) -> Vec<u8> {
    let mut message = Cdr::default();
    message.header(stamp, "odom");
    message.text("base");
    message.pose(x);
    message.finish()
}

/// The scanner 1 m ahead of the base.
pub fn static_frames() -> Vec<u8> {
    let mut message = Cdr::default();
    message.put(1_u32.to_le_bytes());
    message.header(0, "base");
    message.text("lidar");
    message.pose(1.0);
    message.finish()
}

/// A field of protobuf: bytes behind number and length.
pub fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [varint(u64::from(number) << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 127 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

pub fn foxglove(stamp: u64) -> Vec<u8> {
    let seconds = [vec![8], varint(stamp / 1_000_000_000), vec![16], varint(stamp % 1_000_000_000)].concat();
    let mut message = [field(1, &seconds), field(2, b"lidar"), vec![4 << 3 | 5, 16, 0, 0, 0]].concat();
    for (place, (name, kind)) in [("x", 7_u8), ("y", 7), ("z", 7), ("t", 5)].into_iter().enumerate() {
        let offset = [2 << 3 | 5, 4 * place as u8, 0, 0, 0];
        message.extend(field(5, &[field(1, name.as_bytes()), offset.to_vec(), vec![3 << 3, kind]].concat()));
    }
    message.extend(field(6, &packed()));
    message
}

pub fn foxglove_json(stamp: u64) -> Vec<u8> {
    let fields = [("x", 7), ("y", 7), ("z", 7), ("t", 5)].into_iter().enumerate();
    let fields: Vec<_> =
        fields.map(|(at, (name, kind))| serde_json::json!({"name": name, "offset": 4 * at, "type": kind})).collect();
    let data = base64::prelude::BASE64_STANDARD.encode(packed());
    let time = serde_json::json!({"sec": stamp / 1_000_000_000, "nsec": stamp % 1_000_000_000});
    serde_json::json!({"timestamp": time, "frame_id": "lidar", "point_stride": 16, "fields": fields, "data": data})
        .to_string()
        .into_bytes()
}

/// A topic: name, schema, encoding, and its messages with their times.
pub type Messages<'a> = (&'a str, &'a str, &'a str, Vec<(u64, Vec<u8>)>);

/// One of the kinds of clouds, on topic `/points`.
pub fn clouds_as(schema: &'static str, encoding: &'static str) -> Messages<'static> {
    let message = |stamp| match encoding {
        "protobuf" => foxglove(stamp),
        "json" => foxglove_json(stamp),
        other => point_cloud2(stamp, other == "ros1"),
    };
    let stamps = (0..CLOUDS).map(|number| BEGIN + number * PERIOD);
    ("/points", schema, encoding, stamps.map(|stamp| (stamp, message(stamp))).collect())
}

pub fn write_mcap(path: &Path, topics: &[Messages], compression: Option<mcap::Compression>) {
    let file = File::create(path).unwrap();
    // several chunks, as files of use have them
    let options = mcap::WriteOptions::new().compression(compression).chunk_size(Some(1 << 10));
    let mut writer = options.create(file).unwrap();
    for (name, schema, encoding, messages) in topics {
        let schema = writer.add_schema(schema, "", b"").unwrap();
        let channel_id = writer.add_channel(schema, name, encoding, &BTreeMap::new()).unwrap();
        for (sequence, (time, data)) in (0..).zip(messages) {
            let header = mcap::records::MessageHeader { channel_id, sequence, log_time: *time, publish_time: *time };
            writer.write_to_known_channel(&header, data).unwrap();
        }
    }
    writer.finish().unwrap();
}

/// A rosbag2 folder of the storage sqlite3.
pub fn write_bag(folder: &Path, topics: &[Messages]) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::write(
        folder.join("metadata.yaml"),
        "rosbag2_bagfile_information:\n  relative_file_paths:\n    - bag_0.db3\n  compression_mode: \"\"\n",
    )
    .unwrap();
    let database = rusqlite::Connection::open(folder.join("bag_0.db3")).unwrap();
    database.execute_batch("PRAGMA synchronous=OFF; PRAGMA journal_mode=MEMORY; CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT, offered_qos_profiles TEXT); CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB);").unwrap();
    for (id, (name, schema, encoding, messages)) in (1..).zip(topics) {
        let id: i64 = id;
        database.execute("INSERT INTO topics VALUES (?1, ?2, ?3, ?4, '')", (id, name, schema, encoding)).unwrap();
        for (time, data) in messages {
            let time = i64::try_from(*time).unwrap();
            database
                .execute("INSERT INTO messages(topic_id, timestamp, data) VALUES (?1, ?2, ?3)", (id, time, data))
                .unwrap();
        }
    }
}

pub fn write_kitti(folder: &Path) {
    std::fs::create_dir_all(folder.join("velodyne")).unwrap();
    let mut times = String::new();
    for number in 0..CLOUDS {
        let bytes: Vec<u8> = packed();
        std::fs::write(folder.join(format!("velodyne/{number:06}.bin")), bytes).unwrap();
        times.push_str(&format!("{:e}\n", 0.1 * number as f64));
    }
    std::fs::write(folder.join("times.txt"), times).unwrap();
}

/// All clouds of a recording.
pub fn read(path: &Path, wanted: &Wanted) -> Result<(CloudLog, Vec<Cloud>), CloudError> {
    let log = CloudLog::open(path, wanted)?;
    let mut clouds = Vec::new();
    log.clouds(&mut |cloud| {
        clouds.push(cloud);
        std::ops::ControlFlow::Continue(())
    })?;
    Ok((log, clouds))
}
