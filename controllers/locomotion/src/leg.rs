//! A leg in its plane: hip, knee and ankle against the place of the wheel pair.
//!
//! Angles are about the base's +y axis (nose down is positive), from the base's +z axis: a vector at angle φ and of
//! length l is (l sin φ, l cos φ) in (x, z). Turning about +y adds to φ.

use core::f64::consts::PI;

use robot_io::State;
use robot_io::math::{acos, atan2, cos, hypot, sin, wrap_angle};

/// A vector in the leg's plane: length [m] and angle with all joints at zero [rad].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Length [m].
    pub length: f64,
    /// Angle from +z about +y with all joints at zero [rad].
    pub angle: f64,
}

/// What is constant about a leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegGeometry {
    /// The hip's axis in the base's x–z plane [m].
    pub hip: (f64, f64),
    /// Hip to knee.
    pub thigh: Segment,
    /// Knee to ankle.
    pub shank: Segment,
    /// Ankle to the middle of the wheel pair, on the steering axis at the height of the axle.
    pub foot: Segment,
    /// Angle of the steering axis with all joints at zero [rad].
    pub steering: f64,
    /// The joints' signs: +1 where a positive position turns about +y.
    pub signs: [f64; 3],
    /// Lower and upper limits of hip, knee and ankle [rad].
    pub limits: [(f64, f64); 3],
    /// +1 where the knee points forward (the thigh's angle is on the +y side of the line from hip to ankle), else −1.
    pub knee_side: f64,
}

/// Where a foot is, relative to the base.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct FootPlace {
    /// Forward [m].
    pub x: f64,
    /// Up [m].
    pub z: f64,
    /// Angle of the steering axis from the base's z axis, about +y [rad].
    pub lean: f64,
}

/// A part of a leg in the leg's plane: where its joint is, and how far it is turned from where it is with all joints at
/// zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Part {
    /// The joint, forward [m].
    pub x: f64,
    /// The joint, up [m].
    pub z: f64,
    /// About +y [rad].
    pub turn: f64,
}

/// What the leg's joints must do for a foot's place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LegSolution {
    /// Hip, knee and ankle [rad], within limits.
    pub joints: [f64; 3],
    /// False if limits or the leg's length do not let the foot get there.
    pub reached: bool,
}

impl Segment {
    /// From a vector in the plane.
    pub fn new(x: f64, z: f64) -> Segment {
        Segment { length: hypot(x, z), angle: atan2(x, z) }
    }

    /// The vector, turned by an angle about +y: forward and up [m].
    pub(crate) fn turned(&self, by: f64) -> (f64, f64) {
        (self.length * sin(self.angle + by), self.length * cos(self.angle + by))
    }
}

impl LegGeometry {
    /// Where the foot is with hip, knee and ankle at `joints` [rad].
    pub fn forward(&self, joints: &[f64; 3]) -> FootPlace {
        let thigh_turn = self.signs[0] * joints[0];
        let shank_turn = thigh_turn + self.signs[1] * joints[1];
        let foot_turn = shank_turn + self.signs[2] * joints[2];
        let (thigh, shank) = (self.thigh.turned(thigh_turn), self.shank.turned(shank_turn));
        let foot = self.foot.turned(foot_turn);
        FootPlace {
            x: self.hip.0 + thigh.0 + shank.0 + foot.0,
            z: self.hip.1 + thigh.1 + shank.1 + foot.1,
            lean: wrap_angle(self.steering + foot_turn),
        }
    }

    /// Thigh, shank and foot with hip, knee and ankle at `joints` [rad].
    pub(crate) fn parts(&self, joints: &[f64; 3]) -> [Part; 3] {
        let thigh_turn = self.signs[0] * joints[0];
        let shank_turn = thigh_turn + self.signs[1] * joints[1];
        let foot_turn = shank_turn + self.signs[2] * joints[2];
        let (thigh, shank) = (self.thigh.turned(thigh_turn), self.shank.turned(shank_turn));
        let hip = Part { x: self.hip.0, z: self.hip.1, turn: thigh_turn };
        let knee = Part { x: hip.x + thigh.0, z: hip.z + thigh.1, turn: shank_turn };
        [hip, knee, Part { x: knee.x + shank.0, z: knee.z + shank.1, turn: foot_turn }]
    }

