//! The last steps to where the base shall come to rest.
//!
//! The base sways over the feet, and a robot on two feet comes to rest where a step ends: near the goal it is told no velocity any more, but where its feet
//! shall stand. How the base stands over them is another thing with arms before it than with arms that hang: that is felt while it stands.

use robot_io::Pose2;
use robot_io::math::wrap_angle;
use walking::{Phase, Place, Twist};

use super::{NEAR_GOAL, Walking};
use crate::stance::Rest;

/// Over this time the base's place over the feet is averaged [s] …
const FELT: f64 = 0.5;
/// … while it is slower than this [m/s]: after its last step it sways on for a while.
const STILL: f64 = 0.02;

impl Walking {
    /// Where the base is over the feet, while both stand.
    pub(super) fn feel_stand(&mut self) {
        let odometry = self.estimator.odometry();
        if self.gait.phase() != Phase::Standing || odometry.linear_velocity_in_base.xy().norm() > STILL {
            return;
        }
        let found = odometry.pose().seen_from(&self.between_feet());
        let share = self.settings.gait.cycle / FELT;
        let base = &mut self.base_from_feet;
        base.x += share * (found.x - base.x);
        base.y += share * (found.y - base.y);
        base.yaw = wrap_angle(base.yaw + share * wrap_angle(found.yaw - base.yaw));
    }

    /// Where the feet shall stand for it, and how fast they walk there; none while the base is farther away.
    pub(super) fn arrival(&self, rest: &Rest) -> Option<(Place, Twist)> {
        let carried = self.base_from_feet.placed_at(&self.between_feet());
        let distance = carried.distance(&rest.pose_in_odom);
        if distance >= NEAR_GOAL {
            return None;
        }
        let feet = Pose2::default().seen_from(&self.base_from_feet).placed_at(&rest.pose_in_odom);
        let place = Place { position: [feet.x, feet.y].into(), yaw: feet.yaw };
        let speed = self.follower.braking(distance).min(rest.speed);
        Some((place, Twist { forward: speed, sideways: speed, turning: self.settings.gait.fastest[2] }))
    }
}
