//! What a robot on two feet shows of its balance and of its body's tasks, in the odometry frame.

use nalgebra::Isometry3;
use robot_io::{Pose2, Telemetry};
use walking::Output;
use whole_body::Goal;

use super::Walking;
use super::tasks::{FEET, HEIGHT, TRUNK};

/// What the soles' figures are called.
const SOLES: [[&str; 5]; 2] = [
    ["left_sole_x [m]", "left_sole_y [m]", "left_sole_yaw [rad]", "left_sole_carries", "left_sole_force [N]"],
    ["right_sole_x [m]", "right_sole_y [m]", "right_sole_yaw [rad]", "right_sole_carries", "right_sole_force [N]"],
];
/// And by how much they are off what is wanted.
const FOOT_ERRORS: [[&str; 2]; 2] =
    [["left_foot_error [m]", "left_foot_error [rad]"], ["right_foot_error [m]", "right_foot_error [rad]"]];

impl Walking {
    /// Adds centre of mass, divergent component of motion and zero-moment point.
    pub(super) fn show_balance(&self, telemetry: &mut Telemetry) {
        let Output { phase, dcm, reference, wanted, .. } = &self.said;
        let com = self.body.com();
        telemetry.scalar("gait_phase", f64::from(*phase as u8));
        telemetry.scalar("com_x [m]", com.x);
        telemetry.scalar("com_y [m]", com.y);
        telemetry.scalar("dcm_x [m]", dcm.x);
        telemetry.scalar("dcm_y [m]", dcm.y);
        telemetry.scalar("dcm_reference_x [m]", reference.dcm.x);
        telemetry.scalar("dcm_reference_y [m]", reference.dcm.y);
        telemetry.scalar("zmp_wanted_x [m]", wanted.zmp.x);
        telemetry.scalar("zmp_wanted_y [m]", wanted.zmp.y);
    }

    /// Adds by how much height, trunk and feet are off what the whole body's tasks want.
    pub(super) fn show_errors(&self, telemetry: &mut Telemetry) {
        if let Some(Goal::CenterOfMass(goal)) = self.body.goal(HEIGHT) {
            telemetry.scalar("height_error [m]", goal.position.z - self.body.com().z);
        }
        let base = self.estimator.odometry().base_in_odom;
        let off = |task: &str, pose: &Isometry3<f64>| match self.body.goal(task) {
            Some(Goal::Pose(goal)) => goal.pose_in_world.inv_mul(pose),
            _ => Isometry3::identity(),
        };
        telemetry.scalar("trunk_error [rad]", off(TRUNK, &base).rotation.angle());
        for (side, [place, turn]) in FOOT_ERRORS.into_iter().enumerate() {
            let off = off(FEET[side], &self.estimator.foot_in_odom(side));
            telemetry.scalar(place, off.translation.vector.norm());
            telemetry.scalar(turn, off.rotation.angle());
        }
    }

    /// Adds where the soles are, how large they are, and what they carry.
    pub(super) fn show_soles(&self, telemetry: &mut Telemetry) {
        for (side, names) in SOLES.into_iter().enumerate() {
            let Pose2 { x, y, yaw } = Pose2::from(&self.estimator.foot_in_odom(side));
            let (carries, force) = (self.said.carries[side], self.estimator.footings()[side].force.z);
            let values = [x, y, yaw, f64::from(u8::from(carries)), force];
            names.into_iter().zip(values).for_each(|(name, value)| telemetry.scalar(name, value));
        }
        let [length, width] = self.settings.gait.reach.half_sole.map(|half| 2.0 * half);
        telemetry.scalar("sole_length [m]", length);
        telemetry.scalar("sole_width [m]", width);
    }
}
