//! The channels of a log: topic, encoding, schema, and what they say of themselves.

use std::collections::BTreeMap;

use foxglove::Encode;
use foxglove::messages as fg;
use robot_io::{LaserLayout, RobotLayout};

use crate::Cycle;
use crate::names::name_words;
use crate::sensors::{Sensor, sensors};

/// Full-rate, bit-exact readings and commands.
pub const IO: &str = "/io";
/// Digest per component and cycle.
pub const DIGEST: &str = "/digest";
/// The complete state, each second.
pub const SNAPSHOT: &str = "/snapshot";
/// The contents of sealed values that snapshots refer to, each once.
pub const CONTENTS: &str = "/snapshot/contents";
/// Everything that changes the future.
pub const INPUTS: &str = "/inputs";
/// What happened, for people.
pub const EVENTS: &str = "/events";
/// Frames.
pub const TF: &str = "/tf";
/// Measured joints.
pub const JOINT_STATES: &str = "/joint_states";
/// Commanded joints.
pub const JOINT_COMMANDS: &str = "/joint_commands";
/// The first inertial measurement unit; others are at `/imu/NAME`.
pub const IMU: &str = "/imu";
/// Where the robot believes it is.
pub const ODOMETRY: &str = "/odometry";
/// Where it is.
pub const TRUTH: &str = "/truth/base";
/// The path that it follows.
pub const PATH: &str = "/path";
/// Where the robot believes it is on its map.
pub const SLAM_POSE: &str = "/slam/pose";
/// Each sweep of the laser, its motion undone.
pub const LIDAR_POINTS: &str = "/lidar/points";
/// Shapes of robot and world.
pub const SCENE: &str = "/scene";
/// Anything worth plotting.
pub const TELEMETRY: &str = "/telemetry";

/// Each joint minus its shadow, in runs with a twin.
pub const TWIN_RESIDUAL: &str = "/twin/residual";

/// The active states of statecharts.
pub const BEHAVIOUR: &str = "/behaviour";

/// What each component of a controller read and did, so that it can do it again alone.
pub const COMPONENTS: &str = "/components";

/// What the replay of a whole run does not need, most of it for people; below the last three there are several.
pub const SHOWN: [&str; 17] = [
    COMPONENTS,
    BEHAVIOUR,
    TF,
    JOINT_STATES,
    JOINT_COMMANDS,
    IMU,
    ODOMETRY,
    TRUTH,
    PATH,
    SLAM_POSE,
    LIDAR_POINTS,
    SCENE,
    TELEMETRY,
    TWIN_RESIDUAL,
    "/map",
    "/plan",
    "/layers",
];

/// A channel before it is written.
#[derive(Clone, Debug)]
pub(crate) struct ChannelPlan {
    pub(crate) topic: String,
    pub(crate) encoding: String,
    pub(crate) schema: foxglove::Schema,
    pub(crate) metadata: BTreeMap<String, String>,
}

/// The place of a channel in [`plan`], which is its number in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Id {
    Io,
    Digest,
    Snapshot,
    Contents,
    Inputs,
    Events,
    Tf,
    JointStates,
    JointCommands,
    Odometry,
    Truth,
    Path,
    Scene,
    Telemetry,
    /// The first of as many as there are inertial measurement units; behind them those of lasers and cameras.
    Imu,
}

/// The channel of a topic that is copied byte by byte.
pub(crate) fn id_of(topic: &str) -> Id {
    match topic {
        DIGEST => Id::Digest,
        SNAPSHOT => Id::Snapshot,
        CONTENTS => Id::Contents,
        INPUTS => Id::Inputs,
        _ => Id::Events,
    }
}

