//! Messages of Foxglove, as protobuf and as JSON (<https://docs.foxglove.dev/docs/visualization/message-schemas>): of each what is
//! needed here, so that for the rest no memory is taken.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use nalgebra::Isometry3;
use prost::Message;
use prost::bytes::Bytes;
use serde::de::{Deserialize, Deserializer, Error};

use crate::cloud::{Cloud, StampedPose, pose, time};
use crate::error::{Mismatch, mismatch};
use crate::fields::{Field, Kind, MOST_FIELDS, Packed};
use crate::frames::{MOST_FRAMES, Transform};

/// `google.protobuf.Timestamp`, or a time in JSON. Its numbers are read wider than they should be, to see it if they are.
#[derive(serde::Deserialize, Message)]
struct Timestamp {
    #[prost(int64, tag = "1")]
    #[serde(alias = "seconds")]
    sec: i64,
    #[prost(uint64, tag = "2")]
    #[serde(alias = "nanos")]
    nsec: u64,
}

/// `foxglove.Pose`.
#[derive(serde::Deserialize, Message)]
#[serde(default)]
struct Pose {
    #[prost(message, required, tag = "1")]
    position: Vector,
    #[prost(message, required, tag = "2")]
    orientation: Vector,
}

/// `foxglove.Vector3` and `foxglove.Quaternion`.
#[derive(serde::Deserialize, Message)]
#[serde(default)]
struct Vector {
    #[prost(double, tag = "1")]
    x: f64,
    #[prost(double, tag = "2")]
    y: f64,
    #[prost(double, tag = "3")]
    z: f64,
    #[prost(double, tag = "4")]
    w: f64,
}

/// `foxglove.PointCloud`.
#[derive(serde::Deserialize, Message)]
struct PointCloud {
    #[prost(message, required, tag = "1")]
    timestamp: Timestamp,
    #[prost(string, tag = "2")]
    frame_id: String,
    #[prost(message, required, tag = "3")]
    #[serde(default)]
    pose: Pose,
    #[prost(fixed32, tag = "4")]
    point_stride: u32,
    #[prost(message, repeated, tag = "5")]
    fields: Vec<PackedElementField>,
    #[prost(bytes = "bytes", tag = "6")]
    #[serde(deserialize_with = "base64")]
    data: Bytes,
}

/// `foxglove.PackedElementField`.
#[derive(serde::Deserialize, Message)]
struct PackedElementField {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(fixed32, tag = "2")]
    offset: u32,
    #[prost(uint64, tag = "3")]
    r#type: u64,
}

/// `foxglove.Odometry`.
#[derive(Message)]
struct Odometry {
    #[prost(message, required, tag = "1")]
    timestamp: Timestamp,
    #[prost(string, tag = "3")]
    body_frame_id: String,
    #[prost(message, required, tag = "4")]
    pose: Pose,
}

/// `foxglove.PoseInFrame`.
#[derive(Message)]
struct PoseInFrame {
    #[prost(message, required, tag = "1")]
    timestamp: Timestamp,
    #[prost(message, required, tag = "3")]
    pose: Pose,
}

/// `foxglove.FrameTransforms`.
#[derive(Message)]
struct FrameTransforms {
    #[prost(message, repeated, tag = "1")]
    transforms: Vec<FrameTransform>,
}

/// `foxglove.FrameTransform`.
#[derive(Message)]
struct FrameTransform {
    #[prost(string, tag = "2")]
    parent_frame_id: String,
    #[prost(string, tag = "3")]
    child_frame_id: String,
    #[prost(message, required, tag = "4")]
    translation: Vector,
    #[prost(message, required, tag = "5")]
    rotation: Vector,
}

/// What `foxglove.FrameTransforms` and `foxglove.PointCloud` have several times, counted and not kept: two bytes of a message make an
/// element of a hundred.
#[derive(Message)]
struct Count {
    #[prost(message, repeated, tag = "1")]
    transforms: Vec<()>,
    #[prost(message, repeated, tag = "5")]
    fields: Vec<()>,
}

fn decode<M: Message + Default>(message: &[u8]) -> Result<M, Mismatch> {
    M::decode(message).map_err(|error| mismatch("an intact message in protobuf", error))
}

