//! The edge, and where feet stand before and behind it.

use nalgebra::Vector3;
use robot_io::math::{cos, sin, wrap_angle};
use robot_io::{Pose2, State, StepEdge};

/// An edge in the odometry frame. Distances along the way are square to it; zero is the edge, for a gap its near edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(crate) struct Edge {
    edge: StepEdge,
}

impl Edge {
    /// An edge seen from the base, which is at `base` in the odometry frame.
    pub fn new(seen: &StepEdge, base: &Pose2) -> Edge {
        Edge { edge: StepEdge { pose: seen.pose.placed_at(base), ..*seen } }
    }

    /// How much higher the ground behind it is [m].
    pub fn rise(&self) -> f64 {
        self.edge.rise
    }

    /// Turn from a heading to the way square to it [rad].
    pub fn turn_from(&self, heading: f64) -> f64 {
        wrap_angle(self.edge.pose.yaw - heading)
    }

    /// How far behind the edge a point is that lies at `at` in the level frame of the base [m].
    pub fn passed(&self, base: &Pose2, at: &Vector3<f64>) -> f64 {
        let point = Pose2 { x: at.x, y: at.y, yaw: 0.0 }.placed_at(base);
        let (dx, dy) = (point.x - self.edge.pose.x, point.y - self.edge.pose.y);
        dx * cos(self.edge.pose.yaw) + dy * sin(self.edge.pose.yaw)
    }

    /// Where a wheel of this radius is lifted, at a distance from a face ahead or an edge below [m].
    pub fn lift_off(&self, radius: f64, distance: f64) -> f64 {
        let face_ahead = self.edge.rise > 0.0 && self.edge.gap <= 0.0;
        if face_ahead { -(radius + distance) } else { -distance }
    }

    /// Where it is put down [m].
    pub fn landing(&self, radius: f64, distance: f64) -> f64 {
        let face_behind = self.edge.rise < 0.0 && self.edge.gap <= 0.0;
        self.edge.gap + if face_behind { radius + distance } else { distance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_2;

    fn edge(rise: f64, gap: f64) -> Edge {
        let seen = StepEdge { pose: Pose2 { x: 1.0, y: 0.3, yaw: 0.1 }, rise, gap };
        Edge::new(&seen, &Pose2 { x: 2.0, y: 0.0, yaw: FRAC_PI_2 })
    }

    #[test]
    fn what_is_seen_ahead_lies_ahead_in_odometry() {
        let base = Pose2 { x: 2.0, y: 0.0, yaw: FRAC_PI_2 };
        let step = edge(0.15, 0.0);
        assert!((step.turn_from(base.yaw) - 0.1).abs() < 1e-12);
        assert!(step.passed(&base, &Vector3::new(1.0, 0.3, 0.0)).abs() < 1e-12);
        let before = step.passed(&base, &Vector3::new(0.0, 0.3, 0.0));
        assert!((before + 0.1_f64.cos()).abs() < 1e-12, "{before}");
    }

    #[test]
    fn wheels_keep_clear_of_faces_and_edges() {
        assert!((edge(0.15, 0.0).lift_off(0.08, 0.05) + 0.13).abs() < 1e-12);
        assert!((edge(0.15, 0.0).landing(0.08, 0.05) - 0.05).abs() < 1e-12);
        assert!((edge(-0.15, 0.0).lift_off(0.08, 0.05) + 0.05).abs() < 1e-12);
        assert!((edge(-0.15, 0.0).landing(0.08, 0.05) - 0.13).abs() < 1e-12);
        assert!((edge(0.0, 0.25).lift_off(0.08, 0.05) + 0.05).abs() < 1e-12);
        assert!((edge(0.0, 0.25).landing(0.08, 0.05) - 0.30).abs() < 1e-12);
    }
}
