//! Where the robot was, and where it believed to be.

use foxglove::Decode;
use foxglove::messages as fg;
use nalgebra::{Isometry3, Quaternion, Translation3, UnitQuaternion, Vector3};
use robot_io::{Odometry, Time};

use super::LogReader;
use crate::LogError;
use crate::channel::{ODOMETRY, SLAM_POSE, TRUTH};

impl LogReader {
    /// The true poses of the base in the world, in order of time; none where nobody knew them.
    pub fn truth(&self) -> Result<Vec<(Time, Isometry3<f64>)>, LogError> {
        self.poses(TRUTH)
    }

    /// Where the robot believed its base to be on its map, in order of time; none without a map.
    pub fn slam_poses(&self) -> Result<Vec<(Time, Isometry3<f64>)>, LogError> {
        self.poses(SLAM_POSE)
    }

    /// What the robot estimated from its own sensors, as often as the log shows it.
    pub fn odometry(&self) -> Result<Vec<Odometry>, LogError> {
        self.collect(ODOMETRY, |place, data| {
            let message = fg::Odometry::decode(data).map_err(|error| error.to_string())?;
            let velocity = |vector: Option<fg::Vector3>| vector.map(|v| Vector3::new(v.x, v.y, v.z));
            let parts = (message.pose, velocity(message.linear_velocity), velocity(message.angular_velocity));
            let (Some(pose), Some(linear), Some(angular)) = parts else {
                return Err("a message without pose and velocities".to_owned());
            };
            Ok(Odometry {
                stamp: Time::from_nanoseconds(place.time),
                base_in_odom: isometry(&pose).ok_or("a rotation of length zero")?,
                linear_velocity_in_base: linear,
                angular_velocity_in_base: angular,
            })
        })
    }

    fn poses(&self, topic: &str) -> Result<Vec<(Time, Isometry3<f64>)>, LogError> {
        self.collect(topic, |place, data| {
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
