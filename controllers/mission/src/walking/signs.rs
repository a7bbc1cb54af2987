//! What tells of a fall.

use nalgebra::{Vector2, Vector3};
use robot_io::Pose2;
use walking::{Capture, Phase, Polygon, Side};

use super::Walking;
use super::fall::Signs;

impl Walking {
    /// What is seen of the robot that may tell of one.
    pub(super) fn signs(&self) -> Signs {
        let odometry = self.estimator.odometry();
        let turn = odometry.base_in_odom.rotation;
        let feet = Side::BOTH.map(|side| self.estimator.foot_in_odom(side.index()));
        let half = Vector2::from(self.settings.gait.reach.half_sole);
        let [left, right] =
            feet.map(|foot| Polygon::rectangle(foot.translation.vector.xy(), Pose2::from(&foot).yaw, half));
        let (com, dcm) = (self.body.com(), self.body.dcm(self.gait.omega()).xy());
        let ground = feet[0].translation.z.min(feet[1].translation.z);
        let pivot = left.around(&right).nearest(&dcm);
        Signs {
            up: turn * Vector3::z(),
            vertical: turn.inverse() * Vector3::z(),
            turning: turn * odometry.angular_velocity_in_base,
            turning_in_base: odometry.angular_velocity_in_base,
            com,
            com_velocity: self.body.com_velocity(),
            height: (self.said.reference.vrp.z - ground).max(1e-3),
            ground,
            pivot,
            beyond: dcm - pivot,
            is_lost: self.said.phase == Phase::SingleSupport && self.said.capture == Capture::Lost,
        }
    }
}
