//! Where two convex solids are near each other, face on face, however many corners the faces have.
//!
//! Parry's search tells the direction in which the two are farthest apart or least deep in each other. Where the normal of a face says the
//! same, the face is what the other one stands on: of the other's face that looks at it most, all that lies over it is near, and how near is
//! measured along the normal, which, unlike the search's direction, does not tremble (Gregorius, "The separating axis test between convex
//! polyhedra", 2013). Else two edges cross, or a corner is near something: then the search's direction takes the place of the normal. What parry's
//! search in f32 says is believed if the two are so far apart in some direction, and no farther in any; else one in f64 looks again (`search.rs`).

use parry3d::math::{Pose, Vector};
use parry3d::query::details::NormalConstraints;
use parry3d::query::{ContactManifold, TrackedContact};
use parry3d::shape::PackedFeatureId;

use super::MOST;
use super::apart::{is_possible, is_proven};
use super::clip::{Clip, Over, deepest, keep_few};
use super::convex::Convex;
use super::two::{Nearest, Two};
use crate::face::Face;

/// A face decides if the solids are so far apart along its normal as in any direction, or less by no more than this [m], or this share of it:
/// of two edges that nearly lie on faces, the faces tell more.
const AS_FAR: f64 = 2e-5;
const AS_FAR_SHARE: f64 = 1e-3;
/// If all that is over a face is farther than the solids by more than this, something else is nearer [m].
const MISSED: f64 = 1e-5;
/// A search in f32 that says that two solids are deeper in each other than this is doubted [m].
const DEEP: f64 = -1e-5;
/// So is one that says that they just touch: so it ends where it has lost its way.
const NOTHING: f64 = 1e-7;
/// Cosine of the angle between normals of one plane.
pub(super) const LIKE: f32 = 0.9999;
/// What lies beside a surface's triangle is not taken for what is in it if it would be deeper so many times.
const DEEPER: f64 = 5.0;
/// Cosine of the largest angle between a face and a direction in which anything is over it.
const STEEPEST: f32 = 0.1;

/// A direction from the first to the second.
#[derive(Clone, Copy)]
struct Axis {
    across: Vector,
    /// How far apart the two are along it [m].
    apart: f64,
    /// Whether it is the second one's face that is stood on.
    is_of_second: bool,
}

impl Axis {
    fn new(two: &Two<impl Convex>, across: Vector, is_of_second: bool) -> Axis {
        Axis { across, apart: two.apart(across), is_of_second }
    }
}

/// The direction along which what is near was found, and a search's places if these are nearer than all of that.
type Found = (Axis, Option<Nearest>);

/// Working memory.
#[derive(Default)]
pub(super) struct Faces {
    first: Face,
    second: Face,
    clip: Clip,
    over: Vec<Over>,
}

impl Faces {
    /// Lays the points of two solids that are less than `reach` [m] apart in a manifold, which is empty.
    pub fn lay(
        &mut self,
        two: &Two<impl Convex>,
        nearest: Option<Nearest>,
        reach: f32,
        manifold: &mut ContactManifold<(), ()>,
    ) {
        let Some(found) = self.find(two, nearest, reach) else { return };
        let Some((axis, missed)) = self.allow(two, found, reach) else { return };
        if let Some(nearest) = missed {
            keep_few(&mut self.over, MOST - 1);
            self.over.push((nearest.on_first + nearest.across * two.thick.0, two.distance(&nearest)));
        }
        manifold.points.extend(self.over.iter().map(|over| tracked(two.second_in_first, axis.across, *over)));
        let back = two.second_in_first.rotation.inverse() * -axis.across;
        (manifold.local_n1, manifold.local_n2) = (axis.across, back);
    }

    /// Finds what is near, and says along which direction it does so; and a search's places if these are nearer than all. Where a search found
    /// nothing, or what is not so, another one begins from the normals of all faces.
    fn find(&mut self, two: &Two<impl Convex>, nearest: Option<Nearest>, reach: f32) -> Option<Found> {
        let searches = [nearest, nearest.and_then(Nearest::straight)];
        let mut believed = searches.into_iter().flatten().map(|nearest| self.by_search(two, nearest, false, reach));
        if let Some(found) = believed.find_map(|found| found) {
            return Some(found);
        }
        let across = two.by_normals(nearest.map(|nearest| nearest.across))?;
        two.search_apart(across).and_then(|nearest| self.by_search(two, nearest, true, reach)).or_else(|| {
            self.look(two, &two.farthest(across)?);
            let axis = Axis::new(two, across, self.looks_more_from_second(across));
            self.stand(two, axis, reach);
            Some((axis, None))
        })
    }

