//! How far apart two solids are at least, by how far they were and how they have moved since.

use nalgebra::{Isometry3, Vector3};
use parry3d::math::Vector;

use super::{DOUBT, NEAR_OWN, ROUNDING};
use crate::convert::vector64;
use crate::finder::{Apart, least_apart};
use crate::solids::Solid;

/// A pair as it was measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Seen {
    /// How much farther apart than near they were [m].
    pub room: f64,
    since: Since,
}

/// What tells how much of the room is left.
#[derive(Clone, Copy, Debug)]
enum Since {
    /// Where the first solid was in the second one's frame.
    Place(Isometry3<f64>),
    /// A direction in which they were so far apart.
    Across(Across),
}

/// A direction from the second solid to the first one that goes with the second.
#[derive(Clone, Copy, Debug)]
struct Across {
    /// In the second solid's frame.
    in_second: Vector,
    /// In the frame of the second one's carrier, and in that of the first one's as it was seen.
    in_carrier: Vector3<f64>,
    in_first_carrier: Vector3<f64>,
    /// How far the first one's middle was along it from the second one's carrier [m].
    along: f64,
}

impl Seen {
    /// Where the first solid is at a place in the second one's frame and both are apart as measured.
    pub fn new(place: &Isometry3<f64>, (first, second): (&Solid, &Solid), apart: Apart) -> Seen {
        // the search may stop too early, but what is between both in its direction is there
        let proven = apart.across.map_or(apart.distance, |across| least_apart(first, second, place, across));
        let room = apart.distance.min(proven) - NEAR_OWN;
        match apart.across {
            Some(across) => Seen::along(room, across, (first, second)),
            None => Seen { room, since: Since::Place(*place) },
        }
    }

    /// So much room in a direction in the second solid's frame.
    pub fn along(room: f64, in_second: Vector, (first, second): (&Solid, &Solid)) -> Seen {
        let in_carrier = second.in_carrier().rotation * vector64(in_second);
        let (along, in_first_carrier) = seen_along(&in_carrier, first, second);
        Seen { room, since: Since::Across(Across { in_second, in_carrier, in_first_carrier, along }) }
    }

    /// What the room may be wrong by [m].
    pub fn doubt(&self) -> f64 {
        if self.across().is_some() { ROUNDING } else { DOUBT }
    }

    /// The direction, if there is one.
    pub fn across(&self) -> Option<Vector> {
        match &self.since {
            Since::Across(across) => Some(across.in_second),
            Since::Place(_) => None,
        }
    }

    /// How much room is left at least [m].
    pub fn left(&self, first: &Solid, second: &Solid) -> f64 {
        match &self.since {
            Since::Place(place) => self.room - first.way(place, &first.in_frame_of(second)),
            Since::Across(across) => {
                let (along, in_first_carrier) = seen_along(&across.in_carrier, first, second);
                // what the first one turns brings none of its points nearer than this
                let turned = (in_first_carrier - across.in_first_carrier).norm();
                self.room + (along - across.along) - turned * first.ball_in_carrier().1
            }
        }
    }
}

/// How far the first solid's middle is along a direction in the frame of the second one's carrier from that [m], and that direction in the frame
/// of the first one's.
fn seen_along(in_carrier: &Vector3<f64>, first: &Solid, second: &Solid) -> (f64, Vector3<f64>) {
    let (from, to) = (second.carrier_in_world(), first.carrier_in_world());
    let across = from.rotation * in_carrier;
    let along = across.dot(&(first.ball().0 - from.translation.vector));
    (along, to.rotation.inverse_transform_vector(&across))
}
