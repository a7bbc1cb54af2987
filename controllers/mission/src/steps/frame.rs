//! Footsteps on the map and in the odometry frame.

use footsteps::FootstepPlan;
use nalgebra::{UnitQuaternion, Vector3};
use robot_io::{Pose2, State};
use walking::Footstep;

/// Where the odometry frame is on the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(super) struct Frame {
    /// Its place and heading.
    pub odom_in_map: Pose2,
    /// How much higher heights are on the map [m].
    pub up: f64,
}

impl Frame {
    /// A footstep of the odometry frame on the map.
    pub fn to_map(self, foot: &Footstep) -> Footstep {
        moved(foot, &self.odom_in_map, self.up)
    }

    /// A footstep on the map in the odometry frame.
    pub fn to_odom(self, foot: &Footstep) -> Footstep {
        moved(foot, &Pose2::default().seen_from(&self.odom_in_map), -self.up)
    }
}

/// The same plan elsewhere.
pub(super) fn each(plan: &FootstepPlan, place: impl Fn(&Footstep) -> Footstep) -> FootstepPlan {
    let mut plan = plan.clone();
    plan.feet = plan.feet.map(|foot| place(&foot));
    plan.steps.iter_mut().for_each(|step| step.foot = place(&step.foot));
    plan
}

fn moved(foot: &Footstep, frame: &Pose2, up: f64) -> Footstep {
    let Footstep { side, position, yaw, normal } = *foot;
    let at = Pose2 { x: position.x, y: position.y, yaw }.placed_at(frame);
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), frame.yaw);
    Footstep { side, position: Vector3::new(at.x, at.y, position.z + up), yaw: at.yaw, normal: turn * normal }
}

#[cfg(test)]
mod tests {
    use super::*;
    use walking::Side;

    #[test]
    fn there_and_back_is_where_it_was() {
        let frame = Frame { odom_in_map: Pose2 { x: 3.0, y: -1.0, yaw: 2.0 }, up: 0.4 };
        let normal = Vector3::new(0.1, -0.2, 1.0).normalize();
        let foot = Footstep { normal, ..Footstep::flat(Side::Right, Vector3::new(0.3, 0.7, -0.1), 0.5) };
        let back = frame.to_odom(&frame.to_map(&foot));
        assert!((back.position - foot.position).norm() + (back.normal - normal).norm() < 1e-12, "{back:?}");
        assert!((back.yaw - foot.yaw).abs() < 1e-12);
        let ahead = Footstep::flat(Side::Left, Vector3::x(), 0.0);
        let turned = Frame { odom_in_map: Pose2 { yaw: core::f64::consts::FRAC_PI_2, ..Pose2::default() }, up: 1.0 };
        assert!((turned.to_map(&ahead).position - Vector3::new(0.0, 1.0, 1.0)).norm() < 1e-12);
    }
}
