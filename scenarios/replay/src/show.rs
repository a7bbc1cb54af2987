//! The channels that people look at: Foxglove's messages, kept between cycles so that only numbers change.

use std::sync::Arc;

use foxglove::messages as fg;
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use robot_io::{Commands, Event, Imu, Odometry, Path, Pose2, Readings, RobotLayout, Severity, Telemetry, Time};

/// A frame of `/tf`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameAt<'a> {
    /// The frame in which the pose is given.
    pub parent: &'a str,
    /// The frame that has the pose.
    pub child: &'a str,
    /// The pose.
    pub child_in_parent: Isometry3<f64>,
}

/// The messages that are sent again and again.
#[derive(Debug)]
pub(crate) struct Messages {
    pub(crate) joint_states: fg::JointStates,
    pub(crate) joint_commands: fg::JointStates,
    pub(crate) residuals: fg::JointStates,
    pub(crate) transforms: fg::FrameTransforms,
    pub(crate) odometry: fg::Odometry,
    pub(crate) truth: fg::PoseInFrame,
    shown_path: Option<Arc<Path>>,
}

impl Messages {
    pub(crate) fn new(layout: &RobotLayout) -> Messages {
        let joint = |name: &str| fg::JointState { name: name.to_owned(), ..fg::JointState::default() };
        let joints: Vec<_> = layout.joints.iter().map(|layout| joint(&layout.name)).collect();
        let states = fg::JointStates { timestamp: None, joints };
        Messages {
            joint_commands: states.clone(),
            residuals: states.clone(),
            joint_states: states,
            transforms: fg::FrameTransforms::default(),
            odometry: fg::Odometry {
                frame_id: "odom".to_owned(),
                body_frame_id: "base".to_owned(),
                ..fg::Odometry::default()
            },
            truth: fg::PoseInFrame { frame_id: "world".to_owned(), ..fg::PoseInFrame::default() },
            shown_path: None,
        }
    }

    pub(crate) fn measured(&mut self, readings: &Readings) -> &fg::JointStates {
        self.joint_states.timestamp = Some(timestamp(readings.time));
        for (out, joint) in self.joint_states.joints.iter_mut().zip(&readings.joints) {
            (out.position, out.velocity, out.effort) = (Some(joint.position), Some(joint.velocity), Some(joint.effort));
        }
        &self.joint_states
    }

    pub(crate) fn commanded(&mut self, time: Time, commands: &Commands) -> &fg::JointStates {
        self.joint_commands.timestamp = Some(timestamp(time));
        for (out, joint) in self.joint_commands.joints.iter_mut().zip(&commands.joints) {
            (out.position, out.velocity, out.effort) = (Some(joint.position), Some(joint.velocity), Some(joint.effort));
        }
        &self.joint_commands
    }

    pub(crate) fn residuals(
        &mut self,
        time: Time,
        residuals: impl Iterator<Item = (f64, f64, f64)>,
    ) -> &fg::JointStates {
        self.residuals.timestamp = Some(timestamp(time));
        for (out, (position, velocity, effort)) in self.residuals.joints.iter_mut().zip(residuals) {
            (out.position, out.velocity, out.effort) = (Some(position), Some(velocity), Some(effort));
        }
        &self.residuals
    }

    pub(crate) fn frames<'a>(
        &mut self,
        time: Time,
        frames: impl IntoIterator<Item = FrameAt<'a>>,
    ) -> &fg::FrameTransforms {
        let list = &mut self.transforms.transforms;
        let mut count = 0;
        for frame in frames {
            if count == list.len() {
                list.push(fg::FrameTransform::default());
            }
            let out = &mut list[count];
            assign(&mut out.parent_frame_id, frame.parent);
            assign(&mut out.child_frame_id, frame.child);
            out.timestamp = Some(timestamp(time));
            out.translation = Some(vector(&frame.child_in_parent.translation.vector));
            out.rotation = Some(quaternion(&frame.child_in_parent.rotation));
            count += 1;
        }
        list.truncate(count);
        &self.transforms
    }

    pub(crate) fn odometry(&mut self, odometry: &Odometry) -> &fg::Odometry {
        let out = &mut self.odometry;
        out.timestamp = Some(timestamp(odometry.stamp));
        out.pose = Some(pose(&odometry.base_in_odom));
        out.linear_velocity = Some(vector(&odometry.linear_velocity_in_base));
        out.angular_velocity = Some(vector(&odometry.angular_velocity_in_base));
        out
    }

    pub(crate) fn truth(&mut self, time: Time, base_in_world: &Isometry3<f64>) -> &fg::PoseInFrame {
        self.truth.timestamp = Some(timestamp(time));
        self.truth.pose = Some(pose(base_in_world));
        &self.truth
    }

    /// The path, if it is another than the one shown last.
    pub(crate) fn new_path(&mut self, time: Time, path: Option<&Arc<Path>>) -> Option<fg::PosesInFrame> {
        let path = path?;
        if self.shown_path.as_ref().is_some_and(|shown| Arc::ptr_eq(shown, path)) {
            return None;
        }
        self.shown_path = Some(Arc::clone(path));
        let poses = path.poses.iter().map(plane_pose).collect();
        Some(fg::PosesInFrame { timestamp: Some(timestamp(time)), frame_id: "odom".to_owned(), poses })
    }
}

/// An event as a log line.
pub(crate) fn log_line(event: &Event, layout: &RobotLayout) -> fg::Log {
    let level = match event.severity {
        Severity::Info => fg::log::Level::Info,
        Severity::Warning => fg::log::Level::Warning,
        Severity::Error => fg::log::Level::Error,
        Severity::Stop => fg::log::Level::Fatal,
    };
    fg::Log {
        timestamp: Some(timestamp(event.time)),
        level: level as i32,
        message: event.describe(|joint| layout.joints.get(joint).map(|joint| joint.name.as_str())),
        name: event.source.clone().into_owned(),
        file: String::new(),
        line: 0,
    }
}

