//! Messages by topic, and what their schemas say that they hold.

use std::ops::ControlFlow;

use crate::cdr::Fields;
use crate::cloud::{Cloud, StampedPose};
use crate::error::Mismatch;
use crate::frames::Transform;
use crate::{CloudError, foxglove, ros};

/// A message is at most this large [bytes].
pub(crate) const LARGEST_MESSAGE: usize = 64 << 20;

/// A topic of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// The name of its messages' schema.
    pub schema: String,
    /// How they are written: `cdr`, `ros1`, `protobuf`, `json` …
    pub encoding: String,
    /// How many messages there are.
    pub messages: u64,
    /// When the first and the last of them were recorded [ns].
    pub recorded: (u64, u64),
}

/// What a topic's messages hold, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Points of a laser.
    Cloud,
    /// Where the robot is.
    Pose,
    /// Where frames are on the robot.
    Frames,
    /// Something else.
    Other,
}

/// A message of one of the topics asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Message<'a> {
    pub(crate) topic: &'a Topic,
    /// Counts the messages of this topic in its file, from 0.
    pub(crate) number: u64,
    pub(crate) data: &'a [u8],
}

/// Takes messages until it has enough.
pub(crate) type Take<'t> = dyn FnMut(Message) -> Result<ControlFlow<()>, CloudError> + 't;

/// How a message is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Cdr,
    Ros1,
    Protobuf,
    Json,
}

impl Topic {
    /// What its messages hold.
    pub fn content(&self) -> Content {
        match (self.encoding(), self.short_schema().as_str()) {
            (Some(Encoding::Cdr | Encoding::Ros1), "sensor_msgs/PointCloud2") => Content::Cloud,
            (Some(Encoding::Protobuf | Encoding::Json), "foxglove.PointCloud") => Content::Cloud,
            (Some(Encoding::Cdr | Encoding::Ros1), "nav_msgs/Odometry" | "geometry_msgs/PoseStamped") => Content::Pose,
            (Some(Encoding::Protobuf), "foxglove.Odometry" | "foxglove.PoseInFrame") => Content::Pose,
            (Some(Encoding::Cdr | Encoding::Ros1), "tf2_msgs/TFMessage") if self.is_static() => Content::Frames,
            (Some(Encoding::Protobuf), "foxglove.FrameTransform" | "foxglove.FrameTransforms") if self.is_static() => {
                Content::Frames
            }
            _ => Content::Other,
        }
    }

    /// For people: `/points (sensor_msgs/msg/PointCloud2, cdr, 120 messages)`.
    pub fn describe(&self) -> String {
        let Topic { name, schema, encoding, messages, .. } = self;
        let schema = if schema.is_empty() { "no schema" } else { schema };
        format!("{name} ({schema}, {encoding}, {messages} messages)")
    }

    /// Of transforms only those on a topic of static ones are believed to hold at all times.
    fn is_static(&self) -> bool {
        self.name.ends_with("static")
    }

    fn encoding(&self) -> Option<Encoding> {
        match self.encoding.as_str() {
            "cdr" => Some(Encoding::Cdr),
            "ros1" => Some(Encoding::Ros1),
            "protobuf" => Some(Encoding::Protobuf),
            "json" => Some(Encoding::Json),
            _ => None,
        }
    }

    /// ROS 2 has `msg/` between package and type, ROS 1 has not.
    fn short_schema(&self) -> String {
        self.schema.replace("/msg/", "/")
    }
}

impl Message<'_> {
    pub(crate) fn place(&self) -> String {
        format!("message {} of {}", self.number, self.topic.name)
    }

    fn ros(&self) -> Result<Fields<'_>, Mismatch> {
        if self.topic.encoding == "ros1" { Ok(Fields::ros1(self.data)) } else { Fields::cdr(self.data) }
    }

    pub(crate) fn cloud(&self) -> Result<Cloud, Mismatch> {
        match self.topic.encoding() {
            Some(Encoding::Protobuf) => foxglove::point_cloud(self.data),
            Some(Encoding::Json) => foxglove::point_cloud_json(self.data),
            _ => ros::point_cloud(self.ros()?),
        }
    }

    /// A pose, and the frame that moves if the message says it.
    pub(crate) fn pose(&self) -> Result<(StampedPose, Option<String>), Mismatch> {
        let named = |(pose, frame): (StampedPose, String)| (pose, Some(frame));
        match self.topic.short_schema().as_str() {
            "nav_msgs/Odometry" => ros::odometry(self.ros()?).map(named),
            "geometry_msgs/PoseStamped" => ros::pose_stamped(self.ros()?).map(|pose| (pose, None)),
            "foxglove.Odometry" => foxglove::odometry(self.data).map(named),
            _ => foxglove::pose_in_frame(self.data).map(|pose| (pose, None)),
        }
    }

    pub(crate) fn frames(&self) -> Result<Vec<Transform>, Mismatch> {
        match self.topic.schema.as_str() {
            "foxglove.FrameTransforms" => foxglove::transforms(self.data),
            "foxglove.FrameTransform" => foxglove::transform(self.data).map(|one| vec![one]),
            _ => ros::transforms(self.ros()?),
        }
    }
}
