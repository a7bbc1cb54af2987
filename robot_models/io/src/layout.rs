//! Which joints and sensors a robot has, in which order.

use serde::{Deserialize, Serialize};

use crate::{Intrinsics, Period, ScanGeometry};

/// The order of everything in [`Readings`](crate::Readings) and [`Commands`](crate::Commands), and the cycle period.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RobotLayout {
    /// The robot's name.
    pub robot: String,
    /// The control cycle.
    pub period: Period,
    /// The joints, in the order of their readings and commands.
    pub joints: Vec<JointLayout>,
    /// Inertial measurement units.
    pub imus: Vec<SensorLayout>,
    /// Force/torque sensors.
    pub force_torques: Vec<SensorLayout>,
    /// Contact switches.
    pub contacts: Vec<SensorLayout>,
    /// Battery monitors.
    pub batteries: Vec<SensorLayout>,
    /// Scanning laser range finders.
    #[serde(default)]
    pub lasers: Vec<LaserLayout>,
    /// Colour cameras.
    #[serde(default)]
    pub cameras: Vec<CameraLayout>,
    /// Depth cameras.
    #[serde(default)]
    pub depth_cameras: Vec<CameraLayout>,
    /// The boards between the controller and the robot, in the order of the cable; none without a bus.
    #[serde(default)]
    pub boards: Vec<String>,
}

/// One joint of a layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointLayout {
    /// The joint's name in the URDF.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// What it must not exceed.
    pub limits: JointLimits,
    /// How many cycles later than written a command acts: 0 in simulation, 1 behind a bus whose outputs leave with the next
    /// exchange.
    #[serde(default)]
    pub latency: u64,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum JointKind {
    /// Turns between two limits [rad].
    Revolute,
    /// Turns without end [rad].
    Continuous,
    /// Slides between two limits [m].
    Prismatic,
}

/// What a joint must not exceed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointLimits {
    /// Lowest position [rad] or [m]; −∞ for continuous joints.
    pub lower: f64,
    /// Highest position [rad] or [m]; +∞ for continuous joints.
    pub upper: f64,
    /// Highest speed [rad/s] or [m/s].
    pub velocity: f64,
    /// Highest effort [N·m] or [N].
    pub effort: f64,
}

/// One sensor of a layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SensorLayout {
    /// The sensor's name.
    pub name: String,
    /// The link in whose frame it measures.
    pub frame: String,
}

/// One scanning range finder of a layout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaserLayout {
    /// The sensor's name.
    pub name: String,
    /// The link in whose frame it measures.
    pub frame: String,
    /// How it scans.
    pub geometry: ScanGeometry,
}

/// One camera of a layout. It takes a picture in the cycle in which it is asked for one, and the picture arrives when it is
/// complete; it is asked by [`Commands`](crate::Commands).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CameraLayout {
    /// The sensor's name.
    pub name: String,
    /// The link in whose frame it measures.
    pub frame: String,
    /// What it sees where.
    pub intrinsics: Intrinsics,
    /// From the exposure of one row to that of the next: rolling shutter; zero if all rows are exposed at once.
    pub row_period: Period,
    /// Most pictures in a second [Hz]; a request that comes too early waits.
    pub rate_hz: f64,
}

impl RobotLayout {
    /// The index of a joint in readings and commands.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// A small layout for examples and tests: a hip, a knee and a wheel at 1 kHz, an IMU, a contact and a battery.
    pub fn example() -> RobotLayout {
        let joint = |name: &str, kind, range: f64| JointLayout {
            name: name.to_owned(),
            kind,
            limits: JointLimits { lower: -range, upper: range, velocity: 5.0, effort: 40.0 },
            latency: 0,
        };
        let sensor = |name: &str| vec![SensorLayout { name: name.to_owned(), frame: "base".to_owned() }];
        RobotLayout {
            robot: "example".to_owned(),
            period: Period::from_milliseconds(1),
            joints: vec![
                joint("hip", JointKind::Revolute, 1.0),
                joint("knee", JointKind::Revolute, 2.0),
                joint("wheel", JointKind::Continuous, f64::INFINITY),
            ],
            imus: sensor("imu"),
            force_torques: Vec::new(),
            contacts: sensor("wheel_contact"),
            batteries: sensor("battery"),
            lasers: Vec::new(),
            cameras: Vec::new(),
            depth_cameras: Vec::new(),
            boards: Vec::new(),
        }
    }
}