/// How bad a log line is.
pub(crate) fn severity_of(line: &fg::Log) -> Severity {
    match fg::log::Level::try_from(line.level) {
        Ok(fg::log::Level::Warning) => Severity::Warning,
        Ok(fg::log::Level::Error) => Severity::Error,
        Ok(fg::log::Level::Fatal) => Severity::Stop,
        _ => Severity::Info,
    }
}

/// An IMU's sample as JSON, appended to `out`.
pub(crate) fn write_imu(imu: &Imu, out: &mut Vec<u8>) {
    let rotation = imu.orientation.coords;
    write_fields(out, "{\"stamp\":", &[("", imu.stamp.seconds())]);
    write_fields(
        out,
        ",\"orientation\":{",
        &[("x", rotation.x), ("y", rotation.y), ("z", rotation.z), ("w", rotation.w)],
    );
    for (name, v) in [("angular_velocity", &imu.angular_velocity), ("linear_acceleration", &imu.linear_acceleration)] {
        out.extend_from_slice(b"},\"");
        out.extend_from_slice(name.as_bytes());
        write_fields(out, "\":{", &[("x", v.x), ("y", v.y), ("z", v.z)]);
    }
    out.extend_from_slice(b"}}");
}

/// The numbers of a telemetry as one JSON object, appended to `out`.
pub(crate) fn write_telemetry(telemetry: &Telemetry, out: &mut Vec<u8>) {
    out.push(b'{');
    let mut separator = "";
    if let Some(twist) = telemetry.twist {
        let fields = [("twist/x [m/s]", twist.x), ("twist/y [m/s]", twist.y), ("twist/yaw [rad/s]", twist.yaw)];
        write_fields(out, separator, &fields);
        separator = ",";
    }
    if let Some(goal) = telemetry.goal {
        write_fields(out, separator, &[("goal/x [m]", goal.x), ("goal/y [m]", goal.y), ("goal/yaw [rad]", goal.yaw)]);
        separator = ",";
    }
    if !telemetry.scalars.is_empty() {
        write_fields(out, separator, &telemetry.scalars);
    }
    out.push(b'}');
}

/// `before`, then `"name":value` separated by commas; a nameless value stands alone, a value that is no number is null.
fn write_fields(out: &mut Vec<u8>, before: &str, fields: &[(&str, f64)]) {
    out.extend_from_slice(before.as_bytes());
    for (index, (name, value)) in fields.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        // writing to a vector cannot fail
        if !name.is_empty() {
            let _ = serde_json::to_writer(&mut *out, name);
            out.push(b':');
        }
        let _ = serde_json::to_writer(&mut *out, value);
    }
}

/// Replaces a text without allocating if it is already there.
fn assign(text: &mut String, new: &str) {
    if text != new {
        text.clear();
        text.push_str(new);
    }
}

pub(crate) fn timestamp(time: Time) -> fg::Timestamp {
    const BILLION: u64 = 1_000_000_000;
    let (seconds, rest) = (time.nanoseconds() / BILLION, time.nanoseconds() % BILLION);
    let seconds = u32::try_from(seconds).unwrap_or(u32::MAX);
    fg::Timestamp::new_checked(seconds, rest as u32).unwrap_or(fg::Timestamp::MAX)
}

pub(crate) fn vector(v: &Vector3<f64>) -> fg::Vector3 {
    fg::Vector3 { x: v.x, y: v.y, z: v.z }
}

fn quaternion(rotation: &UnitQuaternion<f64>) -> fg::Quaternion {
    let c = rotation.coords;
    fg::Quaternion { x: c.x, y: c.y, z: c.z, w: c.w }
}

pub(crate) fn pose(pose: &Isometry3<f64>) -> fg::Pose {
    fg::Pose { position: Some(vector(&pose.translation.vector)), orientation: Some(quaternion(&pose.rotation)) }
}

pub(crate) fn plane_pose(place: &Pose2) -> fg::Pose {
    let rotation = UnitQuaternion::from_euler_angles(0.0, 0.0, place.yaw);
    pose(&Isometry3::from_parts(Vector3::new(place.x, place.y, 0.0).into(), rotation))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use robot_io::Twist;

    #[test]
    fn telemetry_and_imu_are_valid_json() {
        let mut telemetry = Telemetry { twist: Some(Twist::default()), ..Telemetry::default() };
        telemetry.scalar("base \"pitch\" [rad]", f64::NAN);
        telemetry.scalar("height [m]", 0.25);
        let mut json = Vec::new();
        write_telemetry(&telemetry, &mut json);
        let read: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(read["height [m]"], 0.25);
        assert_eq!(read["twist/yaw [rad/s]"], 0.0);
        json.clear();
        write_imu(&Imu::default(), &mut json);
        let read: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(read["orientation"]["w"], 1.0);
        assert_eq!(read["linear_acceleration"]["z"], 0.0);
    }

    #[test]
    fn a_path_is_shown_once() {
        let mut messages = Messages::new(&RobotLayout::example());
        let path = Arc::new(Path { poses: vec![Pose2::default()] });
        assert!(messages.new_path(Time::ZERO, Some(&path)).is_some());
        assert!(messages.new_path(Time::ZERO, Some(&path)).is_none());
        assert!(messages.new_path(Time::ZERO, Some(&Arc::new(Path::default()))).is_some());
    }
}
