//! Messages of Foxglove, as protobuf and as JSON (<https://docs.foxglove.dev/docs/visualization/message-schemas>).

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use nalgebra::Isometry3;
use robot_io::Time;
use serde::Deserialize;

use crate::cloud::{Cloud, StampedPose, pose, time};
use crate::error::{Mismatch, mismatch};
use crate::fields::{Field, Kind, MOST_FIELDS, Packed};
use crate::frames::Transform;
use crate::wire::{Value, Wire};

/// `foxglove.PointCloud` in protobuf.
pub(crate) fn point_cloud(message: &[u8]) -> Result<Cloud, Mismatch> {
    let (mut stamp, mut frame, mut origin) = (Time::ZERO, String::new(), Isometry3::identity());
    let (mut stride, mut fields, mut data) = (0, Vec::new(), [].as_slice());
    let mut wire = Wire(message);
    while let Some((number, value)) = wire.field()? {
        match number {
            1 => stamp = timestamp(value)?,
            2 => frame = value.text()?,
            3 => origin = isometry(value, 1, 2)?,
            4 => stride = value.integer()? as usize,
            5 if fields.len() >= MOST_FIELDS => {
                return Err(mismatch(format!("at most {MOST_FIELDS} fields of a point"), "more"));
            }
            5 => fields.push(packed_element_field(value)?),
            6 => data = value.bytes()?,
            _ => {}
        }
    }
    let fields = fields.into_iter().flatten().collect();
    unpack((stamp, frame, origin), stride, fields, data)
}

/// Points in a row, brought into the message's frame.
fn unpack(
    (stamp, frame, origin): (Time, String, Isometry3<f64>),
    stride: usize,
    fields: Vec<Field>,
    data: &[u8],
) -> Result<Cloud, Mismatch> {
    let width = data.len().checked_div(stride).unwrap_or(0);
    if width * stride != data.len() {
        return Err(mismatch(format!("points of {stride} bytes each"), format!("{} bytes", data.len())));
    }
    let packed = Packed { fields, stride, row_stride: data.len(), width, rows: 1, is_big_endian: false, data };
    let mut cloud = packed.cloud(stamp, frame)?;
    if origin != Isometry3::identity() {
        cloud.place(&origin);
    }
    Ok(cloud)
}

/// `foxglove.PackedElementField`; nothing if its type is not known.
fn packed_element_field(value: Value) -> Result<Option<Field>, Mismatch> {
    let (mut name, mut offset, mut kind) = (String::new(), 0, 0);
    let mut wire = Wire(value.bytes()?);
    while let Some((number, value)) = wire.field()? {
        match number {
            1 => name = value.text()?,
            2 => offset = value.integer()? as usize,
            3 => kind = value.integer()?,
            _ => {}
        }
    }
    Ok(kind_of(kind).map(|kind| Field { name, offset, kind }))
}

/// By the numbers of `foxglove.PackedElementField.NumericType`.
fn kind_of(number: u64) -> Option<Kind> {
    let kinds = [Kind::U8, Kind::I8, Kind::U16, Kind::I16, Kind::U32, Kind::I32, Kind::F32, Kind::F64];
    kinds.get(usize::try_from(number).ok()?.checked_sub(1)?).copied()
}

/// `foxglove.Odometry` in protobuf, with the frame that moves.
pub(crate) fn odometry(message: &[u8]) -> Result<(StampedPose, String), Mismatch> {
    let (mut stamp, mut body, mut pose) = (Time::ZERO, String::new(), Isometry3::identity());
    let mut wire = Wire(message);
    while let Some((number, value)) = wire.field()? {
        match number {
            1 => stamp = timestamp(value)?,
            3 => body = value.text()?,
            4 => pose = isometry(value, 1, 2)?,
            _ => {}
        }
    }
    Ok(((stamp, pose), body))
}

/// `foxglove.PoseInFrame` in protobuf.
pub(crate) fn pose_in_frame(message: &[u8]) -> Result<StampedPose, Mismatch> {
    let (mut stamp, mut pose) = (Time::ZERO, Isometry3::identity());
    let mut wire = Wire(message);
    while let Some((number, value)) = wire.field()? {
        match number {
            1 => stamp = timestamp(value)?,
            3 => pose = isometry(value, 1, 2)?,
            _ => {}
        }
    }
    Ok((stamp, pose))
}

