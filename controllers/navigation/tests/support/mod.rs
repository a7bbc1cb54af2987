//! Clouds of points made from functions.
#![allow(dead_code, reason = "not every test uses all of it")]

pub mod sight;

use nalgebra::{Isometry3, Translation3, UnitQuaternion};
use navigation::{Goal, MapSettings, NavigationMap, RobotFootprint};
use robot_io::{MapView, MapViews, PointCloud, Pose2, RandomStream, Sealed, Time};

/// Height of the centaur's hip axes above the ground [m].
pub const HIP: f64 = 0.55;
/// Room beside its outline that the rollout asks for [m].
pub const ROOM: f64 = 0.04;

/// The base at a pose on ground of height `z` [m].
pub fn base_at(pose: &Pose2, z: f64) -> Isometry3<f64> {
    let turn = UnitQuaternion::from_euler_angles(0.0, 0.0, pose.yaw);
    Isometry3::from_parts(Translation3::new(pose.x, pose.y, z + HIP), turn)
}

/// The centaur at a pose on ground of height `z` [m].
pub fn centaur(pose: &Pose2, z: f64) -> RobotFootprint {
    RobotFootprint::rectangle(0.8, 0.7, HIP, base_at(pose, z))
}

/// A piece of the world to be seen.
pub struct Scene {
    /// Lowest x and y [m].
    pub low: [f64; 2],
    /// Highest x and y [m].
    pub high: [f64; 2],
    /// Distance of the points [m].
    pub spacing: f64,
    /// Standard deviation of their heights [m].
    pub noise: f64,
}

impl Scene {
    pub fn square(half: f64) -> Scene {
        Scene { low: [-half, -half], high: [half, half], spacing: 0.04, noise: 0.005 }
    }

    /// What is seen of the ground `height(x, y)`; nothing where it is not-a-number. Steep places have points all the way up.
    pub fn view(&self, number: u64, base: Isometry3<f64>, height: impl Fn(f64, f64) -> f64) -> MapView {
        let random = RandomStream::new(number, "scene");
        let mut points = Vec::new();
        let count = |axis: usize| ((self.high[axis] - self.low[axis]) / self.spacing) as usize;
        for row in 0..count(1) {
            for column in 0..count(0) {
                let x = self.low[0] + (column as f64 + 0.5) * self.spacing;
                let y = self.low[1] + (row as f64 + 0.5) * self.spacing;
                let z = height(x, y);
                let below = [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)]
                    .map(|(u, v)| height(x + u * self.spacing, y + v * self.spacing));
                let foot = below.into_iter().fold(z, f64::min);
                let levels = ((z - foot) / 0.05).ceil().max(1.0) as usize;
                for level in 0..levels {
                    let up = z - level as f64 * (z - foot) / levels as f64
                        + self.noise * random.normal(points.len() as u64, 0);
                    if up.is_finite() {
                        let point = base.inverse() * nalgebra::Point3::new(x, y, up);
                        points.push([point.x as f32, point.y as f32, point.z as f32]);
                    }
                }
            }
        }
        let stamp = Time::from_seconds(number as f64);
        let cloud = Sealed::new(PointCloud { stamp, points, ..PointCloud::default() });
        MapView { number, stamp, base_in_map: base, cloud }
    }

    /// One view of the ground.
    pub fn views(&self, height: impl Fn(f64, f64) -> f64) -> MapViews {
        MapViews { revision: 1, views: vec![self.view(0, Isometry3::identity(), height)] }
    }
}

/// The map of a scene as the centaur at a pose makes it.
pub fn map_of(scene: &Scene, at: &Pose2, height: impl Fn(f64, f64) -> f64) -> NavigationMap {
    let robot = centaur(at, height(at.x, at.y));
    NavigationMap::build(&scene.views(height), &robot, Time::ZERO, &MapSettings::default())
}

pub fn pose(x: f64, y: f64, yaw: f64) -> Pose2 {
    Pose2 { x, y, yaw }
}

/// A goal whose heading does not matter.
pub fn goal(x: f64, y: f64) -> Goal {
    Goal { pose_in_map: pose(x, y, 0.0), tolerance: 0.1, heading_tolerance: 0.1, speed: 0.5, with_heading: false }
}
