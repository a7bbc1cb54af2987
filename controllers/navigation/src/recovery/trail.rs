//! The way that was driven, to go back on.

use robot_io::math::hypot;
use robot_io::{Path, Pose2, State};

/// Poses on the trail are this far apart [m].
const SPACING: f64 = 0.1;
/// So many of them are remembered.
const LONGEST: usize = 160;

/// The last metres that were driven, in the odometry frame: there they stay where they are when the map is put right.
#[derive(Clone, Debug, State)]
pub(crate) struct Trail {
    poses: Vec<Pose2>,
}

impl Trail {
    /// Nothing has been driven yet.
    pub fn new() -> Trail {
        Trail { poses: Vec::with_capacity(LONGEST) }
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.poses.clear();
    }

    /// Takes note of where the robot is; allocates nothing.
    pub fn note(&mut self, pose_in_odom: &Pose2) {
        // driven back along itself: what lies beyond has been unwound
        if let [.., before, _] = self.poses[..]
            && before.distance(pose_in_odom) < 0.5 * SPACING
        {
            self.poses.pop();
        }
        if self.poses.last().is_some_and(|last| last.distance(pose_in_odom) < SPACING) {
            return;
        }
        if self.poses.len() == LONGEST {
            self.poses.remove(0);
        }
        self.poses.push(*pose_in_odom);
    }

    /// The way back from `from`, up to `length` [m]; `odom_in_map` places it on the map.
    pub fn back(&self, from: &Pose2, odom_in_map: &Pose2, length: f64) -> Path {
        let mut poses = vec![*from];
        let mut left = length;
        for pose in self.poses.iter().rev().map(|pose| pose.placed_at(odom_in_map)) {
            let last = poses.last().copied().unwrap_or(*from);
            let step = hypot(pose.x - last.x, pose.y - last.y);
            if step > left {
                break;
            }
            left -= step;
            if step > 0.5 * SPACING {
                poses.push(pose);
            }
        }
        Path { poses }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_is_the_way_that_was_driven() {
        let mut trail = Trail::new();
        for step in 0..700 {
            let angle = 0.01 * f64::from(step);
            trail.note(&Pose2 { x: angle.cos(), y: angle.sin(), yaw: 0.0 });
        }
        assert!(trail.poses.len() <= LONGEST);
        let here = Pose2 { x: 7_f64.cos(), y: 7_f64.sin(), yaw: 0.0 };
        let back = trail.back(&here, &Pose2::default(), 1.0);
        assert!((0.8..=1.0).contains(&back.length()), "{}", back.length());
        assert!(back.poses.iter().all(|pose| (hypot(pose.x, pose.y) - 1.0).abs() < 0.01));
        let end = back.poses.last().copied().unwrap_or_default();
        assert!(end.distance(&Pose2 { x: 6_f64.cos(), y: 6_f64.sin(), yaw: 0.0 }) < 0.15, "{end:?}");
    }

    #[test]
    fn driving_back_unwinds_it() {
        let mut trail = Trail::new();
        let places = (0..200).chain((0..199).rev()).map(|step| Pose2 { x: 0.01 * f64::from(step), y: 0.0, yaw: 0.0 });
        places.for_each(|pose| trail.note(&pose));
        assert!(trail.poses.len() < 4, "{:?}", trail.poses);
    }
}
