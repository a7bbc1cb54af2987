//! What a robot on two feet shows of its balance, in the odometry frame.

use robot_io::{Pose2, Telemetry};
use walking::Output;

use super::Walking;

/// What the soles' figures are called.
const SOLES: [[&str; 5]; 2] = [
    ["left_sole_x [m]", "left_sole_y [m]", "left_sole_yaw [rad]", "left_sole_carries", "left_sole_force [N]"],
    ["right_sole_x [m]", "right_sole_y [m]", "right_sole_yaw [rad]", "right_sole_carries", "right_sole_force [N]"],
];

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