/// `foxglove.FrameTransforms` in protobuf.
pub(crate) fn transforms(message: &[u8]) -> Result<Vec<Transform>, Mismatch> {
    let mut transforms = Vec::new();
    let mut wire = Wire(message);
    while let Some((number, value)) = wire.field()? {
        if number == 1 {
            transforms.push(transform(value.bytes()?)?);
        }
    }
    Ok(transforms)
}

/// `foxglove.FrameTransform` in protobuf.
pub(crate) fn transform(message: &[u8]) -> Result<Transform, Mismatch> {
    let (mut parent, mut child) = (String::new(), String::new());
    let mut wire = Wire(message);
    while let Some((number, value)) = wire.field()? {
        match number {
            2 => parent = value.text()?,
            3 => child = value.text()?,
            _ => {}
        }
    }
    Ok(Transform { parent, child, child_in_parent: isometry(Value::Bytes(message), 4, 5)? })
}

/// `google.protobuf.Timestamp`.
fn timestamp(value: Value) -> Result<Time, Mismatch> {
    let (mut seconds, mut nanoseconds) = (0, 0);
    let mut wire = Wire(value.bytes()?);
    while let Some((number, value)) = wire.field()? {
        match number {
            1 => seconds = value.integer()?.cast_signed(),
            2 => nanoseconds = value.integer()?,
            _ => {}
        }
    }
    time(seconds, nanoseconds)
}

/// A message whose fields `place` and `turn` are a vector and a quaternion.
fn isometry(value: Value, place: u64, turn: u64) -> Result<Isometry3<f64>, Mismatch> {
    let (mut position, mut orientation) = ([0.0; 3], [0.0; 4]);
    let mut wire = Wire(value.bytes()?);
    while let Some((number, value)) = wire.field()? {
        if number == place {
            position = numbers(value)?;
        } else if number == turn {
            orientation = numbers(value)?;
        }
    }
    pose(position, orientation)
}

/// A message of doubles, numbered from 1.
fn numbers<const N: usize>(value: Value) -> Result<[f64; N], Mismatch> {
    let mut numbers = [0.0; N];
    let mut wire = Wire(value.bytes()?);
    while let Some((number, value)) = wire.field()? {
        let place = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        if let Some(place) = place.and_then(|place| numbers.get_mut(place)) {
            *place = value.double()?;
        }
    }
    Ok(numbers)
}

/// `foxglove.PointCloud` in JSON.
#[derive(Deserialize)]
struct JsonCloud {
    timestamp: JsonTime,
    frame_id: String,
    #[serde(default)]
    pose: JsonPose,
    point_stride: usize,
    fields: Vec<JsonField>,
    data: String,
}

#[derive(Deserialize)]
struct JsonTime {
    #[serde(alias = "seconds")]
    sec: i64,
    #[serde(alias = "nanos")]
    nsec: u32,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct JsonPose {
    position: JsonVector,
    orientation: JsonVector,
}

/// Three numbers, or four.
#[derive(Default, Deserialize)]
#[serde(default)]
struct JsonVector {
    x: f64,
    y: f64,
    z: f64,
    w: f64,
}

#[derive(Deserialize)]
struct JsonField {
    name: String,
    offset: usize,
    r#type: u64,
}

/// `foxglove.PointCloud` in JSON.
pub(crate) fn point_cloud_json(message: &[u8]) -> Result<Cloud, Mismatch> {
    let wrong = |error: serde_json::Error| mismatch("a foxglove.PointCloud in JSON", error);
    let JsonCloud { timestamp, frame_id, pose: JsonPose { position: at, orientation: q }, point_stride, fields, data } =
        serde_json::from_slice(message).map_err(wrong)?;
    if fields.len() > MOST_FIELDS {
        return Err(mismatch(format!("at most {MOST_FIELDS} fields of a point"), fields.len()));
    }
    let data = BASE64_STANDARD.decode(data).map_err(|error| mismatch("data in Base64", error))?;
    let stamp = time(timestamp.sec, u64::from(timestamp.nsec))?;
    let origin = pose([at.x, at.y, at.z], [q.x, q.y, q.z, q.w])?;
    let known = |JsonField { name, offset, r#type }| kind_of(r#type).map(|kind| Field { name, offset, kind });
    unpack((stamp, frame_id, origin), point_stride, fields.into_iter().filter_map(known).collect(), &data)
}
