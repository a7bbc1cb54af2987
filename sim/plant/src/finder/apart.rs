//! How far apart two convex solids are.

use nalgebra::Isometry3;
use parry3d::math::{Pose, Vector};
use parry3d::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d::query::{DefaultQueryDispatcher, QueryDispatcher};
use parry3d::shape::SupportMap;

use super::convex::Convex;
use super::search::nearest;
use crate::convert::{pose, vector};
use crate::solids::Solid;

/// Of solids that are so far apart in the direction of their middles, nobody asks for more [m].
const FAR_ALONG: f64 = 0.03;

/// A search is believed if what is between both in its direction is less than what it found by no more than this [m], or this share of it.
const SHORT: f64 = 1e-5;
const SHORT_SHARE: f64 = 2e-3;

/// A search of whose distance no more than this share is there in its direction has gone astray.
const ASTRAY_SHARE: f64 = 0.5;

/// How far apart two solids are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Apart {
    /// [m]; zero if they meet.
    pub distance: f64,
    /// The direction in which they are, from the second to the first, in the second one's frame; `None` if they meet, or if it is not known.
    pub across: Option<Vector>,
}

/// How far apart two convex solids are at least [m] if the first is at a place in the second one's frame: in one direction there, of unit length.
pub(crate) fn least_apart(one: &Solid, two: &Solid, place: &Isometry3<f64>, across: Vector) -> f64 {
    apart_along(one, two, &pose(place), across)
}

/// The same.
pub(super) fn apart_along(one: &impl Convex, two: &impl Convex, place: &Pose, across: Vector) -> f64 {
    let nearest = across.dot(place.translation) - one.reach(place.rotation.inverse() * -across);
    f64::from(nearest - two.reach(across))
}

/// How far apart two solids are at least in the direction of their middles, if that is far enough for nobody to ask for more.
pub(super) fn along_middles(one: &Solid, two: &Solid, one_in_two: &Pose) -> Option<Apart> {
    let middle = |solid: &Solid| vector(&solid.bounds_in_own().0.coords);
    let across = (*one_in_two * middle(one) - middle(two)).try_normalize()?;
    let distance = apart_along(one, two, one_in_two, across);
    (distance > FAR_ALONG).then_some(Apart { distance, across: Some(across) })
}

/// Whether what is between two solids in one direction is about the distance that was found [m].
pub(super) fn is_proven(distance: f64, along: f64) -> bool {
    along > distance - SHORT - SHORT_SHARE * distance.abs()
}

/// Whether two solids that are so far apart in one direction may be at the distance that was found [m]: never nearer than that.
pub(super) fn is_possible(distance: f64, along: f64) -> bool {
    distance > along - SHORT - SHORT_SHARE * along.abs()
}

/// How far apart two solids are, if parry knows how to tell. Now and then its search in f32 stops while what it has is far too long
/// (36 mm for 0.3 mm, two boxes): what is not there in the direction that it found is asked from the other side, and if not half of it is there either, in f64.
pub(super) fn measure(one: &Solid, two: &Solid, one_in_two: &Pose) -> Option<Apart> {
    let two_in_one = one_in_two.inverse();
    let Some((first, second)) = searched(one, two) else {
        let from_two = DefaultQueryDispatcher.distance(one_in_two, &**two.shape(), &**one.shape());
        let from_one = DefaultQueryDispatcher.distance(&two_in_one, &**one.shape(), &**two.shape());
        let distance = from_one.ok().into_iter().chain(from_two.ok()).map(f64::from).reduce(f64::min)?;
        return Some(Apart { distance, across: None });
    };
    let from_two = search(one_in_two, second, first);
    let is_there = |across: Vector| is_proven(from_two.distance, apart_along(one, two, one_in_two, across));
    if from_two.distance <= 0.0 || from_two.across.is_some_and(is_there) {
        return Some(from_two);
    }
    let from_one = search(&two_in_one, first, second);
    let turned = from_one.across.map(|across| one_in_two.rotation * -across);
    let less = if from_one.distance < from_two.distance { Apart { across: turned, ..from_one } } else { from_two };
    let is_about_there = |across: Vector| apart_along(one, two, one_in_two, across) > ASTRAY_SHARE * less.distance;
    if less.distance <= 0.0 || less.across.is_some_and(is_about_there) {
        return Some(less);
    }
    let exact = nearest(second, first, one_in_two).map(|[on_two, on_one, across]| Apart {
        distance: f64::from((on_one - on_two).length()),
        across: Some(across),
    });
    Some(exact.unwrap_or(Apart { distance: 0.0, across: None }))
}

/// Two solids that parry measures by a search over their farthest points; `None` where it has a shorter way.
fn searched<'a>(one: &'a Solid, two: &'a Solid) -> Option<(&'a dyn SupportMap, &'a dyn SupportMap)> {
    let is_ball = |solid: &Solid| solid.shape().as_ball().is_some();
    let is_cuboid = |solid: &Solid| solid.shape().as_cuboid().is_some();
    if is_ball(one) || is_ball(two) || (is_cuboid(one) && is_cuboid(two)) {
        return None;
    }
    Some((one.support()?, two.support()?))
}

/// Parry's distance of two shapes, and in which direction, from the first to the second, they are so far apart.
fn search(second_in_first: &Pose, first: &dyn SupportMap, second: &dyn SupportMap) -> Apart {
    let toward = -second_in_first.translation;
    let begin = if toward.length_squared() > f32::EPSILON * f32::EPSILON { toward.normalize() } else { Vector::X };
    let mut simplex = VoronoiSimplex::new();
    simplex.reset(CsoPoint::from_shapes(second_in_first, first, second, begin));
    match closest_points(second_in_first, first, second, f32::MAX, true, &mut simplex) {
        GJKResult::ClosestPoints(from, to, across) => {
            Apart { distance: f64::from((from - to).length()), across: Some(across) }
        }
        _ => Apart { distance: 0.0, across: None },
    }
}
