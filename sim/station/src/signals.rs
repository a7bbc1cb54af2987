//! Every number there is to plot, by name.

use nalgebra::{UnitQuaternion, Vector3};
use robot_io::{JointCommand, JointKind, JointState, RobotLayout};

use crate::StationFrame;
use crate::belief::{CAPTURE, CAPTURE_WANTED, ZMP_WANTED, odom_in_world, place_in_odom, to_odom};
use crate::pressure::zero_moment_point;

/// Finds a number in a frame, if the frame has it.
type Find = Box<dyn Fn(&StationFrame) -> Option<f64> + Send + Sync>;

/// A number in a frame and what it is called, with its unit.
pub struct Signal {
    /// For example `knee.position [rad]`.
    pub name: String,
    find: Find,
}

const AXES: [&str; 3] = ["x", "y", "z"];
const ANGLES: [&str; 3] = ["roll", "pitch", "yaw"];

impl Signal {
    fn new(name: String, find: impl Fn(&StationFrame) -> Option<f64> + Send + Sync + 'static) -> Signal {
        Signal { name, find: Box::new(find) }
    }

    /// What the controller adds, by its name with unit.
    pub(crate) fn scalar(name: &'static str) -> Signal {
        let find =
            move |shown: &StationFrame| shown.telemetry.scalars.iter().find(|(known, _)| *known == name)?.1.into();
        Signal::new(name.to_owned(), find)
    }

    /// What follows from the controller's scalars and the truth, if this is one that something follows from: how far capture point
    /// and zero-moment point are from where they should be, in the odometry frame.
    pub(crate) fn that_follow(scalar: &str) -> Vec<Signal> {
        let axis = |names: [&str; 2]| names.iter().position(|name| *name == scalar);
        if let Some(axis) = axis(CAPTURE_WANTED) {
            let error = move |shown: &StationFrame| {
                let measured = place_in_odom(&shown.telemetry, CAPTURE)?;
                Some((measured - place_in_odom(&shown.telemetry, CAPTURE_WANTED)?)[axis])
            };
            return vec![Signal::new(format!("dcm_error_{} [m]", AXES[axis]), error)];
        }
        let Some(axis) = axis(ZMP_WANTED) else { return Vec::new() };
        let measured = |shown: &StationFrame| {
            Some(to_odom(
                zero_moment_point(&shown.frame)?.xy(),
                &odom_in_world(shown.frame.links_in_world.first()?, &shown.telemetry)?,
            ))
        };
        let error =
            move |shown: &StationFrame| Some((measured(shown)? - place_in_odom(&shown.telemetry, ZMP_WANTED)?)[axis]);
        vec![
            Signal::new(format!("zmp_{} [m]", AXES[axis]), move |shown| Some(measured(shown)?[axis])),
            Signal::new(format!("zmp_error_{} [m]", AXES[axis]), error),
        ]
    }

    /// The number, if the frame has it.
    pub fn value(&self, shown: &StationFrame) -> Option<f64> {
        (self.find)(shown)
    }
}

/// All signals that a robot with this layout has, telemetry's scalars aside.
pub fn catalogue(layout: &RobotLayout) -> Vec<Signal> {
    let mut list = base_signals();
    list.extend(joint_signals(layout));
    list.extend(sensor_signals(layout));
    list
}

/// The base, truly, by odometry and as wanted, and what carries the robot.
fn base_signals() -> Vec<Signal> {
    let mut list = Vec::new();
    for (axis, (letter, angle)) in AXES.iter().zip(ANGLES).enumerate() {
        list.push(Signal::new(format!("base.{letter} [m]"), move |shown| {
            Some(shown.frame.links_in_world.first()?.translation.vector[axis])
        }));
        list.push(Signal::new(format!("base.{angle} [rad]"), move |shown| {
            Some(angles(&shown.frame.links_in_world.first()?.rotation)[axis])
        }));
        list.push(Signal::new(format!("odometry.{letter} [m]"), move |shown| {
            Some(shown.telemetry.odometry?.base_in_odom.translation.vector[axis])
        }));
        list.push(Signal::new(format!("odometry.velocity.{letter} [m/s]"), move |shown| {
            Some(shown.telemetry.odometry?.linear_velocity_in_base[axis])
        }));
    }
    list.push(Signal::new("twist.x [m/s]".to_owned(), |shown| Some(shown.telemetry.twist?.x)));
    list.push(Signal::new("twist.y [m/s]".to_owned(), |shown| Some(shown.telemetry.twist?.y)));
    list.push(Signal::new("twist.yaw [rad/s]".to_owned(), |shown| Some(shown.telemetry.twist?.yaw)));
    list.push(Signal::new("contacts.force.z [N]".to_owned(), |shown| {
        Some(shown.frame.contacts.iter().map(|contact| contact.force_in_world.z).sum())
    }));
    list
}

