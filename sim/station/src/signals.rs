//! Every number there is to plot, by name.

use nalgebra::Vector3;
use robot_io::RobotLayout;

use crate::StationFrame;

/// A number in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Signal {
    /// Something about a joint, by index.
    Joint(usize, JointSignal),
    /// Something about an inertial measurement unit, by index: which vector, which axis.
    Imu(usize, ImuSignal, usize),
    /// A force/torque sensor, by index: force x, y, z, then torque x, y, z.
    ForceTorque(usize, usize),
    /// The normal force on a contact sensor, by index [N].
    Contact(usize),
    /// A battery, by index: voltage, current, charge.
    Battery(usize, usize),
    /// The true position of the base, by axis [m].
    BasePosition(usize),
    /// The true attitude of the base: roll, pitch, yaw [rad].
    BaseAttitude(usize),
    /// The estimated position of the base, by axis [m].
    OdometryPosition(usize),
    /// The estimated velocity of the base in its own frame, by axis [m/s].
    OdometryVelocity(usize),
    /// The wanted velocity of the base: x, y [m/s], yaw [rad/s].
    Twist(usize),
    /// The sum of all contact forces along the world's z [N].
    ContactForce,
    /// What the controller adds, by its name with unit.
    Scalar(&'static str),
}

/// What there is to know about a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointSignal {
    /// Measured position [rad or m].
    Position,
    /// Measured velocity [rad/s or m/s].
    Velocity,
    /// Measured effort [N·m or N].
    Effort,
    /// Temperature [°C].
    Temperature,
    /// Commanded position [rad or m].
    PositionCommand,
    /// Commanded velocity [rad/s or m/s].
    VelocityCommand,
    /// Commanded feed-forward effort [N·m or N].
    EffortCommand,
    /// Effort that the whole command comes to at the measured state [N·m or N].
    TotalCommand,
}

/// What an inertial measurement unit reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImuSignal {
    /// Orientation as roll, pitch, yaw [rad].
    Attitude,
    /// Angular velocity [rad/s].
    AngularVelocity,
    /// Linear acceleration [m/s²].
    LinearAcceleration,
}

/// A signal and what it is called, with its unit.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedSignal {
    /// For example `knee.position [rad]`.
    pub name: String,
    /// Where to find it.
    pub signal: Signal,
}

const AXES: [&str; 3] = ["x", "y", "z"];
const ANGLES: [&str; 3] = ["roll", "pitch", "yaw"];

/// All signals that a robot with this layout has, telemetry's scalars aside.
pub fn catalogue(layout: &RobotLayout) -> Vec<NamedSignal> {
    let mut list = Vec::new();
    let mut add = |name: String, signal: Signal| list.push(NamedSignal { name, signal });
    for (axis, (letter, angle)) in AXES.iter().zip(ANGLES).enumerate() {
        add(format!("base.{letter} [m]"), Signal::BasePosition(axis));
        add(format!("base.{angle} [rad]"), Signal::BaseAttitude(axis));
        add(format!("odometry.{letter} [m]"), Signal::OdometryPosition(axis));
        add(format!("odometry.velocity.{letter} [m/s]"), Signal::OdometryVelocity(axis));
    }
    for (index, name) in ["x [m/s]", "y [m/s]", "yaw [rad/s]"].iter().enumerate() {
        add(format!("twist.{name}"), Signal::Twist(index));
    }
    add("contacts.force.z [N]".to_owned(), Signal::ContactForce);
    joint_signals(layout, &mut add);
    sensor_signals(layout, &mut add);
    list
}

/// The number, if the frame has it.
pub fn value(signal: Signal, shown: &StationFrame) -> Option<f64> {
    let (readings, telemetry) = (&shown.readings, &shown.telemetry);
    match signal {
        Signal::Joint(index, what) => joint_value(index, what, shown),
        Signal::Imu(index, what, axis) => imu_value(readings.imus.get(index)?, what).get(axis).copied(),
        Signal::ForceTorque(index, axis) => {
            let sensor = readings.force_torques.get(index)?;
            if axis < 3 { sensor.force.get(axis).copied() } else { sensor.torque.get(axis - 3).copied() }
        }
        Signal::Contact(index) => Some(readings.contacts.get(index)?.force),
        Signal::Battery(index, which) => {
            let battery = readings.batteries.get(index)?;
            [battery.voltage, battery.current, battery.charge].get(which).copied()
        }
        Signal::BasePosition(axis) => shown.frame.links_in_world.first()?.translation.vector.get(axis).copied(),
        Signal::BaseAttitude(angle) => {
            let (roll, pitch, yaw) = shown.frame.links_in_world.first()?.rotation.euler_angles();
            [roll, pitch, yaw].get(angle).copied()
        }
        Signal::OdometryPosition(axis) => telemetry.odometry?.base_in_odom.translation.vector.get(axis).copied(),
        Signal::OdometryVelocity(axis) => telemetry.odometry?.linear_velocity_in_base.get(axis).copied(),
        Signal::Twist(index) => telemetry.twist.and_then(|t| [t.x, t.y, t.yaw].get(index).copied()),
        Signal::ContactForce => Some(shown.frame.contacts.iter().map(|contact| contact.force_in_world.z).sum()),
        Signal::Scalar(name) => telemetry.scalars.iter().find(|(known, _)| *known == name).map(|(_, value)| *value),
    }
}