/// All channels of a robot's log, in the order of [`Id`].
pub(crate) fn plan(layout: &RobotLayout) -> Vec<ChannelPlan> {
    let mut channels = vec![
        binary(IO, "chiron.Cycle", cycle_schema(layout)),
        json(DIGEST, "chiron.Digests", DIGEST_SCHEMA),
        binary(SNAPSHOT, "chiron.Snapshot", SNAPSHOT_LAYOUT.to_owned()),
        binary(CONTENTS, "chiron.Contents", CONTENTS_LAYOUT.to_owned()),
        json(INPUTS, "chiron.Input", INPUT_SCHEMA),
        foxglove_channel::<fg::Log>(EVENTS, ""),
        foxglove_channel::<fg::FrameTransforms>(TF, ""),
        foxglove_channel::<fg::JointStates>(JOINT_STATES, "measured: position [rad or m], velocity, effort"),
        foxglove_channel::<fg::JointStates>(
            JOINT_COMMANDS,
            "commanded: position [rad or m], velocity, feed-forward effort",
        ),
        foxglove_channel::<fg::Odometry>(ODOMETRY, "estimated from the robot's own sensors"),
        foxglove_channel::<fg::PoseInFrame>(TRUTH, "truth of the simulation; no controller sees it"),
        foxglove_channel::<fg::PosesInFrame>(PATH, "the path being followed, in the odometry frame"),
        foxglove_channel::<fg::SceneUpdate>(SCENE, "shapes of robot and world"),
        json(TELEMETRY, "chiron.Telemetry", TELEMETRY_SCHEMA),
    ];
    for (index, sensor) in layout.imus.iter().enumerate() {
        let topic = if index == 0 { IMU.to_owned() } else { format!("{IMU}/{}", sensor.name) };
        let mut channel = json(&topic, "chiron.Imu", IMU_SCHEMA);
        channel.metadata.insert("sensor".to_owned(), sensor.name.clone());
        channel.metadata.insert("frame_id".to_owned(), sensor.frame.clone());
        channels.push(channel);
    }
    channels.extend(sensors(layout).into_iter().map(|(sensor, topic)| sensor_channel(sensor, &topic, layout)));
    if let Some(truth) = channels.get_mut(Id::Truth as usize) {
        truth.metadata.insert("source".to_owned(), "truth".to_owned());
    }
    channels
}

/// The channel of a laser's scans or a camera's pictures. Its metadata has what the messages have no field for.
fn sensor_channel(sensor: Sensor, topic: &str, layout: &RobotLayout) -> ChannelPlan {
    let (mut channel, name, about) = match sensor {
        Sensor::Laser(index) => {
            let LaserLayout { name, geometry, .. } = &layout.lasers[index];
            let meaning = "every scan, each distance rounded to [mm]; infinite where nothing came back";
            (foxglove_channel::<fg::LaserScan>(topic, meaning), name, serde_json::to_string(geometry))
        }
        Sensor::Camera(index) => {
            let camera = &layout.cameras[index];
            let channel = foxglove_channel::<fg::RawImage>(topic, "every picture, rgb8");
            (channel, &camera.name, serde_json::to_string(camera))
        }
        Sensor::DepthCamera(index) => {
            let camera = &layout.depth_cameras[index];
            let meaning =
                "every picture: distance along the optical axis [mm], 16UC1, little-endian; 0 where there is none";
            (foxglove_channel::<fg::RawImage>(topic, meaning), &camera.name, serde_json::to_string(camera))
        }
    };
    channel.metadata.insert("sensor".to_owned(), name.clone());
    channel.metadata.insert("layout".to_owned(), about.unwrap_or_default());
    channel
}

/// The channel of a twin's residuals, which stands behind all others in logs that have it.
pub(crate) fn twin() -> ChannelPlan {
    foxglove_channel::<fg::JointStates>(TWIN_RESIDUAL, "robot minus shadow: position [rad or m], velocity, effort")
}

/// The channel of what components noted, which comes with the first notes.
pub(crate) fn notes_channel() -> ChannelPlan {
    binary(COMPONENTS, "chiron.Components", COMPONENTS_LAYOUT.to_owned())
}

/// The channel of a behaviour's states, which comes with the first of them.
pub(crate) fn behaviour_channel() -> ChannelPlan {
    json(BEHAVIOUR, "chiron.Behaviour", BEHAVIOUR_SCHEMA)
}

fn binary(topic: &str, schema: &str, text: String) -> ChannelPlan {
    let schema = foxglove::Schema::new(schema, "text", text.into_bytes());
    ChannelPlan { topic: topic.to_owned(), encoding: "chiron".to_owned(), schema, metadata: BTreeMap::new() }
}

fn json(topic: &str, schema: &str, text: &'static str) -> ChannelPlan {
    let schema = foxglove::Schema::new(schema, "jsonschema", text.as_bytes());
    ChannelPlan { topic: topic.to_owned(), encoding: "json".to_owned(), schema, metadata: BTreeMap::new() }
}

pub(crate) fn foxglove_channel<T: Encode>(topic: &str, meaning: &str) -> ChannelPlan {
    let schema = T::get_schema().unwrap_or_else(|| foxglove::Schema::new("", "", Vec::new()));
    let mut metadata = BTreeMap::new();
    if !meaning.is_empty() {
        metadata.insert("meaning".to_owned(), meaning.to_owned());
    }
    ChannelPlan { topic: topic.to_owned(), encoding: T::get_message_encoding(), schema, metadata }
}