fn base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
    BASE64_STANDARD.decode(String::deserialize(deserializer)?).map(Bytes::from).map_err(D::Error::custom)
}

/// `foxglove.PointCloud` in protobuf.
pub(crate) fn point_cloud(message: &[u8]) -> Result<Cloud, Mismatch> {
    at_most(MOST_FIELDS, "fields of a point", decode::<Count>(message)?.fields.len())?;
    decode::<PointCloud>(message)?.unpack()
}

/// `foxglove.PointCloud` in JSON.
pub(crate) fn point_cloud_json(message: &[u8]) -> Result<Cloud, Mismatch> {
    let cloud = serde_json::from_slice::<PointCloud>(message);
    let cloud = cloud.map_err(|error| mismatch("a foxglove.PointCloud in JSON", error))?;
    at_most(MOST_FIELDS, "fields of a point", cloud.fields.len())?;
    cloud.unpack()
}

/// `foxglove.Odometry` in protobuf, with the frame that moves.
pub(crate) fn odometry(message: &[u8]) -> Result<(StampedPose, String), Mismatch> {
    let Odometry { timestamp, body_frame_id, pose } = decode(message)?;
    Ok(((time(timestamp.sec, timestamp.nsec)?, pose.isometry()?), body_frame_id))
}

/// `foxglove.PoseInFrame` in protobuf.
pub(crate) fn pose_in_frame(message: &[u8]) -> Result<StampedPose, Mismatch> {
    let PoseInFrame { timestamp, pose } = decode(message)?;
    Ok((time(timestamp.sec, timestamp.nsec)?, pose.isometry()?))
}

/// `foxglove.FrameTransforms` in protobuf.
pub(crate) fn transforms(message: &[u8]) -> Result<Vec<Transform>, Mismatch> {
    at_most(MOST_FRAMES, "frames", decode::<Count>(message)?.transforms.len())?;
    decode::<FrameTransforms>(message)?.transforms.into_iter().map(FrameTransform::unpack).collect()
}

/// `foxglove.FrameTransform` in protobuf.
pub(crate) fn transform(message: &[u8]) -> Result<Transform, Mismatch> {
    decode::<FrameTransform>(message)?.unpack()
}

fn at_most(most: usize, what: &str, found: usize) -> Result<(), Mismatch> {
    if found > most { Err(mismatch(format!("at most {most} {what}"), found)) } else { Ok(()) }
}

impl Pose {
    fn isometry(&self) -> Result<Isometry3<f64>, Mismatch> {
        let Pose { position: at, orientation: q } = self;
        pose([at.x, at.y, at.z], [q.x, q.y, q.z, q.w])
    }
}

impl FrameTransform {
    fn unpack(self) -> Result<Transform, Mismatch> {
        let child_in_parent = Pose { position: self.translation, orientation: self.rotation }.isometry()?;
        Ok(Transform { parent: self.parent_frame_id, child: self.child_frame_id, child_in_parent })
    }
}

impl PointCloud {
    /// Points in a row, brought into the message's frame.
    fn unpack(self) -> Result<Cloud, Mismatch> {
        let (origin, stride, data) = (self.pose.isometry()?, self.point_stride as usize, &*self.data);
        let width = data.len().checked_div(stride).unwrap_or(0);
        if width * stride != data.len() {
            return Err(mismatch(format!("points of {stride} bytes each"), format!("{} bytes", data.len())));
        }
        let fields = self.fields.into_iter().filter_map(PackedElementField::known).collect();
        let packed = Packed { fields, stride, row_stride: data.len(), width, rows: 1, is_big_endian: false, data };
        let mut cloud = packed.cloud(time(self.timestamp.sec, self.timestamp.nsec)?, self.frame_id)?;
        if origin != Isometry3::identity() {
            cloud.place(&origin);
        }
        Ok(cloud)
    }
}

impl PackedElementField {
    /// Nothing if its type is none of `foxglove.PackedElementField.NumericType`.
    fn known(self) -> Option<Field> {
        let kinds = [Kind::U8, Kind::I8, Kind::U16, Kind::I16, Kind::U32, Kind::I32, Kind::F32, Kind::F64];
        let kind = *kinds.get(usize::try_from(self.r#type).ok()?.checked_sub(1)?)?;
        Some(Field { name: self.name, offset: self.offset as usize, kind })
    }
}
