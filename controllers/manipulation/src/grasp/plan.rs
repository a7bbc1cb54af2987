//! Grasps of an object by its shape.

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

use super::candidate::{Candidate, Reach, candidates};
use super::fit::fit;
use super::hand::Hand;
use super::settings::GraspSettings;
use super::shape::GraspObject;
use crate::error::ManipulationError;

/// A way for a hand to grasp an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grasp {
    /// Where the hand's frame is when it closes, in the object's frame [m].
    pub hand_in_object: Isometry3<f64>,
    /// The direction in which the hand comes there, in the object's frame.
    pub approach_in_object: Unit<Vector3<f64>>,
    /// The hand's share on the way there.
    pub preshape: f64,
    /// Its share with the object between the fingers, the mean of both sides.
    pub closed: f64,
    /// How far apart the fingers' innermost points are then [m], as [`Hand::width`] says it.
    pub width: f64,
    /// How far the fingers reach over what is between them [m].
    pub over: f64,
    /// How good it is, from 0 to 1: two fifths for a centre of mass between the fingers, two fifths for contact all across the hand, a fifth for
    /// room before the palm.
    pub quality: f64,
}

impl Grasp {
    /// Where the hand is before it comes straight, so far away [m], in the object's frame.
    pub fn before(&self, distance: f64) -> Isometry3<f64> {
        Translation3::from(-self.approach_in_object.into_inner() * distance) * self.hand_in_object
    }
}

/// Grasps of an object by a hand, the best first.
///
/// For each part: two parallel sides that fit between the fingers, with the hand turned around the opening direction and shifted along and
/// across; sides of what is round from all around it; walls of cups from above. Then each is held against the whole object: the hand comes along its
/// approach with open fingers, and closes; both sides have to meet the object, and squarely. The order is always the same. What is
/// around the object, and whether an arm gets there, a [`Checker`](crate::Checker) and inverse kinematics have to say.
pub fn grasps(object: &GraspObject, hand: &Hand, settings: &GraspSettings) -> Result<Vec<Grasp>, ManipulationError> {
    settings.check()?;
    let reach = Reach { width: hand.width(0.0), palm: hand.palm_front(), tip: hand.tip(0.5) };
    let axis = object.axis();
    let mut found = Vec::new();
    for part in object.taken_by() {
        for candidate in candidates(part, &reach, settings, axis.is_some()) {
            if let Some(grasp) = held(hand, object, &candidate, settings) {
                found.push(grasp);
            }
        }
    }
    if let Some((middle, along)) = axis {
        found = found.iter().flat_map(|grasp| around(grasp, &middle, &along, settings.directions)).collect();
    }
    // a stable sort: those that are equally good stay in their order
    found.sort_by(|one, other| other.quality.total_cmp(&one.quality));
    found.truncate(settings.most);
    Ok(found)
}

fn held(hand: &Hand, object: &GraspObject, candidate: &Candidate, settings: &GraspSettings) -> Option<Grasp> {
    let fit = fit(hand, object, candidate, settings)?;
    Some(Grasp {
        hand_in_object: candidate.pose * hand.canonical_in_hand.inverse(),
        approach_in_object: Unit::new_normalize(candidate.pose.rotation * Vector3::x()),
        preshape: fit.preshape,
        closed: 0.5 * (fit.shares[0] + fit.shares[1]),
        width: hand.width_of(fit.shares),
        over: candidate.over,
        quality: fit.quality,
    })
}

/// A grasp of what is round, from all around it.
fn around(
    grasp: &Grasp,
    middle: &Vector3<f64>,
    along: &Vector3<f64>,
    directions: u32,
) -> impl Iterator<Item = Grasp> + use<> {
    let (grasp, middle, axis) = (*grasp, Translation3::from(*middle), Unit::new_normalize(*along));
    (0..directions).map(move |place| {
        let angle = core::f64::consts::TAU * f64::from(place) / f64::from(directions);
        let (sin, cos) = libm::sincos(0.5 * angle);
        let turn = UnitQuaternion::new_unchecked(nalgebra::Quaternion::from_parts(cos, axis.into_inner() * sin));
        Grasp {
            hand_in_object: middle * turn * middle.inverse() * grasp.hand_in_object,
            approach_in_object: turn * grasp.approach_in_object,
            ..grasp
        }
    })
}
