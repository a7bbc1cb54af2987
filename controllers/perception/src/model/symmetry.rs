//! Turns after which an object looks the same.

use nalgebra::{Isometry3, Matrix3, Matrix6, Unit, UnitQuaternion, Vector3};
use robot_io::math::atan2;

use crate::error::PerceptionError;

/// Most turns of a symmetry, beside those about an axis by any angle: the rotations of an icosahedron are 60.
pub const MOST_TURNS: usize = 60;

/// Two turns that differ by less than this are the same [rad].
const SAME: f64 = 1e-6;

/// The turns about an object's origin after which it looks the same: a group. Poses that differ by one of them cannot be told apart, so of all of
/// these one is chosen (Schwarz et al. 2016, section 7): the one whose orientation is nearest to that of a reference, for example the robot's own,
/// so that a round cup is always seen from the same side.
#[derive(Clone, Debug, PartialEq)]
pub struct Symmetry {
    /// Turned about this axis by any angle it looks the same.
    axis: Option<Unit<Vector3<f64>>>,
    /// The other turns, that by nothing first.
    turns: Vec<UnitQuaternion<f64>>,
}

impl Default for Symmetry {
    /// None but the turn by nothing.
    fn default() -> Self {
        Symmetry { axis: None, turns: vec![UnitQuaternion::identity()] }
    }
}

impl Symmetry {
    /// The group that an axis of any angle and turns by a whole part of a circle make: each has its axis and how often it looks the same on
    /// the way round, for example 2 for a box.
    pub fn new(
        axis: Option<Unit<Vector3<f64>>>,
        folds: &[(Unit<Vector3<f64>>, u32)],
    ) -> Result<Symmetry, PerceptionError> {
        let turn = |(axis, fold): &(Unit<Vector3<f64>>, u32)| {
            UnitQuaternion::from_axis_angle(axis, core::f64::consts::TAU / f64::from((*fold).max(1)))
        };
        let generators: Vec<UnitQuaternion<f64>> = folds.iter().map(turn).collect();
        if let Some(axis) = axis
            && let Some(wrong) = generators.iter().find(|turn| (**turn * axis).dot(&axis).abs() < 1.0 - SAME)
        {
            let found = wrong * axis;
            let found = format!("one that turns it to [{:.3}, {:.3}, {:.3}]", found.x, found.y, found.z);
            return Err(PerceptionError::value("symmetry", "turns that leave the round axis where it is", found));
        }
        let mut symmetry = Symmetry { axis, ..Symmetry::default() };
        let mut next = 0;
        while next < symmetry.turns.len() {
            for generator in &generators {
                let turn = symmetry.turns[next] * generator;
                if symmetry.turns.iter().all(|known| symmetry.apart(known, &turn) > SAME) {
                    symmetry.turns.push(turn);
                }
            }
            if symmetry.turns.len() > MOST_TURNS {
                let expected = format!("turns that make a group of at most {MOST_TURNS}");
                return Err(PerceptionError::value("symmetry", expected, "more"));
            }
            next += 1;
        }
        Ok(symmetry)
    }

    /// The axis about which it is round, if it is.
    pub fn axis(&self) -> Option<Unit<Vector3<f64>>> {
        self.axis
    }

    /// The other turns, that by nothing first.
    pub fn turns(&self) -> &[UnitQuaternion<f64>] {
        &self.turns
    }

    /// Of all poses that look like this one, that whose orientation is nearest to the reference; of equally near ones, that of the first turn.
    pub fn canonical(&self, pose: &Isometry3<f64>, reference: &UnitQuaternion<f64>) -> Isometry3<f64> {
        let mut best: Option<(f64, UnitQuaternion<f64>)> = None;
        for turn in &self.turns {
            let turned = self.untwisted(&(pose.rotation * turn), reference);
            let angle = reference.angle_to(&turned);
            if best.is_none_or(|(least, _)| angle < least - 1e-9) {
                best = Some((angle, turned));
            }
        }
        Isometry3::from_parts(pose.translation, best.map_or(pose.rotation, |(_, rotation)| rotation))
    }

    /// The angle between two orientations of the object as one can see it [rad].
    pub fn angle_between(&self, one: &UnitQuaternion<f64>, other: &UnitQuaternion<f64>) -> f64 {
        let at = |rotation: &UnitQuaternion<f64>| Isometry3::from_parts(Vector3::zeros().into(), *rotation);
        self.canonical(&at(one), other).rotation.angle_to(other)
    }

