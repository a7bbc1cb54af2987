//! The ground under a footprint, as the prior map knows it.

use robot_io::math::{atan2, cos, sin};
use robot_io::{HeightMap, Pose2};

/// Samples along each side of the footprint.
const SIDE: usize = 5;

/// A plane under the robot, and how far the ground departs from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ground {
    /// Slope in the robot's x direction [rad]; positive where it goes up.
    pub slope_along: f64,
    /// Slope in the robot's y direction [rad]; positive where it goes up to the left.
    pub slope_across: f64,
    /// Largest departure of the ground from that plane [m].
    pub step: f64,
}

/// The least-squares plane through 5 × 5 samples of `map` under a footprint of `length` × `width` [m] at `pose`;
/// `None` if the map does not know all of them.
///
/// On a grid that is symmetric about its middle the normal equations decouple: slope = Σ u·h / Σ u².
pub fn ground_under(map: &HeightMap, pose: &Pose2, length: f64, width: f64) -> Option<Ground> {
    let (s, c) = (sin(pose.yaw), cos(pose.yaw));
    let offset = |index: usize, size: f64| size * (index as f64 / (SIDE - 1) as f64 - 0.5);
    let mut heights = [[0.0; SIDE]; SIDE];
    let (mut sum, mut sum_u, mut sum_v, mut sum_uu, mut sum_vv) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (i, column) in heights.iter_mut().enumerate() {
        for (j, height) in column.iter_mut().enumerate() {
            let (u, v) = (offset(i, length), offset(j, width));
            *height = map.height_at(pose.x + c * u - s * v, pose.y + s * u + c * v)?;
            sum += *height;
            sum_u += u * *height;
            sum_v += v * *height;
            sum_uu += u * u;
            sum_vv += v * v;
        }
    }
    let mean = sum / (SIDE * SIDE) as f64;
    let (along, across) = (sum_u / sum_uu, sum_v / sum_vv);
    let mut step: f64 = 0.0;
    for (i, column) in heights.iter().enumerate() {
        for (j, height) in column.iter().enumerate() {
            let plane = mean + along * offset(i, length) + across * offset(j, width);
            step = step.max((height - plane).abs());
        }
    }
    Some(Ground { slope_along: atan2(along, 1.0), slope_across: atan2(across, 1.0), step })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use core::f64::consts::FRAC_PI_2;

    fn map(height: impl Fn(f64, f64) -> f64) -> HeightMap {
        let at = |index: usize| -5.0 + 0.25 * index as f64;
        let heights = (0..41 * 41).map(|index| height(at(index % 41), at(index / 41))).collect();
        HeightMap { cell: 0.25, origin_x: -5.0, origin_y: -5.0, columns: 41, rows: 41, heights }
    }

    #[test]
    fn a_ramp_is_a_slope_along_when_driven_up_and_across_when_driven_along() {
        let tangent = 15.0_f64.to_radians().tan();
        let ramp = map(|x, _| tangent * x);
        let up = ground_under(&ramp, &Pose2::default(), 0.8, 0.7).unwrap();
        assert!((up.slope_along.to_degrees() - 15.0).abs() < 1e-9 && up.slope_across.abs() < 1e-12, "{up:?}");
        let turned = ground_under(&ramp, &Pose2 { yaw: FRAC_PI_2, ..Pose2::default() }, 0.8, 0.7).unwrap();
        assert!((turned.slope_across.to_degrees() + 15.0).abs() < 1e-9, "the ground falls to the left: {turned:?}");
        assert!(turned.step < 1e-12);
    }

    #[test]
    fn a_kerb_is_a_step() {
        let kerb = map(|x, _| if x > 0.1 { 0.2 } else { 0.0 });
        let ground = ground_under(&kerb, &Pose2::default(), 0.8, 0.7).unwrap();
        assert!(ground.step > 0.02 && ground.step < 0.2, "{ground:?}");
    }

    #[test]
    fn what_the_map_does_not_know_is_not_invented() {
        let flat = map(|_, _| 0.0);
        assert_eq!(ground_under(&flat, &Pose2 { x: 4.8, ..Pose2::default() }, 0.8, 0.7), None, "over the edge");
    }
}
