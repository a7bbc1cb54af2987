//! The way of the tour.

use locomotion::{Goal, Heading, PoseFollower};
use plant::SharedSimulation;
use robot_io::Pose2;

/// The tour of the world file, there; the way back is the same.
pub const TOUR: [[f64; 2]; 9] = [
    [-8.0, -8.0],
    [-1.0, -7.5],
    [5.9, -3.5],
    [5.9, 4.2],
    [8.1, 4.6],
    [8.1, -3.0],
    [-2.0, 0.0],
    [-5.0, 6.0],
    [-5.0, 6.0],
];

/// There and back again, steered by truth: where the robot drives is not what is tried here.
#[derive(Default)]
pub struct Route {
    leg: usize,
    /// [m]
    pub driven: f64,
    last: Option<[f64; 2]>,
}

impl Route {
    pub fn steer(&mut self, follower: &mut PoseFollower, shared: &SharedSimulation) -> robot_io::Twist {
        let base = shared.truth().base_in_world;
        let pose = Pose2::from(&base);
        let [x, y] = self.last.unwrap_or([pose.x, pose.y]);
        self.driven += robot_io::math::hypot(pose.x - x, pose.y - y);
        self.last = Some([pose.x, pose.y]);
        let cycle = 2 * (TOUR.len() - 1);
        let at = |leg: usize| TOUR[if leg % cycle < TOUR.len() { leg % cycle } else { cycle - leg % cycle }];
        let [x, y] = at(self.leg + 1);
        let [from_x, from_y] = at(self.leg);
        let heading = robot_io::math::atan2(y - from_y, x - from_x);
        let goal = Pose2 { x, y, yaw: if from_x == x && from_y == y { pose.yaw } else { heading } };
        if goal.distance(&pose) < 0.3 {
            self.leg += 1;
        }
        follower.set_goal(Goal { pose: goal, heading: Heading::Travel, pass: true });
        follower.update(&pose, 0.4)
    }
}
