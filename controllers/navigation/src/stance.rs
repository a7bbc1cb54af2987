//! Where the robot stands on the map, and what it takes up there with its legs as they are now.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use robot_io::{Pose2, State};

use crate::outline::{self, covers};

/// Where the robot stands and what it takes up.
#[derive(Clone, Debug, PartialEq, State)]
pub struct RobotFootprint {
    /// Outline on the ground, convex, counter-clockwise, in the level frame of the base [m].
    pub polygon: Vec<[f64; 2]>,
    /// How round its corners are [m].
    pub corner_radius: f64,
    /// Where the wheels touch the ground, in the level frame of the base: forward, left and up from its origin [m].
    pub wheels: Vec<[f64; 3]>,
    /// The base in the map frame.
    pub base_in_map: Isometry3<f64>,
    /// The range finder in the level frame of the base [m]; `None` without one.
    pub eye: Option<[f64; 3]>,
}

impl RobotFootprint {
    /// A rectangle about the base with a wheel in each corner, the base at `hip_height` [m] above the ground.
    pub fn rectangle(length: f64, width: f64, hip_height: f64, base_in_map: Isometry3<f64>) -> RobotFootprint {
        let (x, y) = (0.5 * length, 0.5 * width);
        let polygon = vec![[-x, -y], [x, -y], [x, y], [-x, y]];
        let wheels = polygon.iter().map(|corner| [0.8 * corner[0], 0.8 * corner[1], -hip_height]).collect();
        RobotFootprint { polygon, wheels, base_in_map, ..RobotFootprint::default() }
    }

    /// Place and heading of the base on the map.
    pub fn pose(&self) -> Pose2 {
        Pose2::from(&self.base_in_map)
    }

    /// Radius of the largest circle about the base within the outline [m].
    pub fn inscribed_radius(&self) -> f64 {
        outline::inscribed_radius(&self.polygon)
    }

    /// Radius of the smallest circle about the base that holds the outline [m].
    pub fn circumscribed_radius(&self) -> f64 {
        outline::circumscribed_radius(&self.polygon)
    }

    /// How far the outline reaches ahead of the base and behind it [m].
    pub fn reach(&self) -> (f64, f64) {
        let ahead = self.polygon.iter().map(|p| p[0]).fold(0.0, f64::max);
        let behind = self.polygon.iter().map(|p| -p[0]).fold(0.0, f64::max);
        (ahead, behind)
    }

    /// How far the outline reaches to the side that it reaches farther to [m].
    pub fn half_width(&self) -> f64 {
        self.polygon.iter().map(|p| p[1].abs()).fold(0.0, f64::max)
    }

    /// True if a place on the map lies under the robot, or within `margin` [m] of it.
    pub fn covers(&self, x: f64, y: f64, margin: f64) -> bool {
        let here = Pose2 { x, y, yaw: 0.0 }.seen_from(&self.pose());
        covers(&self.polygon, [here.x, here.y], margin)
    }

    /// The plane on which the wheels stand, on the map; `None` with fewer than three wheels or all in a line.
    pub fn contact_plane(&self) -> Option<ContactPlane> {
        let (here, z) = (self.pose(), self.base_in_map.translation.z);
        let place = |wheel: &[f64; 3]| {
            let at = Pose2 { x: wheel[0], y: wheel[1], yaw: 0.0 }.placed_at(&here);
            Point3::new(at.x, at.y, z + wheel[2])
        };
        let points: Vec<Point3<f64>> = self.wheels.iter().map(place).collect();
        let middle = points.iter().fold(Vector3::zeros(), |sum, p| sum + p.coords) / points.len().max(1) as f64;
        let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
        for point in &points {
            let d = point.coords - middle;
            let row = Vector3::new(d.x, d.y, 1.0);
            normal += row * row.transpose();
            right += row * d.z;
        }
        let flat = normal[(0, 0)] * normal[(1, 1)] - normal[(0, 1)] * normal[(1, 0)];
        if points.len() < 3 || flat < 1e-6 {
            return None;
        }
        let slopes = normal.try_inverse()? * right;
        let plane = ContactPlane { middle, slope_x: slopes.x, slope_y: slopes.y, residual: 0.0 };
        let off = points.iter().map(|p| (p.z - plane.height_at(p.x, p.y)).abs()).fold(0.0, f64::max);
        Some(ContactPlane { residual: off, ..plane })
    }
}

/// The plane on which the robot stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPlane {
    /// The middle of the wheels' contacts, in the map frame [m].
    pub middle: Vector3<f64>,
    /// Rise along x.
    pub slope_x: f64,
    /// Rise along y.
    pub slope_y: f64,
    /// How far the farthest contact is off the plane [m].
    pub residual: f64,
}

impl ContactPlane {
    /// Its height at a place [m].
    pub fn height_at(&self, x: f64, y: f64) -> f64 {
        self.middle.z + self.slope_x * (x - self.middle.x) + self.slope_y * (y - self.middle.y)
    }
}

impl Default for RobotFootprint {
    fn default() -> Self {
        let base_in_map = Isometry3::identity();
        RobotFootprint { polygon: Vec::new(), corner_radius: 0.0, wheels: Vec::new(), base_in_map, eye: None }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn the_centaurs_radii() {
        let robot = RobotFootprint::rectangle(0.8, 0.7, 0.55, Isometry3::identity());
        assert!((robot.inscribed_radius() - 0.35).abs() < 1e-12);
        assert!((robot.circumscribed_radius() - libm::hypot(0.4, 0.35)).abs() < 1e-12);
        assert_eq!((robot.reach(), robot.half_width()), ((0.4, 0.4), 0.35));
        assert!(robot.covers(0.39, 0.0, 0.0) && !robot.covers(0.41, 0.0, 0.0) && robot.covers(0.41, 0.0, 0.05));
    }

    #[test]
    fn wheels_that_stand_higher_in_front_stand_on_a_slope() {
        let turned = nalgebra::UnitQuaternion::from_euler_angles(0.1, 0.2, core::f64::consts::FRAC_PI_2);
        let base = Isometry3::from_parts(nalgebra::Translation3::new(1.0, 2.0, 3.0), turned);
        let mut robot = RobotFootprint::rectangle(0.8, 0.7, 0.5, base);
        robot.wheels.iter_mut().for_each(|wheel| wheel[2] += 0.2 * wheel[0]);
        let plane = robot.contact_plane().unwrap();
        assert!((plane.slope_y - 0.2).abs() < 1e-9 && plane.slope_x.abs() < 1e-9, "{plane:?}");
        assert!((plane.height_at(1.0, 2.0) - 2.5).abs() < 1e-9, "{plane:?}");
        assert!(plane.residual < 1e-12, "{plane:?}");
    }
}
