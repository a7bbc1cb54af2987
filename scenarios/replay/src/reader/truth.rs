//! The truth that a log holds beside what the robot knew.

use foxglove::Decode;
use foxglove::messages as fg;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion};
use robot_io::Time;

use super::LogReader;
use crate::LogError;
use crate::channel::TRUTH;

impl LogReader {
    /// The true poses of the base in the world, in order of time; none where nobody knew them.
    pub fn truth(&self) -> Result<Vec<(Time, Isometry3<f64>)>, LogError> {
        self.collect(TRUTH, |place, data| {
            let message = fg::PoseInFrame::decode(data).map_err(|error| error.to_string())?;
            let pose = message.pose.and_then(|pose| isometry(&pose)).ok_or("a message without a pose")?;
            Ok((Time::from_nanoseconds(place.time), pose))
        })
    }
}

fn isometry(pose: &fg::Pose) -> Option<Isometry3<f64>> {
    let (t, q) = (pose.position?, pose.orientation?);
    let rotation = UnitQuaternion::try_new(Quaternion::new(q.w, q.x, q.y, q.z), 1e-9)?;
    Some(Isometry3::from_parts(Translation3::new(t.x, t.y, t.z), rotation))
}
