//! Messages of ROS, both versions: `sensor_msgs/PointCloud2`, `nav_msgs/Odometry`, `geometry_msgs/PoseStamped`, `tf2_msgs/TFMessage`.

use nalgebra::Isometry3;
use robot_io::Time;

use crate::cdr::Fields;
use crate::cloud::{Cloud, StampedPose, pose, time};
use crate::error::{Mismatch, mismatch};
use crate::fields::{Field, Kind, MOST_FIELDS, Packed};
use crate::frames::Transform;

/// `std_msgs/Header`: stamp and frame.
fn header(fields: &mut Fields) -> Result<(Time, String), Mismatch> {
    if fields.is_ros1() {
        let (_sequence, seconds, nanoseconds) = (fields.u32()?, fields.u32()?, fields.u32()?);
        return Ok((time(i64::from(seconds), u64::from(nanoseconds))?, fields.text()?.to_owned()));
    }
    let (seconds, nanoseconds) = (fields.i32()?, fields.u32()?);
    Ok((time(i64::from(seconds), u64::from(nanoseconds))?, fields.text()?.to_owned()))
}

/// `sensor_msgs/PointCloud2`.
pub(crate) fn point_cloud(mut message: Fields) -> Result<Cloud, Mismatch> {
    let (stamp, frame) = header(&mut message)?;
    let (rows, width) = (message.u32()? as usize, message.u32()? as usize);
    let fields = point_fields(&mut message)?;
    let is_big_endian = message.bool()?;
    let (stride, row_stride) = (message.u32()? as usize, message.u32()? as usize);
    let data = message.bytes()?;
    Packed { fields, stride, row_stride, width, rows, is_big_endian, data }.cloud(stamp, frame)
}

/// `sensor_msgs/PointField[]`; fields of a type that nobody knows are left out.
fn point_fields(message: &mut Fields) -> Result<Vec<Field>, Mismatch> {
    let count = message.u32()? as usize;
    if count > MOST_FIELDS {
        return Err(mismatch(format!("at most {MOST_FIELDS} fields of a point"), count));
    }
    let mut fields = Vec::new();
    for _ in 0..count {
        let (name, offset) = (message.text()?.to_owned(), message.u32()? as usize);
        let (kind, _count) = (message.u8()?, message.u32()?);
        fields.extend(kind_of(kind).map(|kind| Field { name, offset, kind }));
    }
    Ok(fields)
}

/// By the constants of `sensor_msgs/PointField`.
fn kind_of(number: u8) -> Option<Kind> {
    let kinds = [Kind::I8, Kind::U8, Kind::I16, Kind::U16, Kind::I32, Kind::U32, Kind::F32, Kind::F64];
    kinds.get(usize::from(number).checked_sub(1)?).copied()
}

/// `nav_msgs/Odometry`, as far as the pose, with the frame that moves.
pub(crate) fn odometry(mut message: Fields) -> Result<(StampedPose, String), Mismatch> {
    let (stamp, _frame) = header(&mut message)?;
    let child = message.text()?.to_owned();
    Ok(((stamp, isometry(&mut message)?), child))
}

/// `geometry_msgs/PoseStamped`.
pub(crate) fn pose_stamped(mut message: Fields) -> Result<StampedPose, Mismatch> {
    let (stamp, _frame) = header(&mut message)?;
    Ok((stamp, isometry(&mut message)?))
}

/// `tf2_msgs/TFMessage`.
pub(crate) fn transforms(mut message: Fields) -> Result<Vec<Transform>, Mismatch> {
    let count = message.u32()?;
    let mut transforms = Vec::new();
    for _ in 0..count {
        let (_stamp, parent) = header(&mut message)?;
        let child = message.text()?.to_owned();
        transforms.push(Transform { parent, child, child_in_parent: isometry(&mut message)? });
    }
    Ok(transforms)
}

fn isometry(message: &mut Fields) -> Result<Isometry3<f64>, Mismatch> {
    pose(message.f64s()?, message.f64s()?)
}
