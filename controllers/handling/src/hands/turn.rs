//! Turning what is held, about a point of it.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use super::goal::Turn;
use super::plan::{Leg, Planned, Refusal, Work};
use super::scene::Touch;

impl Work<'_> {
    /// The hand goes straight to where what it holds is turned as it shall be, and turns evenly on its way. The point that is turned about is where it shall be at
    /// both ends; between them it is off by l (1 - cos a/2) if it is l before the hand and the turn is a.
    pub fn turned(&self, turn: &Turn) -> Result<Planned, Refusal> {
        let hand = self.hand();
        let thing_in_hand =
            self.question.held[self.question.arm].map_or_else(Isometry3::identity, |held| held.pose_in_hand);
        let by = self.question.base_in_odom.rotation * turn.by;
        let wanted = Translation3::from(by) * turned(&(hand * thing_in_hand), turn) * thing_in_hand.inverse();
        let touch = if turn.may_touch { Touch::Anything } else { Touch::Nothing };
        let mut checker = self.checker(touch, &self.question.body.close)?;
        let (leg, _) = self.line(&wanted, &self.question.joints, touch, &mut checker)?;
        self.only(Leg { until: turn.until, ..leg })
    }
}

/// A thing turned about a point of its own.
fn turned(thing: &Isometry3<f64>, turn: &Turn) -> Isometry3<f64> {
    let about = Translation3::from(turn.about);
    thing * about * UnitQuaternion::from_scaled_axis(turn.turn) * about.inverse()
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point3, Vector3};

    use super::*;

    #[test]
    fn the_point_that_is_turned_about_stays() {
        let thing = Isometry3::new(Vector3::new(0.4, 0.1, 1.0), Vector3::new(0.3, -0.2, 0.9));
        let turn = Turn { turn: Vector3::new(0.0, 0.7, 0.0), about: Vector3::new(0.17, 0.0, -0.02), ..Turn::default() };
        let after = turned(&thing, &turn);
        let point = Point3::from(turn.about);
        assert!((after * point - thing * point).norm() < 1e-12);
        let turned = thing.rotation.inverse() * after.rotation;
        assert!((turned.scaled_axis() - turn.turn).norm() < 1e-12);
    }
}
