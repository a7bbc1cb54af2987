//! What a recording holds, whatever its format.

use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use robot_io::Time;

use crate::error::{Mismatch, mismatch};

/// One message of a laser scanner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cloud {
    /// Counts the clouds of the recording, from 0.
    pub number: u64,
    /// The message's time stamp.
    pub stamp: Time,
    /// The frame in which the points are given.
    pub frame: String,
    /// The points [m]; those that are no numbers and those at the origin, which stand for no echo, are left out.
    pub points: Vec<[f32; 3]>,
    /// When each was measured, if a field tells.
    pub times: Option<TimeColumn>,
}

/// A field that seems to tell when each point was measured; [`PointClock`](crate::PointClock) knows what it counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeColumn {
    /// The field's name.
    pub name: String,
    /// Its values, a point each.
    pub values: Vec<f64>,
}

/// Where something was, and when.
pub type StampedPose = (Time, Isometry3<f64>);

/// A time of whole seconds and nanoseconds since some epoch.
pub(crate) fn time(seconds: i64, nanoseconds: u64) -> Result<Time, Mismatch> {
    let whole = u64::try_from(seconds).ok().and_then(|seconds| seconds.checked_mul(1_000_000_000));
    let time = whole.and_then(|whole| whole.checked_add(nanoseconds)).filter(|_| nanoseconds < 4_294_967_296);
    time.map(Time::from_nanoseconds)
        .ok_or_else(|| mismatch("a time stamp from 1970 to 2554", format!("{seconds} s and {nanoseconds} ns")))
}

/// A pose of position [m] and quaternion x y z w, which need not be quite of length one. All zeros, which is what a message has that
/// says nothing, is no rotation.
pub(crate) fn pose([x, y, z]: [f64; 3], [i, j, k, w]: [f64; 4]) -> Result<Isometry3<f64>, Mismatch> {
    let quaternion = Quaternion::new(w, i, j, k);
    let rotation = match quaternion.norm() {
        0.0 => UnitQuaternion::identity(),
        norm if (0.5..2.0).contains(&norm) => UnitQuaternion::from_quaternion(quaternion),
        norm => return Err(mismatch("a quaternion of length 1", format!("one of length {norm}"))),
    };
    let place = [x, y, z];
    if !place.iter().all(|at| at.is_finite() && at.abs() < 1e9) {
        return Err(mismatch("a position in metres", format!("{place:?}")));
    }
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}

impl Cloud {
    /// Brings the points into another frame, in which theirs is at `frame_in_other`.
    pub(crate) fn place(&mut self, frame_in_other: &Isometry3<f64>) {
        for point in &mut self.points {
            let placed = frame_in_other * nalgebra::Point3::from(point.map(f64::from));
            *point = placed.coords.map(|at| at as f32).into();
        }
    }
}
