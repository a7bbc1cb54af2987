//! One turn of the laser's axis.

use nalgebra::{Isometry3, Vector3, Vector6};
use robot_io::{State, Time};

/// One turn of the laser's axis as a cloud, seen as if at once: all points are in the base frame at `end`.
///
/// It is the input of all registration, made from live readings, from a log or by a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sweep {
    /// Counts sweeps.
    pub number: u64,
    /// When its first beam was measured.
    pub begin: Time,
    /// When its last beam was measured; the time of the base frame in which the points are given.
    pub end: Time,
    /// What was hit, in the order of measurement; jump edges and the robot itself are taken out.
    pub points: Vec<SweepPoint>,
    /// Ends of beams that met nothing up to the scanner's range, thinned out, in the base frame at `end` [m].
    pub misses: Vec<[f32; 3]>,
    /// Where the scanner was, scan by scan, in the base frame at `end` [m].
    pub origins: Vec<[f32; 3]>,
    /// The base in the odometry frame at `begin`.
    pub begin_in_odom: Isometry3<f64>,
    /// The base in the odometry frame at `end`.
    pub base_in_odom: Isometry3<f64>,
    /// How the robot moved meanwhile.
    pub motion: Motion,
    /// By how much the laser is taken to be elsewhere than drawn, in the frame that its axis turns: translation [m], rotation [rad].
    pub laser: Vector6<f64>,
}

/// One hit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SweepPoint {
    /// Where, in the base frame at the sweep's end, motion undone by odometry and IMU [m].
    pub position: [f32; 3],
    /// Where, in the base frame at the time of the beam itself [m]: for methods that undo the motion in their own way.
    pub as_measured: [f32; 3],
    /// When, relative to the sweep's end [s]; not above zero.
    pub time: f32,
    /// Index of the place of the scanner in the sweep's `origins`.
    pub origin: u16,
    /// Strength of the echo.
    pub intensity: u16,
}

/// How the robot moved during a sweep: whether its points can be believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Motion {
    /// Fastest turn of the base [rad/s].
    pub peak_angular_rate: f64,
    /// Largest difference of the measured specific force from that of a base at rest [m/s²].
    pub peak_acceleration: f64,
    /// How far the base moved, by odometry [m].
    pub distance: f64,
    /// By how much the base turned, by odometry [rad].
    pub turn: f64,
    /// Direction of up at the end of the sweep, in the base frame, by odometry.
    pub up_in_base: Vector3<f64>,
    /// Longest time within the sweep without a scan [s].
    pub longest_gap: f64,
    /// How far the robot may have slid without its odometry showing it, as it felt in a bump [m].
    pub slid: f64,
}