fn joint_signals(layout: &RobotLayout, add: &mut impl FnMut(String, Signal)) {
    for (index, joint) in layout.joints.iter().enumerate() {
        let prismatic = joint.kind == robot_io::JointKind::Prismatic;
        let (angle, effort) = if prismatic { ("m", "N") } else { ("rad", "N·m") };
        let names = [
            (format!("position [{angle}]"), JointSignal::Position),
            (format!("velocity [{angle}/s]"), JointSignal::Velocity),
            (format!("effort [{effort}]"), JointSignal::Effort),
            ("temperature [°C]".to_owned(), JointSignal::Temperature),
            (format!("command.position [{angle}]"), JointSignal::PositionCommand),
            (format!("command.velocity [{angle}/s]"), JointSignal::VelocityCommand),
            (format!("command.effort [{effort}]"), JointSignal::EffortCommand),
            (format!("command.total [{effort}]"), JointSignal::TotalCommand),
        ];
        for (what, signal) in names {
            add(format!("{}.{what}", joint.name), Signal::Joint(index, signal));
        }
    }
}

fn sensor_signals(layout: &RobotLayout, add: &mut impl FnMut(String, Signal)) {
    for (index, imu) in layout.imus.iter().enumerate() {
        let name = &imu.name;
        for (axis, (letter, angle)) in AXES.iter().zip(ANGLES).enumerate() {
            add(format!("{name}.{angle} [rad]"), Signal::Imu(index, ImuSignal::Attitude, axis));
            let signal = Signal::Imu(index, ImuSignal::AngularVelocity, axis);
            add(format!("{name}.angular_velocity.{letter} [rad/s]"), signal);
            let signal = Signal::Imu(index, ImuSignal::LinearAcceleration, axis);
            add(format!("{name}.acceleration.{letter} [m/s²]"), signal);
        }
    }
    for (index, sensor) in layout.force_torques.iter().enumerate() {
        for (axis, letter) in AXES.iter().enumerate() {
            add(format!("{}.force.{letter} [N]", sensor.name), Signal::ForceTorque(index, axis));
            add(format!("{}.torque.{letter} [N·m]", sensor.name), Signal::ForceTorque(index, axis + 3));
        }
    }
    for (index, sensor) in layout.contacts.iter().enumerate() {
        add(format!("{}.force [N]", sensor.name), Signal::Contact(index));
    }
    for (index, sensor) in layout.batteries.iter().enumerate() {
        for (which, what) in ["voltage [V]", "current [A]", "charge [1]"].iter().enumerate() {
            add(format!("{}.{what}", sensor.name), Signal::Battery(index, which));
        }
    }
}

fn joint_value(index: usize, what: JointSignal, shown: &StationFrame) -> Option<f64> {
    let state = shown.readings.joints.get(index)?;
    let command = shown.commands.joints.get(index);
    match what {
        JointSignal::Position => Some(state.position),
        JointSignal::Velocity => Some(state.velocity),
        JointSignal::Effort => Some(state.effort),
        JointSignal::Temperature => Some(state.temperature),
        JointSignal::PositionCommand => Some(command?.position),
        JointSignal::VelocityCommand => Some(command?.velocity),
        JointSignal::EffortCommand => Some(command?.effort),
        JointSignal::TotalCommand => Some(command?.effort_at(state.position, state.velocity)),
    }
}

fn imu_value(imu: &robot_io::Imu, what: ImuSignal) -> Vector3<f64> {
    match what {
        ImuSignal::Attitude => {
            let (roll, pitch, yaw) = imu.orientation.euler_angles();
            Vector3::new(roll, pitch, yaw)
        }
        ImuSignal::AngularVelocity => imu.angular_velocity,
        ImuSignal::LinearAcceleration => imu.linear_acceleration,
    }
}

#[cfg(test)]
#[path = "signals_tests.rs"]
mod tests;
