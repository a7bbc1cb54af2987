//! Two convex shapes that may be near each other, and in which direction they are so.

use parry3d::math::{Pose, Vector};
use parry3d::query::gjk::GJKResult;
use parry3d::shape::TrianglePseudoNormals;

use super::apart::apart_along;
use super::convex::Convex;
use super::search;
use crate::face::Face;
use crate::solids::Solid;

/// Places that are farther apart than this tell a direction [m].
const STRAIGHT: f32 = 1e-5;
/// So far two solids are brought apart for a search that is to be sure of its direction [m].
const CLEAR: f32 = 1e-5;
/// Most such searches, and by how much farther apart along its direction one has to find the two for another one [m].
const ROUNDS: usize = 12;
const GROWS: f64 = 1e-6;
/// What a few corners say about a distance is more than this above what f32 makes of it [m].
const UNTOLD: f64 = 1e-4;

/// Where two solids are nearest by a search: on each, and the direction from the first to the second, in the first one's frame.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    pub on_first: Vector,
    pub on_second: Vector,
    pub across: Vector,
}

/// Two solids. As in parry's manifolds the first is the one whose frame everything is in.
pub(super) struct Two<'a, F> {
    pub first: &'a F,
    pub second: &'a Solid,
    pub second_in_first: &'a Pose,
    /// How thick they are around their features [m].
    pub thick: (f32, f32),
    /// The directions in which the first one may be touched, if it is a part of a surface.
    pub allowed: Option<&'a TrianglePseudoNormals>,
}

impl Nearest {
    /// What a search has found; `None` if it only found that the two are in each other.
    pub fn of(found: &GJKResult) -> Option<Nearest> {
        match *found {
            GJKResult::ClosestPoints(on_first, on_second, across) => Some(Nearest { on_first, on_second, across }),
            _ => None,
        }
    }

    /// The direction from the one place to the other, which a search that ends early does not quite tell; `None` if they are too near for that.
    pub fn straight(self) -> Option<Nearest> {
        let way = self.on_second - self.on_first;
        (way.length() > STRAIGHT && way.dot(self.across) > 0.0).then(|| Nearest { across: way.normalize(), ..self })
    }
}

impl<F: Convex> Two<'_, F> {
    /// How far apart they are at least along a direction from the first to the second [m].
    pub fn apart(&self, across: Vector) -> f64 {
        apart_along(self.second, self.first, self.second_in_first, across)
    }

    /// How far a search found them apart [m].
    pub fn distance(&self, nearest: &Nearest) -> f32 {
        (nearest.on_second - nearest.on_first).dot(nearest.across) - self.thick.0 - self.thick.1
    }

    /// The same by the whole way from the one place to the other, which is longer where a search does not quite tell the direction.
    pub fn farther(&self, nearest: &Nearest) -> f32 {
        let way = nearest.on_second - nearest.on_first;
        let along = way.dot(nearest.across);
        if along > 0.0 { way.length() - self.thick.0 - self.thick.1 } else { self.distance(nearest) }
    }

    /// How far a place is from a face of one of them, if that is not flat [m].
    pub fn over_bend(&self, is_of_second: bool, face: &Face, place: Vector) -> Option<f32> {
        if is_of_second {
            self.second.over_bend(face, self.second_in_first.inverse_transform_point(place))
        } else {
            self.first.over_bend(face, place)
        }
    }

    /// The direction of all the normals of their faces in which they are farthest apart, unless they are farther in one that is known. Along most of
    /// them a few corners show that it is less than along another. `None` if they have no normals.
    pub fn by_normals(&self, known: Option<Vector>) -> Option<Vector> {
        let few = self.first.outposts().zip(self.second.outposts());
        let ways = few.map(|(first, second)| first.ways_to(&second.placed(self.second_in_first)));
        let (mut best, mut has_normals) = (known.map(|across| (across, self.apart(across))), false);
        let mut ask = |across: Vector| {
            has_normals = true;
            if let (Some(ways), Some((_, most))) = (&ways, best)
                && f64::from(ways.least_along(across)) < most - UNTOLD
            {
                return;
            }
            let apart = self.apart(across);
            if best.is_none_or(|(_, most)| apart > most) {
                best = Some((across, apart));
            }
        };
        self.first.normals(&mut ask);
        self.second.normals(&mut |normal| ask(-(self.second_in_first.rotation * normal)));
        best.filter(|_| has_normals).map(|(across, _)| across)
    }

    /// Where they are nearest by searches for which they are brought apart along a direction, each time along what the last one found: what lies
    /// apart tells a direction, where what touches or overlaps hardly does in f32.
    pub fn search_apart(&self, mut across: Vector) -> Option<Nearest> {
        let ((first, _), (second, _)) = (self.first.features()?, self.second.features()?);
        let (mut found, mut apart) = (None, self.apart(across));
        for _ in 0..ROUNDS {
            let way = across * (CLEAR - apart as f32).max(0.0);
            let place = Pose::from_parts(self.second_in_first.translation + way, self.second_in_first.rotation);
            let [on_first, on_second, toward] = search::nearest(first, second, &place)?;
            found = Some(Nearest { on_first, on_second: on_second - way, across: toward });
            let now = self.apart(toward);
            if now < apart + GROWS {
                break;
            }
            (across, apart) = (toward, now);
        }
        found
    }

    /// Places on both that lie farthest towards each other along a direction.
    pub fn farthest(&self, across: Vector) -> Option<Nearest> {
        let ((first, _), (second, _)) = (self.first.features()?, self.second.features()?);
        let back = self.second_in_first.rotation.inverse() * -across;
        let on_second = *self.second_in_first * second.local_support_point(back);
        Some(Nearest { on_first: first.local_support_point(across), on_second, across })
    }
}