    /// A covariance (translation, then rotation, along the axes of the frame in which the object is turned by `rotation`) in which nothing is known of the
    /// turn about the round axis: π²/3 rad², an angle that is uniform on the circle. It stays as it is for what is not round.
    pub fn forget_free_turn(&self, covariance: &Matrix6<f64>, rotation: &UnitQuaternion<f64>) -> Matrix6<f64> {
        let Some(axis) = self.axis else { return *covariance };
        let axis = (rotation * axis).into_inner();
        let outer = axis * axis.transpose();
        let mut keep = Matrix6::identity();
        keep.fixed_view_mut::<3, 3>(3, 3).copy_from(&(Matrix3::identity() - outer));
        let mut free = Matrix6::zeros();
        let uniform = core::f64::consts::PI * core::f64::consts::PI / 3.0;
        free.fixed_view_mut::<3, 3>(3, 3).copy_from(&(outer * uniform));
        keep * covariance * keep + free
    }

    /// Turned about the round axis so that it is nearest to the reference: of the turn between them only the swing is left (swing and twist,
    /// Dobrowolski 2015).
    fn untwisted(&self, rotation: &UnitQuaternion<f64>, reference: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
        let Some(axis) = self.axis else { return *rotation };
        let between = reference.inverse() * rotation;
        let half = atan2(-between.imag().dot(&axis), between.w);
        rotation * UnitQuaternion::from_axis_angle(&axis, 2.0 * half)
    }

    fn apart(&self, one: &UnitQuaternion<f64>, other: &UnitQuaternion<f64>) -> f64 {
        self.untwisted(one, other).angle_to(other)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn examples() -> Vec<Symmetry> {
        let [x, y, z] = [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()];
        vec![
            Symmetry::default(),
            Symmetry::new(Some(z), &[]).unwrap(),
            Symmetry::new(Some(z), &[(x, 2)]).unwrap(),
            Symmetry::new(None, &[(x, 2), (y, 2)]).unwrap(),
            Symmetry::new(None, &[(z, 4), (x, 2)]).unwrap(),
            Symmetry::new(None, &[(z, 4), (x, 4)]).unwrap(),
        ]
    }

    #[test]
    fn groups_have_as_many_turns_as_they_should() {
        let counts: Vec<usize> = examples().iter().map(|symmetry| symmetry.turns().len()).collect();
        assert_eq!(counts, [1, 1, 2, 4, 8, 24]);
    }

    #[test]
    fn turns_that_make_no_finite_group_or_tilt_a_round_axis_are_refused() {
        let slanted = Unit::new_normalize(Vector3::new(0.3, 0.1, 1.0));
        let endless = Symmetry::new(None, &[(Vector3::z_axis(), 5), (slanted, 7)]).unwrap_err().to_string();
        assert!(endless.contains("at most 60"), "{endless}");
        let tilts = Symmetry::new(Some(Vector3::z_axis()), &[(Vector3::x_axis(), 4)]).unwrap_err().to_string();
        assert!(tilts.contains("leave the round axis"), "{tilts}");
    }

    proptest! {
        #[test]
        fn poses_that_look_alike_have_one_canonical_pose(
            turn in prop::array::uniform3(-3.0_f64..3.0), reference in prop::array::uniform3(-3.0_f64..3.0),
            which in 0_usize..6, choice in 0_usize..24, twist in -3.0_f64..3.0,
        ) {
            let symmetry = &examples()[which];
            let reference = UnitQuaternion::new(Vector3::from(reference));
            let rotation = UnitQuaternion::new(Vector3::from(turn));
            let pose = Isometry3::from_parts(Vector3::new(1.0, 2.0, 3.0).into(), rotation);
            let mut other = pose * symmetry.turns()[choice % symmetry.turns().len()];
            if let Some(axis) = symmetry.axis() {
                other.rotation *= UnitQuaternion::from_axis_angle(&axis, twist);
            }
            let [one, other] = [pose, other].map(|pose| symmetry.canonical(&pose, &reference));
            // two are equally near to the reference on the border between them
            let angles = [one, other].map(|pose| pose.rotation.angle_to(&reference));
            prop_assert!((angles[0] - angles[1]).abs() < 1e-6);
            prop_assert!(symmetry.angle_between(&one.rotation, &rotation) < 1e-6);
            let second = symmetry.turns().iter().map(|turn| {
                let turned = Isometry3::from_parts(one.translation, one.rotation * turn);
                symmetry.untwisted(&turned.rotation, &reference).angle_to(&reference)
            });
            let is_alone = second.filter(|angle| angle - angles[0] < 1e-4).count() == 1 && angles[0] < 3.1;
            prop_assert!(!is_alone || one.rotation.angle_to(&other.rotation) < 1e-5);
            prop_assert_eq!(one.translation, pose.translation);
        }
    }
}
