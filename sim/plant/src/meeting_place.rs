//! Where two convex solids were nearest to each other a step ago: from there the search goes on in the next.
//!
//! A search that begins between the middles takes a dozen steps; one that begins at the corners that were nearest takes one or two. What it
//! begins with decides about the last bits of what it finds, so that it is a part of the state.

use core::cell::Cell;

use nalgebra::Vector3;
use parry3d::math::{Pose, Vector};
use parry3d::query::epa::EPA;
use parry3d::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d::shape::SupportMap;
use robot_io::State;

use crate::convert::{vector, vector64};

/// Most corners that a search begins with.
const MOST: usize = 4;

/// Corners of two solids between which they are nearest, by pairs.
#[derive(Clone, Copy, Debug, Default, State)]
pub(crate) struct MeetingPlace {
    count: usize,
    corners: [Corners; MOST],
}

/// A corner of each, in its own solid's frame [m].
#[derive(Clone, Copy, Debug, Default, State)]
struct Corners {
    first: Vector3<f64>,
    second: Vector3<f64>,
}

impl MeetingPlace {
    /// Whether there is one.
    pub fn is_known(&self) -> bool {
        self.count > 0
    }

    /// Parry's search for where two shapes are nearest to each other, or for the least way out of each other, from here; afterwards this is
    /// where it ended. They are told apart if that is by more than `reach` [m]. `out` is memory for what is in each other.
    pub fn search(
        &mut self,
        second_in_first: &Pose,
        first: &dyn SupportMap,
        second: &dyn SupportMap,
        reach: f32,
        out: &mut EPA,
    ) -> GJKResult {
        let begun = self.placed(second_in_first);
        let mut simplex = VoronoiSimplex::new();
        if self.is_known() {
            span(&mut simplex, &begun[..self.count.min(MOST)]);
        } else {
            let toward = second_in_first.translation.try_normalize().unwrap_or(Vector::X);
            simplex.reset(CsoPoint::from_shapes(second_in_first, first, second, toward));
        }
        let mut found = closest_points(second_in_first, first, second, reach, true, &mut simplex);
        if found == GJKResult::Intersection {
            let out = out.closest_points(second_in_first, first, second, &simplex);
            found = out
                .map_or(found, |(on_first, on_second, across)| GJKResult::ClosestPoints(on_first, on_second, across));
        }
        self.end(second_in_first, &begun, &simplex);
        found
    }

    /// The pairs of corners, in the first one's frame.
    fn placed(&self, second_in_first: &Pose) -> [CsoPoint; MOST] {
        self.corners.map(|Corners { first, second }| CsoPoint::new(vector(&first), *second_in_first * vector(&second)))
    }

    /// Takes up where a search has ended. Corners with which it began stay what they are to the bit, or they would wander.
    fn end(&mut self, second_in_first: &Pose, begun: &[CsoPoint; MOST], simplex: &VoronoiSimplex) {
        let (known, before) = (self.count.min(MOST), self.corners);
        self.count = simplex.dimension() + 1;
        for place in 0..self.count {
            let point = simplex.point(place);
            self.corners[place] = match begun[..known].iter().position(|begun| begun == point) {
                Some(same) => before[same],
                None => Corners {
                    first: vector64(point.orig1),
                    second: vector64(second_in_first.inverse_transform_point(point.orig2)),
                },
            };
        }
    }
}

/// Makes a simplex of some corners, as thin as it may be: parry adds no corner that lies too near the others, and so it is made of such as lie far
/// apart, and the corners then take their places.
fn span(simplex: &mut VoronoiSimplex, corners: &[CsoPoint]) {
    simplex.reset(CsoPoint::ZERO);
    for axis in [Vector::X, Vector::Y, Vector::Z].into_iter().take(corners.len() - 1) {
        simplex.add_point(CsoPoint::single_point(axis));
    }
    let place = Cell::new(0);
    simplex.modify_pnts(&|corner| *corner = corners[place.replace(place.get() + 1)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use parry3d::math::Rotation;
    use parry3d::shape::Cuboid;

    #[test]
    fn a_search_that_goes_on_finds_what_a_new_one_finds() {
        let (first, second) = (Cuboid::new(Vector::new(0.1, 0.2, 0.15)), Cuboid::new(Vector::new(0.2, 0.1, 0.1)));
        let mut place = MeetingPlace::default();
        for step in 0..2_000 {
            let turned = 1e-3 * step as f32;
            let turn = Rotation::from_rotation_x(0.4 + turned) * Rotation::from_rotation_z(0.7 + 0.6 * turned);
            let pose = Pose::from_parts(Vector::new(0.03, 0.45 + 0.02 * (5.0 * turned).sin(), 0.01), turn);
            let found = |place: &mut MeetingPlace| match place.search(&pose, &first, &second, f32::MAX, &mut EPA::new())
            {
                GJKResult::ClosestPoints(on_first, on_second, _) => (on_first - on_second).length(),
                _ => f32::NAN,
            };
            let (goes_on, new) = (found(&mut place), found(&mut MeetingPlace::default()));
            assert!((goes_on - new).abs() < 1e-5 + 2e-3 * new, "step {step}: {goes_on} m, {new} m");
            assert!(place.is_known());
        }
    }
}
