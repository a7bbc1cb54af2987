//! Going to a place.

use core::f64::consts::PI;

use nalgebra::{Isometry3, UnitQuaternion, Vector3};

use super::goal::{Frame, HandFailure, Place};
use super::plan::{ENOUGH, Planned, Refusal, Work};
use super::scene::Touch;
use crate::setup::Thing;

/// Where any turn is as good, so many are tried on half a circle; chosen.
const TURNS: u32 = 6;

impl Work<'_> {
    /// To the nearest of the first few places that can be reached, of all that are as good.
    pub fn to_place(&self, place: &Place) -> Result<Planned, Refusal> {
        let body = &self.question.body;
        let mut checker = self.checker(Touch::Nothing, &body.model)?;
        let mut beyond = self.checker(Touch::Anything, &body.close)?;
        let by = self.question.base_in_odom.rotation * place.then;
        let (mut found, mut first_refusal) = (Vec::new(), None);
        for wanted in self.places_of_hand(place)? {
            let end = Isometry3::from_parts((wanted.translation.vector + by).into(), wanted.rotation);
            let leads_on = |arm: &[f64]| {
                by.norm() == 0.0 || self.line(&end, &self.with_arm(arm), Touch::Anything, &mut beyond).is_ok()
            };
            match self.joints_at(&wanted, &self.start, &mut checker, leads_on) {
                Ok(goal) => found.push(goal),
                Err(refusal) => first_refusal = first_refusal.or(Some(refusal)),
            }
            if found.len() == ENOUGH {
                break;
            }
        }
        match first_refusal {
            Some(refusal) if found.is_empty() => Err(refusal),
            _ => Ok(Planned { legs: self.around(Touch::Nothing, &found)?.1, ..Planned::default() }),
        }
    }

    /// Where the hand may be in the odometry frame: one place, or several that are as good.
    fn places_of_hand(&self, place: &Place) -> Result<Vec<Isometry3<f64>>, Refusal> {
        let frame = match place.frame {
            Frame::Base => self.question.base_in_odom,
            Frame::Odometry => Isometry3::identity(),
            Frame::Object(model) => {
                let object = self.question.known.nearest(&model, &self.hand());
                object.ok_or(HandFailure::NoObject(model))?.pose_in_odom
            }
        };
        let mut wanted = frame * place.pose;
        if place.along_base {
            wanted.rotation = self.question.base_in_odom.rotation * place.pose.rotation;
        }
        let turned = |turn: UnitQuaternion<f64>| Isometry3::from_parts(wanted.translation, turn * wanted.rotation);
        let turns = place.any_turn.then(turns_about_the_vertical).into_iter().flatten();
        let all = core::iter::once(wanted).chain(turns.map(turned));
        if !place.of_held {
            return Ok(all.collect());
        }
        let held = self.question.held[self.question.arm].ok_or(HandFailure::Holds(None))?;
        let in_hand = held.pose_in_hand.inverse();
        let looks = self.question.body.thing(&held.model).map(Thing::looks).unwrap_or_default();
        Ok(all.flat_map(|object| looks.iter().map(move |turn| object * (*turn * in_hand))).collect())
    }
}

/// All but none, the smallest first.
fn turns_about_the_vertical() -> impl Iterator<Item = UnitQuaternion<f64>> {
    let angles = (1..=TURNS).flat_map(|step| [1.0, -1.0].map(|side| side * f64::from(step) * PI / f64::from(TURNS)));
    angles.map(|angle| UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle)).take(2 * TURNS as usize - 1)
}