    /// The same where a search has looked, if that can be believed: one in f32 cannot where the two are in each other.
    fn by_search(&mut self, two: &Two<impl Convex>, nearest: Nearest, is_exact: bool, reach: f32) -> Option<Found> {
        self.look(two, &nearest);
        let search = Axis::new(two, nearest.across, self.looks_more_from_second(nearest.across));
        let own = self.first.normal.map(|normal| Axis::new(two, normal, false));
        let other = self.second.normal.map(|normal| Axis::new(two, -normal, true));
        let most = [own, other].into_iter().flatten().fold(search.apart, |most, axis| most.max(axis.apart));
        let is_as_far = |apart: f64| apart >= most - AS_FAR - AS_FAR_SHARE * most.abs();
        let found = f64::from(two.farther(&nearest));
        let is_doubtful = !is_exact && (most < DEEP || found.abs() < NOTHING || !is_possible(found, most));
        if is_doubtful || !is_proven(found, most) {
            return None;
        }
        if let Some(face) = [own, other].into_iter().flatten().find(|face| is_as_far(face.apart)) {
            // a search that trembles may have looked at another face
            self.look(two, &Nearest { across: face.across, ..nearest });
            if self.stand(two, face, reach) {
                return Some((face, None));
            }
            self.look(two, &nearest);
        }
        let has_all = self.stand(two, search, reach);
        Some((search, (!has_all).then_some(nearest)))
    }

    /// What was found along a direction in which a surface may be touched; `None` of what is inside of it, and of what its neighbour over an edge
    /// tells.
    fn allow(&mut self, two: &Two<impl Convex>, (axis, missed): Found, reach: f32) -> Option<Found> {
        let Some(allowed) = two.allowed else { return Some((axis, missed)) };
        let across = allowed.project_local_normal(axis.across)?;
        let is_near = across.dot(axis.across) > LIKE;
        let across = if is_near { across } else { allowed.face };
        let turned = Axis::new(two, across, is_near && self.looks_more_from_second(across));
        if turned.apart < DEEPER * axis.apart.min(0.0) - AS_FAR {
            return None;
        }
        let is_of_neighbour = |edge: &Vector| {
            let normal = *edge * (2.0 * edge.dot(allowed.face)) - allowed.face;
            two.apart(normal) >= turned.apart - AS_FAR
        };
        if across.dot(allowed.face) < LIKE && allowed.edges.iter().any(is_of_neighbour) {
            return None;
        }
        if across == axis.across {
            return Some((axis, missed));
        }
        self.stand(two, turned, reach);
        Some((turned, None))
    }

    /// Takes the faces that look at each other.
    fn look(&mut self, two: &Two<impl Convex>, nearest: &Nearest) {
        let Nearest { on_first, on_second, across } = *nearest;
        let to_second = two.second_in_first.inverse();
        two.first.face_toward(across, on_first, &mut self.first);
        two.second.face_toward(to_second.rotation * -across, to_second * on_second, &mut self.second);
        self.second.place(two.second_in_first);
    }

    /// Whether the second one's face looks more along a direction than the first one's.
    fn looks_more_from_second(&self, across: Vector) -> bool {
        let along = |face: &Face| face.normal.map_or(0.0, |normal| normal.dot(across));
        -along(&self.second) > along(&self.first)
    }

    /// Finds what of one face lies over the other: places on the first solid, and how far the second is from there. True if the nearest is as
    /// near as the solids are.
    fn stand(&mut self, two: &Two<impl Convex>, axis: Axis, reach: f32) -> bool {
        self.over.clear();
        let Axis { across, is_of_second, .. } = axis;
        let (base, face, up) =
            if is_of_second { (&self.second, &self.first, -across) } else { (&self.first, &self.second, across) };
        let (Some(normal), [foot, ..]) = (base.normal, &base.corners[..]) else { return false };
        let slope = normal.dot(up);
        if slope < STEEPEST {
            return false;
        }
        let thick = two.thick.0 + two.thick.1;
        for corner in self.clip.over(&base.corners, up, &face.corners) {
            let over_bend = two.over_bend(is_of_second, base, *corner);
            let height = over_bend.unwrap_or_else(|| normal.dot(*corner - *foot)) / slope;
            let on_first = if is_of_second { *corner } else { *corner - up * height };
            if height - thick < reach {
                self.over.push((on_first + across * two.thick.0, height - thick));
            }
        }
        keep_few(&mut self.over, MOST);
        self.over.get(deepest(&self.over)).is_some_and(|(_, gap)| f64::from(*gap) < axis.apart + MISSED)
    }
}

/// A point of a manifold: how far the second solid is from a place on the first one along a direction.
pub(super) fn tracked(second_in_first: &Pose, across: Vector, (on_first, gap): Over) -> TrackedContact<()> {
    let on_second = second_in_first.inverse_transform_point(on_first + across * gap);
    TrackedContact::new(on_first, on_second, PackedFeatureId::UNKNOWN, PackedFeatureId::UNKNOWN, gap)
}

#[cfg(test)]
mod tests;