/// Each joint as measured and as commanded.
fn joint_signals(layout: &RobotLayout) -> Vec<Signal> {
    type Read = fn(&JointState, &JointCommand) -> f64;
    let mut list = Vec::new();
    for (index, joint) in layout.joints.iter().enumerate() {
        let (angle, effort) = if joint.kind == JointKind::Prismatic { ("m", "N") } else { ("rad", "N·m") };
        let numbers: [(String, Read); 9] = [
            (format!("position [{angle}]"), |state, _| state.position),
            (format!("velocity [{angle}/s]"), |state, _| state.velocity),
            (format!("effort [{effort}]"), |state, _| state.effort),
            ("temperature [°C]".to_owned(), |state, _| state.temperature),
            (format!("command.position [{angle}]"), |_, command| command.position),
            (format!("command.velocity [{angle}/s]"), |_, command| command.velocity),
            (format!("command.effort [{effort}]"), |_, command| command.effort),
            (format!("tracking_error [{angle}]"), tracking_error),
            (format!("command.total [{effort}]"), |state, command| command.effort_at(state.position, state.velocity)),
        ];
        list.extend(numbers.map(|(what, read)| {
            Signal::new(format!("{}.{what}", joint.name), move |shown| {
                Some(read(shown.readings.joints.get(index)?, shown.commands.joints.get(index)?))
            })
        }));
    }
    list
}

/// How far a joint is beyond where its servo is to hold it; not a number while none holds it.
fn tracking_error(state: &JointState, command: &JointCommand) -> f64 {
    if command.stiffness > 0.0 { state.position - command.position } else { f64::NAN }
}

/// What the other sensors report.
fn sensor_signals(layout: &RobotLayout) -> Vec<Signal> {
    let mut list = Vec::new();
    for (index, name) in layout.imus.iter().map(|imu| &imu.name).enumerate() {
        for (axis, (letter, angle)) in AXES.iter().zip(ANGLES).enumerate() {
            list.push(Signal::new(format!("{name}.{angle} [rad]"), move |shown| {
                Some(angles(&shown.readings.imus.get(index)?.orientation)[axis])
            }));
            list.push(Signal::new(format!("{name}.angular_velocity.{letter} [rad/s]"), move |shown| {
                Some(shown.readings.imus.get(index)?.angular_velocity[axis])
            }));
            list.push(Signal::new(format!("{name}.acceleration.{letter} [m/s²]"), move |shown| {
                Some(shown.readings.imus.get(index)?.linear_acceleration[axis])
            }));
        }
    }
    for (index, name) in layout.force_torques.iter().map(|sensor| &sensor.name).enumerate() {
        for (axis, letter) in AXES.iter().enumerate() {
            list.push(Signal::new(format!("{name}.force.{letter} [N]"), move |shown| {
                Some(shown.readings.force_torques.get(index)?.force[axis])
            }));
            list.push(Signal::new(format!("{name}.torque.{letter} [N·m]"), move |shown| {
                Some(shown.readings.force_torques.get(index)?.torque[axis])
            }));
        }
    }
    for (index, name) in layout.contacts.iter().map(|sensor| &sensor.name).enumerate() {
        list.push(Signal::new(format!("{name}.force [N]"), move |shown| {
            Some(shown.readings.contacts.get(index)?.force)
        }));
    }
    for (index, name) in layout.batteries.iter().map(|battery| &battery.name).enumerate() {
        let battery = move |shown: &StationFrame| shown.readings.batteries.get(index).copied();
        list.push(Signal::new(format!("{name}.voltage [V]"), move |shown| Some(battery(shown)?.voltage)));
        list.push(Signal::new(format!("{name}.current [A]"), move |shown| Some(battery(shown)?.current)));
        list.push(Signal::new(format!("{name}.charge [1]"), move |shown| Some(battery(shown)?.charge)));
    }
    list
}

/// Roll, pitch and yaw [rad].
fn angles(rotation: &UnitQuaternion<f64>) -> Vector3<f64> {
    let (roll, pitch, yaw) = rotation.euler_angles();
    Vector3::new(roll, pitch, yaw)
}

#[cfg(test)]
#[path = "signals_tests.rs"]
mod tests;
