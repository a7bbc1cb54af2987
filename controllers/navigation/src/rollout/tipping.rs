//! How near the robot would be to tipping over at a place, from the heights under its feet.

use nalgebra::{Matrix3, Vector3};
use robot_io::Pose2;
use robot_io::math::{atan2, cos, hypot, sin};

use super::surroundings::Surroundings;
use crate::Footprint;

const GRAVITY: f64 = 9.81;

/// Angle between the force on the centre of mass and the nearest edge of what the robot stands on [rad], at a pose on the map;
/// negative: it tips. `None` where fewer than three feet stand on ground that is known.
///
/// It is the force–angle measure (Papadopoulos and Rey 1996) on the plane through the ground under the feet, against the
/// worst direction of an `acceleration` [m/s²]. The control of the base takes `leveled_share` of the slope out.
pub(crate) fn margin(
    pose: &Pose2,
    footprint: &Footprint,
    surroundings: &Surroundings,
    acceleration: f64,
    leveled_share: f64,
) -> Option<f64> {
    let (slope_x, slope_y) = slope_under(pose, footprint, surroundings)?;
    let [x, y, height] = footprint.center_of_mass;
    let downhill = height * (1.0 - leveled_share);
    let (x, y) = (x - downhill * slope_x, y - downhill * slope_y);
    let to_edge = footprint.edges().map(|(from, to)| {
        let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
        (dx * (y - from[1]) - dy * (x - from[0])) / hypot(dx, dy).max(1e-12)
    });
    let distance = to_edge.fold(f64::INFINITY, f64::min) - footprint.foot_radius;
    Some(atan2(distance, height.max(1e-3)) - atan2(acceleration, GRAVITY))
}

/// Slope of the plane through the ground under the feet, forward and left.
fn slope_under(pose: &Pose2, footprint: &Footprint, surroundings: &Surroundings) -> Option<(f64, f64)> {
    let (s, c) = (sin(pose.yaw), cos(pose.yaw));
    let (mut normal, mut right, mut known) = (Matrix3::zeros(), Vector3::zeros(), 0);
    for [x, y, _] in &footprint.feet {
        if let Some(height) = surroundings.height(pose.x + c * x - s * y, pose.y + s * x + c * y) {
            let row = Vector3::new(*x, *y, 1.0);
            normal += row * row.transpose();
            right += row * height;
            known += 1;
        }
    }
    if known < 3 {
        return None;
    }
    let plane = normal.try_inverse()? * right;
    Some((plane.x, plane.y))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::super::surroundings::Ground;
    use super::*;
    use core::f64::consts::FRAC_PI_2;

    fn margin_on(slope: f64, yaw: f64, leveled_share: f64) -> Option<f64> {
        let feet = [[0.3, 0.28], [0.3, -0.28], [-0.3, 0.28], [-0.3, -0.28]].map(|[x, y]| [x, y, -0.5]);
        let footprint = Footprint::on_feet(&feet, 0.1, [0.0, 0.0, 0.6]);
        let pose = Pose2 { x: 0.0, y: 0.0, yaw };
        let ground = |x: f64, _: f64| Ground { height: (slope * x) as f32, cost: 0.0 };
        let surroundings = Surroundings::around(&pose, ground);
        margin(&pose, &footprint, &surroundings, 0.0, leveled_share)
    }

    #[test]
    fn on_the_flat_it_is_that_of_the_narrower_side() {
        assert!((margin_on(0.0, 0.0, 0.5).unwrap() - (0.28_f64 / 0.6).atan()).abs() < 1e-6);
    }

    #[test]
    fn a_slope_takes_margin_away_and_standing_along_it_takes_less() {
        let slope = 20_f64.to_radians().tan();
        let (along, across) = (margin_on(slope, 0.0, 0.0).unwrap(), margin_on(slope, FRAC_PI_2, 0.0).unwrap());
        assert!((along - ((0.3 - 0.6 * slope) / 0.6).atan()).abs() < 0.05, "{along}");
        assert!(across < along, "{across} {along}");
        assert!(margin_on(slope, 0.0, 1.0).unwrap() > along, "a level base has more");
        assert!(margin_on(0.7, 0.0, 0.0).unwrap() < 0.0, "on 35 degrees it tips");
    }

    #[test]
    fn of_unknown_ground_nothing_is_said() {
        assert_eq!(margin_on(f64::NAN, 0.0, 0.5), None);
    }
}
