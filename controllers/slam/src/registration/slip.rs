//! How odometry slips, learnt while driving.

use nalgebra::{Isometry3, Matrix3, Matrix4, Vector3, Vector4};
use robot_io::State;

/// What odometry makes wrong in proportion to the motion: a part of each metre and of each turn that it reports. A sweep takes
/// over a second; odometry undoes the motion within it, and what it makes wrong bends the sweep. Knowing that beforehand keeps
/// sweeps straight.
///
/// Learnt by normalised least mean squares (Widrow and Hoff, "Adaptive switching circuits", 1960).
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct SlipModel {
    /// Slip along x, y, z [m] and about z [rad] of the base, by what odometry reports: along x, along y and in all [m], and about
    /// z [rad].
    per_motion: Matrix4<f64>,
}

impl SlipModel {
    /// Share of what a motion teaches that is believed at once.
    const PACE: f64 = 0.3;
    /// A motion much smaller than this teaches nothing [m].
    const LEAST_MOTION: f64 = 0.1;
    /// What nobody confirms fades away over this way [m].
    const REMEMBERED: f64 = 3.0;

    /// The motion within the one that odometry reports that it does not: the base now, in the base now by odometry.
    pub fn slip(&self, by_odometry: &Isometry3<f64>) -> Isometry3<f64> {
        let slip = self.per_motion * features(by_odometry);
        Isometry3::new(slip.xyz(), Vector3::z() * slip.w)
    }

    /// Learns from a motion. `left` is where the base was found to be, seen from where odometry and [`slip`](SlipModel::slip)
    /// led. No slip is larger than `most`: what odometry itself owns to, ordered as what is learnt.
    pub fn learn(&mut self, by_odometry: &Isometry3<f64>, left: &Isometry3<f64>, most: &Matrix4<f64>) {
        let features = features(by_odometry);
        let turn = left.rotation.scaled_axis();
        let error = left.translation.vector.push(turn.z);
        let size = SlipModel::LEAST_MOTION * SlipModel::LEAST_MOTION + features.norm_squared();
        self.per_motion += error * features.transpose() * (SlipModel::PACE / size);
        self.per_motion.zip_apply(most, |part, most| *part = part.clamp(-most.abs(), most.abs()));
    }

    /// Adds slip that is known: of the way, by the way, and of the way, by the turn about z [m/rad].
    pub fn add(&mut self, by_way: &Matrix3<f64>, by_turn: &Vector3<f64>) {
        let mut part = self.per_motion.fixed_view_mut::<3, 2>(0, 0);
        part += by_way.fixed_columns::<2>(0);
        let mut part = self.per_motion.fixed_view_mut::<3, 1>(0, 3);
        part += by_turn;
    }

    /// Forgets with the way that nobody could judge: on ground where nothing tells how far the robot has come, odometry is all
    /// there is, and what was learnt elsewhere, or was never true, must not lead it astray.
    pub fn forget(&mut self, by_odometry: &Isometry3<f64>) {
        let way = by_odometry.translation.vector.norm() + by_odometry.rotation.angle();
        self.per_motion *= SlipModel::REMEMBERED / (SlipModel::REMEMBERED + way);
    }
}

fn features(by_odometry: &Isometry3<f64>) -> Vector4<f64> {
    let moved = by_odometry.translation.vector;
    Vector4::new(moved.x, moved.y, moved.norm(), by_odometry.rotation.scaled_axis().z)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// An odometry that is wrong in a steady way becomes right within a few metres of mixed driving.
        #[test]
        fn a_steady_error_is_learnt(scale in -0.05_f64..0.05, veer in -0.03_f64..0.03, turn_scale in -0.05_f64..0.05) {
            let mut model = SlipModel::default();
            let mut left = Isometry3::identity();
            for step in 0..200 {
                let (ahead, turn) = ([0.5, 0.3, -0.2, 0.0][step % 4], [0.0, 0.3, -0.4, 0.5][step % 4]);
                let reported = Isometry3::new(Vector3::new(ahead, 0.0, 0.0), Vector3::z() * turn);
                let yaw = turn * turn_scale + veer * f64::abs(ahead);
                let missing = Isometry3::new(Vector3::new(scale * ahead, 0.0, 0.0), Vector3::z() * yaw);
                left = model.slip(&reported).inv_mul(&missing);
                model.learn(&reported, &left, &Matrix4::repeat(0.1));
            }
            prop_assert!(left.translation.vector.norm() < 2e-3 && left.rotation.angle() < 2e-3, "{}", left);
        }

        /// Whatever registration claims, no more is learnt than odometry owns to, and where nothing holds it fades.
        #[test]
        fn slip_is_bounded_and_fades_where_nobody_can_judge(jump in -5.0_f64..5.0, most in 0.01_f64..0.2) {
            let (mut model, reported) = (SlipModel::default(), Isometry3::translation(0.5, 0.0, 0.0));
            (0..20).for_each(|_| model.learn(&reported, &Isometry3::translation(jump, 0.0, 0.0), &Matrix4::repeat(most)));
            let learnt = model.slip(&reported).translation.vector.norm();
            // three of its numbers belong to a way straight ahead
            prop_assert!(learnt <= 3.0 * most * 0.5 + 1e-12, "{}", learnt);
            (0..20).for_each(|_| model.forget(&reported));
            prop_assert!(model.slip(&reported).translation.vector.norm() <= 0.06 * learnt, "{:?}", model);
        }
    }
}
