//! From a path to a plan that ends with both feet beside each other.

use nalgebra::{Vector2, Vector3};
use robot_io::State;

use super::{Footstep, Plan, Reach, Side, Twist, turned, wrapped};
use crate::error::WalkingError;

/// The longest plan.
const MOST: usize = 1000;
/// Nearer than this, the robot no longer turns into the direction of walking [m].
const NEAR: f64 = 0.6;
/// A point of the path that is not the last is reached at this distance [m].
const PASSED: f64 = 0.3;

/// A place for the middle between the feet, in the odometry frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Place {
    /// [m]
    pub position: Vector2<f64>,
    /// Heading [rad].
    pub yaw: f64,
}

impl Place {
    /// The place as seen from the middle between the feet ([m], [rad]).
    pub(crate) fn seen_from(&self, stand: &[Footstep; 2]) -> Twist {
        let yaw = stand[0].yaw + 0.5 * wrapped(stand[1].yaw - stand[0].yaw);
        let middle = (stand[0].position + stand[1].position).xy() * 0.5;
        let off = turned(-yaw, self.position - middle);
        Twist { forward: off.x, sideways: off.y, turning: wrapped(self.yaw - yaw) }
    }
}

/// A plan from `feet` along `path` to its last place, on level ground; headings of the places between do not count. A step
/// takes `most` of each direction at most ([m], [rad]), `width` [m] is between the feet.
pub fn plan_along(
    feet: &[Footstep; 2],
    path: &[Place],
    most: &Twist,
    width: f64,
    reach: &Reach,
) -> Result<Plan, WalkingError> {
    let (mut steps, mut stand) = (Vec::new(), *feet);
    let mut side = first_side(feet, path);
    for (number, place) in path.iter().enumerate() {
        let last = number + 1 == path.len();
        loop {
            let off = place.seen_from(&stand);
            let small = off.forward.abs().max(off.sideways.abs()) < 1e-6 && off.turning.abs() < 1e-6;
            if (last && small && steps.last().is_none_or(|step| beside(step, &stand, width)))
                || (!last && off.forward.hypot(off.sideways) < PASSED)
            {
                break;
            }
            if steps.len() == MOST {
                return Err(WalkingError::Path { most: MOST });
            }
            let stance = stand[side.other().index()];
            let step = towards(&stance, place, last, most, width, reach);
            stand[side.index()] = step;
            steps.push(step);
            side = side.other();
        }
    }
    Plan::new(steps, feet, reach)
}

/// The foot on the side of the first turn begins.
fn first_side(feet: &[Footstep; 2], path: &[Place]) -> Side {
    let left = path.first().is_none_or(|place| place.seen_from(feet).sideways >= 0.0);
    if left { Side::Left } else { Side::Right }
}

fn beside(step: &Footstep, stand: &[Footstep; 2], width: f64) -> bool {
    let other = &stand[step.side.other().index()];
    (step.position - other.beside(width).position).norm() < 1e-6
}

/// One step from `stance`: far off it turns into the direction of the place, near it only its heading there counts.
pub(crate) fn towards(
    stance: &Footstep,
    place: &Place,
    last: bool,
    most: &Twist,
    width: f64,
    reach: &Reach,
) -> Footstep {
    let seen = place.seen_from(&[*stance, stance.beside(width)]);
    let distance = seen.forward.hypot(seen.sideways);
    let bearing = libm::atan2(seen.sideways, seen.forward);
    let far = !last || distance > NEAR;
    let turning = if far { bearing } else { seen.turning };
    let ahead = if far && bearing.abs() > 0.5 { 0.0 } else { 1.0 };
    let within = |value: f64, most: f64| value.clamp(-most, most);
    let way = Twist {
        forward: within(seen.forward, most.forward) * ahead,
        sideways: within(0.5 * seen.sideways, 0.5 * most.sideways) * if far { 0.0 } else { 1.0 },
        turning: within(0.5 * turning, 0.5 * most.turning),
    };
    let mut step = way.step(stance, 1.0, width, reach);
    step.position = Vector3::new(step.position.x, step.position.y, stance.position.z);
    step
}
