//! The words in which skills talk about where the robot is and where it goes.

use nalgebra::{Isometry3, Vector3};
use serde::{Deserialize, Serialize};

use crate::math::{cos, sin, wrap_angle};
use crate::{State, Time};

/// A pose in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct Pose2 {
    /// Forward [m].
    pub x: f64,
    /// Left [m].
    pub y: f64,
    /// Heading, counter-clockwise from x [rad].
    pub yaw: f64,
}

impl Pose2 {
    /// The distance to another pose's place [m].
    pub fn distance(&self, other: &Pose2) -> f64 {
        crate::math::hypot(other.x - self.x, other.y - self.y)
    }

    /// This pose as seen from `frame`, both given in the same world.
    #[must_use]
    pub fn seen_from(&self, frame: &Pose2) -> Pose2 {
        let (dx, dy) = (self.x - frame.x, self.y - frame.y);
        let (s, c) = (sin(frame.yaw), cos(frame.yaw));
        Pose2 { x: c * dx + s * dy, y: c * dy - s * dx, yaw: wrap_angle(self.yaw - frame.yaw) }
    }

    /// The pose in the world of which `frame` is a pose, where this one is seen from `frame`: undoes
    /// [`seen_from`](Pose2::seen_from).
    #[must_use]
    pub fn placed_at(&self, frame: &Pose2) -> Pose2 {
        let (s, c) = (sin(frame.yaw), cos(frame.yaw));
        let (x, y) = (frame.x + c * self.x - s * self.y, frame.y + s * self.x + c * self.y);
        Pose2 { x, y, yaw: wrap_angle(self.yaw + frame.yaw) }
    }
}

/// Place and heading of a pose in space.
impl From<&Isometry3<f64>> for Pose2 {
    fn from(pose: &Isometry3<f64>) -> Pose2 {
        let (_, _, yaw) = pose.rotation.euler_angles();
        Pose2 { x: pose.translation.x, y: pose.translation.y, yaw }
    }
}

/// A velocity in the plane, in the frame of the base.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct Twist {
    /// Forward [m/s].
    pub x: f64,
    /// Left [m/s].
    pub y: f64,
    /// Counter-clockwise [rad/s].
    pub yaw: f64,
}

impl Twist {
    /// True if nothing moves.
    pub fn is_zero(&self) -> bool {
        self.x == 0.0 && self.y == 0.0 && self.yaw == 0.0
    }
}

/// Where the base is and how it moves, estimated from the robot's own sensors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State)]
pub struct Odometry {
    /// The time of the estimate.
    pub stamp: Time,
    /// The base in the odometry frame, which starts where the estimator was reset and may drift.
    pub base_in_odom: Isometry3<f64>,
    /// Velocity of the base's origin, in the base frame [m/s].
    pub linear_velocity_in_base: Vector3<f64>,
    /// Angular velocity of the base, in the base frame [rad/s].
    pub angular_velocity_in_base: Vector3<f64>,
}

impl Odometry {
    /// Place and heading of the base in the odometry frame.
    pub fn pose(&self) -> Pose2 {
        Pose2::from(&self.base_in_odom)
    }
}

impl Default for Odometry {
    fn default() -> Self {
        Odometry {
            stamp: Time::ZERO,
            base_in_odom: Isometry3::identity(),
            linear_velocity_in_base: Vector3::zeros(),
            angular_velocity_in_base: Vector3::zeros(),
        }
    }
}

/// A list of poses to drive through, in the odometry frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct Path {
    /// The poses, in order.
    pub poses: Vec<Pose2>,
}

impl Path {
    /// The length of its straight pieces [m].
    pub fn length(&self) -> f64 {
        self.poses.windows(2).map(|pair| pair[0].distance(&pair[1])).sum()
    }
}

