//! From a wanted velocity to the next step.

use nalgebra::Vector2;
use robot_io::State;

use super::{Footstep, Reach, Stride, turned};

/// A wanted velocity of the robot in its own frame: x forward, y left.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Twist {
    /// Forward [m/s].
    pub forward: f64,
    /// To the left [m/s].
    pub sideways: f64,
    /// To the left [rad/s].
    pub turning: f64,
}

impl Twist {
    /// Where the other foot goes from `stance` if a step takes `period` [s]: on the other side of a middle line that moves with
    /// this velocity; `width` [m] is between the feet. Sideways and turning, the foot that leads takes the whole way of two
    /// steps and the other one closes up.
    pub fn step(&self, stance: &Footstep, period: f64, width: f64, reach: &Reach) -> Footstep {
        let outward = stance.side.other().sign();
        let leading = |rate: f64| if rate * outward > 0.0 { 2.0 * rate * period } else { 0.0 };
        let (turning, sideways) = (leading(self.turning), leading(self.sideways));
        let half = Vector2::new(0.0, 0.5 * width * outward);
        let way = half + turned(0.5 * turning, Vector2::new(self.forward * period, sideways)) + turned(turning, half);
        let off = turned(stance.yaw, way);
        let mut step = Footstep { yaw: stance.yaw + turning, ..stance.beside(width) };
        step.position = stance.position + off.push(0.0);
        let step = reach.nearest(stance, &step);
        let stride = step.stride_from(stance);
        let outward = reach.least_outward(stride.turning).min(reach.outward[1]);
        if stride.outward >= outward {
            step
        } else {
            Footstep { normal: step.normal, ..stance.stride(&Stride { outward, ..stride }) }
        }
    }

    /// This velocity after moving towards `wanted` by no more than `most` of each part ([m/s], [rad/s]).
    pub(crate) fn towards(&self, wanted: &Twist, most: f64) -> Twist {
        let near = |now: f64, goal: f64| now + (goal - now).clamp(-most, most);
        Twist {
            forward: near(self.forward, wanted.forward),
            sideways: near(self.sideways, wanted.sideways),
            turning: near(self.turning, wanted.turning),
        }
    }
}