/// What the words of a cycle are, one a line, so that the log can be read without this program.
fn cycle_schema(layout: &RobotLayout) -> String {
    let mut text = String::from(CYCLE_LAYOUT);
    for (index, word) in name_words(&mut Cycle::new(layout), layout).iter().enumerate() {
        let kind = if word.integer { "u64" } else { "f64" };
        text.push_str(&format!("{index} {kind} {}\n", word.path));
    }
    text
}

const CYCLE_LAYOUT: &str = "\
A message packs n 64-bit words: u8 kind (1 = stands alone, 0 = continues the message before it in the same chunk); \
u32 n; then per 8 words a mask byte, and for each set bit, lowest first, a head byte (high nibble z, low nibble k) and \
k bytes. All little-endian. Word i = expected[i] xor (k bytes as integer << 8*z), or expected[i] where the bit is \
clear. expected[i] is zero in a message that stands alone, else w + d where the words before it advanced twice by the \
same d (wrapping), else w, the last word. After the last word listed come the digests of the scans and pictures that \
arrived in the cycle, the first last. The words, in order, without operator input:\n";

const SNAPSHOT_LAYOUT: &str = "\
u64 cycle; u32 n; n times u64, the digests of the contents on /snapshot/contents that it refers to; then the program's \
opaque state. All little-endian.";

const CONTENTS_LAYOUT: &str = "\
u64 digest; u32 n; n times u64, the digests of the contents directly in it; then its words. All little-endian.";

const COMPONENTS_LAYOUT: &str = "\
Words packed as those of /io. For each call of a component in the cycle, in their order: its number, counted from 0 as they were added; \
the call (0 start, 1 resume, 2 update, 3 may it pause); n; n words of what it found; the digests of what it wrote and asked for, of its \
joints' commands, of all leases, and in every 25th cycle of its state, else 0. What it found: the cycle counted from 1, the time; of \
each stream that it reads the cycle in which it was written, 1 and the value or 0 if it was noted before, and where it reads what was \
there before, that cycle and, if it is another, that value; of each queue the number of unread messages and each; the leases; for each \
joint 0, or 1 and its command if it has been told something else in this cycle than in the last.";

const DIGEST_SCHEMA: &str = r#"{"type":"object","title":"chiron.Digests","description":"digest of the complete state of each component in one cycle, as 16 hexadecimal digits","properties":{"cycle":{"type":"integer"},"digests":{"type":"object","additionalProperties":{"type":"string"}}}}"#;

const INPUT_SCHEMA: &str = r#"{"type":"object","title":"chiron.Input","description":"something that changes the future","properties":{"cycle":{"type":"integer"},"kind":{"type":"string"},"name":{"type":"string"},"values":{"type":"array","items":{"type":"number"},"description":"for people; `bits` has them exactly"},"bits":{"type":"string","description":"the values' raw bits, 16 hexadecimal digits each"},"bytes":{"type":"string","description":"hexadecimal"}}}"#;

const TELEMETRY_SCHEMA: &str = r#"{"type":"object","title":"chiron.Telemetry","description":"numbers worth plotting, by name with unit","additionalProperties":{"type":"number"}}"#;

const BEHAVIOUR_SCHEMA: &str = r#"{"type":"object","title":"chiron.Behaviour","description":"the active states of statecharts, one for each region, whenever they change","properties":{"active":{"type":"array","items":{"type":"object","properties":{"state":{"type":"string","description":"from the outside to the inside, chart/state"},"told":{"type":"string"},"since":{"type":"number","description":"[s]"},"because":{"type":"string"}}}}}}"#;

const IMU_SCHEMA: &str = r#"{"type":"object","title":"chiron.Imu","description":"as sensor_msgs/Imu: attitude [x y z w], angular velocity [rad/s], specific force [m/s^2], in the sensor frame","properties":{"stamp":{"type":"number"},"orientation":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"},"w":{"type":"number"}}},"angular_velocity":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}}},"linear_acceleration":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number"},"z":{"type":"number"}}}}}"#;

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn each_channel_stands_where_its_number_says() {
        let channels = plan(&RobotLayout::example());
        let at = |id: Id| channels[id as usize].topic.as_str();
        assert_eq!((at(Id::Io), at(Id::Tf), at(Id::Telemetry), at(Id::Imu)), (IO, TF, TELEMETRY, IMU));
        assert_eq!(channels[Id::Truth as usize].metadata.get("source").unwrap(), "truth");
    }

    #[test]
    fn json_schemas_are_json() {
        for channel in plan(&RobotLayout::example()).iter().filter(|channel| channel.encoding == "json") {
            let schema: serde_json::Value = serde_json::from_slice(&channel.schema.data).unwrap();
            assert_eq!(schema["type"], "object", "{}", channel.topic);
        }
    }
}