    /// The joints for a foot's place, by the law of cosines. Out of reach, the foot comes as near as the leg allows.
    pub fn inverse(&self, place: &FootPlace) -> LegSolution {
        const STRETCH: f64 = 0.999;
        let foot_turn = place.lean - self.steering;
        let foot = self.foot.turned(foot_turn);
        let (dx, dz) = (place.x - foot.0 - self.hip.0, place.z - foot.1 - self.hip.1);
        let (a, b) = (self.thigh.length, self.shank.length);
        let wanted = hypot(dx, dz);
        let distance = wanted.clamp((a - b).abs() / STRETCH + 1e-6, (a + b) * STRETCH);
        let towards = atan2(dx, dz);
        let opening = acos((a * a + distance * distance - b * b) / (2.0 * a * distance));
        let thigh_turn = towards + self.knee_side * opening - self.thigh.angle;
        let thigh = self.thigh.turned(thigh_turn);
        let (ex, ez) = (distance * sin(towards) - thigh.0, distance * cos(towards) - thigh.1);
        let shank_turn = atan2(ex, ez) - self.shank.angle;
        let turns = [thigh_turn, shank_turn - thigh_turn, foot_turn - shank_turn];
        let mut reached = (wanted - distance).abs() < 1e-9;
        let mut joints = [0.0; 3];
        for (index, joint) in joints.iter_mut().enumerate() {
            let (lower, upper) = self.limits[index];
            let position = into_range(self.signs[index] * turns[index], lower, upper);
            *joint = position.clamp(lower, upper);
            reached &= (*joint - position).abs() < 1e-9;
        }
        LegSolution { joints, reached }
    }

    /// Lowest and highest z of the foot at `x` with an upright steering axis, around the z of `nominal` [m].
    pub fn stroke(&self, nominal: &FootPlace) -> (f64, f64) {
        const STEP: f64 = 0.002;
        let end = |direction: f64| {
            let mut z = nominal.z;
            let reaches = |z: f64| self.inverse(&FootPlace { z, ..*nominal }).reached;
            while (z - nominal.z).abs() < 2.0 && reaches(z + direction * STEP) {
                z += direction * STEP;
            }
            z
        };
        (end(-1.0), end(1.0))
    }
}

/// The same angle, as near to the middle of the range as possible.
fn into_range(angle: f64, lower: f64, upper: f64) -> f64 {
    let middle = if lower.is_finite() && upper.is_finite() { 0.5 * (lower + upper) } else { 0.0 };
    let wrapped = middle + wrap_angle(angle - middle);
    debug_assert!((wrapped - middle).abs() <= PI + 1e-9);
    wrapped
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn leg(knee_side: f64) -> LegGeometry {
        LegGeometry {
            hip: (0.2, 0.01),
            thigh: Segment::new(0.02, -0.3),
            shank: Segment::new(-0.01, -0.33),
            foot: Segment::new(0.03, -0.1),
            steering: 0.05,
            signs: [1.0, -1.0, 1.0],
            limits: [(-3.0, 3.0); 3],
            knee_side,
        }
    }

    #[test]
    fn a_straight_leg_hangs_down_and_a_nose_down_turn_swings_it_back() {
        let straight = LegGeometry {
            thigh: Segment::new(0.0, -0.3),
            shank: Segment::new(0.0, -0.3),
            foot: Segment::new(0.0, -0.1),
            steering: 0.0,
            signs: [1.0; 3],
            ..leg(1.0)
        };
        let place = straight.forward(&[0.0; 3]);
        assert!((place.x - 0.2).abs() < 1e-12 && (place.z + 0.69).abs() < 1e-12, "{place:?}");
        // about +y, z goes to x: what hangs down (−z) goes to −x
        assert!(straight.forward(&[0.1, 0.0, 0.0]).x < 0.2);
    }

    #[test]
    fn out_of_reach_the_foot_stretches_towards_it() {
        let solution = leg(1.0).inverse(&FootPlace { x: 0.2, z: -2.0, lean: 0.0 });
        let place = leg(1.0).forward(&solution.joints);
        assert!(!solution.reached);
        assert!(place.z < -0.7 && (place.x - 0.2).abs() < 0.05, "{place:?}");
    }

    #[test]
    fn the_stroke_ends_where_the_leg_ends() {
        let nominal = FootPlace { x: 0.25, z: -0.5, lean: 0.0 };
        let (low, high) = leg(1.0).stroke(&nominal);
        assert!(leg(1.0).inverse(&FootPlace { z: low, ..nominal }).reached);
        assert!(!leg(1.0).inverse(&FootPlace { z: low - 0.003, ..nominal }).reached);
        assert!(high - low > 0.3, "{low} to {high}");
    }

    proptest! {
        #[test]
        fn forward_undoes_inverse(x in -0.1..0.5_f64, z in -0.65..-0.4_f64, lean in -0.3..0.3_f64, front in any::<bool>()) {
            let leg = leg(if front { 1.0 } else { -1.0 });
            let place = FootPlace { x, z, lean };
            let solution = leg.inverse(&place);
            if solution.reached {
                let back = leg.forward(&solution.joints);
                prop_assert!((back.x - x).abs() < 1e-9 && (back.z - z).abs() < 1e-9, "{:?}", back);
                prop_assert!((back.lean - lean).abs() < 1e-9, "{:?}", back);
            }
        }
    }
}
