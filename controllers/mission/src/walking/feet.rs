//! Where the feet stand.

use nalgebra::{Isometry3, Vector3};
use robot_io::Pose2;
use robot_io::math::wrap_angle;
use walking::{Footstep, Phase};

use super::Walking;
use crate::feet::Feet;

impl Walking {
    /// Midway between both feet, the one in the air where it will land.
    pub(super) fn between_feet(&self) -> Pose2 {
        let [left, right] = self.gait.feet_when_landed().map(|foot| {
            let Footstep { position, yaw, .. } = foot;
            Pose2 { x: position.x, y: position.y, yaw }
        });
        let mean = |one: f64, other: f64| 0.5 * (one + other);
        let yaw = left.yaw + 0.5 * wrap_angle(right.yaw - left.yaw);
        Pose2 { x: mean(left.x, right.x), y: mean(left.y, right.y), yaw }
    }

    /// The frame on the ground between both feet.
    pub(super) fn feet_frame(&self) -> Isometry3<f64> {
        let between = self.between_feet();
        let [left, right] = self.gait.feet_when_landed().map(|foot| foot.position.z);
        let place = Vector3::new(between.x, between.y, 0.5 * (left + right));
        Isometry3::new(place, Vector3::z() * between.yaw)
    }

    /// How it stands with them; none if they are where no gait can begin.
    pub(super) fn shown_feet(&self) -> Option<Feet> {
        let plan = self.gait.plan();
        self.is_ready.then(|| Feet {
            landed: self.gait.feet_when_landed(),
            begun: plan.begun(),
            planned: plan.steps().len(),
            stand: self.gait.phase() == Phase::Standing,
            base_from_feet: self.base_from_feet,
        })
    }
}