/// A grid of heights, for example a prior map.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct HeightMap {
    /// The distance between neighbouring samples [m].
    pub cell: f64,
    /// World x of sample (0, 0) [m].
    pub origin_x: f64,
    /// World y of sample (0, 0) [m].
    pub origin_y: f64,
    /// Samples along x.
    pub columns: usize,
    /// Samples along y.
    pub rows: usize,
    /// Heights [m], row after row; not-a-number where nothing is known.
    pub heights: Vec<f64>,
}

impl HeightMap {
    /// The height [m] at a place by bilinear interpolation; `None` outside the grid or next to an unknown sample.
    pub fn height_at(&self, x: f64, y: f64) -> Option<f64> {
        let (column, across) = Self::cell_of((x - self.origin_x) / self.cell, self.columns)?;
        let (row, along) = Self::cell_of((y - self.origin_y) / self.cell, self.rows)?;
        let sample = |r: usize, c: usize| self.heights.get((row + r) * self.columns + column + c).copied();
        let near = sample(0, 0)? * (1.0 - across) + sample(0, 1)? * across;
        let far = sample(1, 0)? * (1.0 - across) + sample(1, 1)? * across;
        let height = near * (1.0 - along) + far * along;
        height.is_finite().then_some(height)
    }

    /// The cell that holds grid coordinate `u`, and the fraction within it.
    fn cell_of(u: f64, samples: usize) -> Option<(usize, f64)> {
        let last_cell = samples.checked_sub(2)?;
        let inside = u >= 0.0 && u <= (last_cell + 1) as f64;
        let cell = (u as usize).min(last_cell);
        inside.then_some((cell, u - cell as f64))
    }
}

/// An edge that is too high to be driven over: a straight step of the ground.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, State)]
pub struct StepEdge {
    /// A point on the edge, and the direction square to it in which the robot crosses it.
    pub pose: Pose2,
    /// How much higher the ground is behind it [m]; negative for a step down, zero for a gap.
    pub rise: f64,
    /// How wide the gap is [m]; zero for a step.
    pub gap: f64,
}

/// How a piece of a way is to be travelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum Manoeuvre {
    /// On wheels.
    #[default]
    Drive,
    /// One leg at a time over an edge.
    Step(StepEdge),
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_2;

    #[test]
    fn a_pose_seen_from_itself_is_the_origin() {
        let pose = Pose2 { x: 3.0, y: -1.0, yaw: 2.0 };
        assert_eq!(pose.seen_from(&pose), Pose2::default());
    }

    #[test]
    fn placing_undoes_seeing() {
        let (pose, frame) = (Pose2 { x: 3.0, y: -1.0, yaw: 2.0 }, Pose2 { x: -0.5, y: 2.0, yaw: -2.5 });
        let back = pose.seen_from(&frame).placed_at(&frame);
        assert!(back.distance(&pose) < 1e-12 && (back.yaw - pose.yaw).abs() < 1e-12, "{back:?}");
    }

    #[test]
    fn what_lies_ahead_of_a_robot_facing_left_lies_along_y() {
        let robot = Pose2 { x: 1.0, y: 1.0, yaw: FRAC_PI_2 };
        let seen = Pose2 { x: 1.0, y: 4.0, yaw: FRAC_PI_2 }.seen_from(&robot);
        assert!((seen.x - 3.0).abs() < 1e-12 && seen.y.abs() < 1e-12 && seen.yaw.abs() < 1e-12, "{seen:?}");
    }

    #[test]
    fn a_height_map_interpolates_inside_and_knows_its_edge() {
        let heights = vec![0.0, 1.0, 2.0, 3.0];
        let map = HeightMap { cell: 0.5, origin_x: -1.0, origin_y: 2.0, columns: 2, rows: 2, heights };
        assert_eq!(map.height_at(-0.75, 2.25), Some(1.5));
        assert_eq!(map.height_at(-0.5, 2.5), Some(3.0));
        assert_eq!(map.height_at(-0.49, 2.5), None);
        assert_eq!(map.height_at(f64::NAN, 2.5), None);
    }
}
