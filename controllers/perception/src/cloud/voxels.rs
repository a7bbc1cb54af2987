//! Points that are near each other belong together, found with cubes.

use nalgebra::Point3;

use crate::union_find::UnionFind;

/// Points in small cubes, each of which is found by its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Voxels {
    /// Place of a cube and number of a point, sorted.
    entries: Vec<(u64, u32)>,
    /// Where each cube begins in `entries`, in the same order.
    cubes: Vec<(u64, usize)>,
}

/// Cubes along an axis; farther away, points of different places share cubes, which costs time only.
const BITS: u32 = 21;
const MASK: u64 = (1 << BITS) - 1;

impl Voxels {
    /// Joins all points that are no farther apart than `tolerance` [m] (Euclidean clustering, Rusu 2009). In cubes with a diagonal
    /// of that length all points belong together; cubes up to two away are compared point by point until a pair is near.
    pub fn join(&mut self, points: &[Point3<f64>], tolerance: f64, sets: &mut UnionFind) {
        let side = tolerance / 1.732_050_807_568_877_2;
        self.fill(points, side);
        for cube in 0..self.cubes.len() {
            let own = self.points_of(cube);
            let first = self.entries[own.start].1;
            own.for_each(|entry| sets.join(first, self.entries[entry].1));
            for shift in later_neighbours() {
                let Some(other) = self.neighbour(self.cubes[cube].0, shift) else { continue };
                if sets.root(first) != sets.root(self.entries[self.cubes[other].1].1)
                    && self.is_near(cube, other, points, tolerance)
                {
                    sets.join(first, self.entries[self.cubes[other].1].1);
                }
            }
        }
    }

    fn fill(&mut self, points: &[Point3<f64>], side: f64) {
        let place = |(number, point): (usize, &Point3<f64>)| {
            let [x, y, z] = [point.x, point.y, point.z].map(|value| (value / side).floor() as i64 as u64 & MASK);
            (x << (2 * BITS) | y << BITS | z, number as u32)
        };
        self.entries.clear();
        self.entries.extend(points.iter().enumerate().map(place));
        self.entries.sort_unstable();
        self.cubes.clear();
        for (number, (place, _)) in self.entries.iter().enumerate() {
            if self.cubes.last().is_none_or(|(last, _)| last != place) {
                self.cubes.push((*place, number));
            }
        }
    }

    fn points_of(&self, cube: usize) -> core::ops::Range<usize> {
        let end = self.cubes.get(cube + 1).map_or(self.entries.len(), |(_, start)| *start);
        self.cubes[cube].1..end
    }

    fn neighbour(&self, place: u64, shift: [i64; 3]) -> Option<usize> {
        let axis = |index: u32| {
            let at = place >> ((2 - index) * BITS) & MASK;
            (at.wrapping_add_signed(shift[index as usize]) & MASK) << ((2 - index) * BITS)
        };
        let wanted = axis(0) | axis(1) | axis(2);
        self.cubes.binary_search_by_key(&wanted, |(place, _)| *place).ok()
    }

    fn is_near(&self, one: usize, other: usize, points: &[Point3<f64>], tolerance: f64) -> bool {
        let square = tolerance * tolerance;
        let point = |entry: usize| &points[self.entries[entry].1 as usize];
        self.points_of(one)
            .any(|one| self.points_of(other).any(|other| (point(one) - point(other)).norm_squared() <= square))
    }
}

/// The half of the cubes up to two away in each axis that comes after a cube.
fn later_neighbours() -> impl Iterator<Item = [i64; 3]> {
    let all = (-2..=2).flat_map(|x| (-2..=2).flat_map(move |y| (-2..=2).map(move |z| [x, y, z])));
    all.filter(|shift| *shift > [0, 0, 0])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_joins_what_comparing_all_pairs_joins(
            places in prop::collection::vec(prop::array::uniform3(-0.15_f64..0.15), 1..60),
        ) {
            let points: Vec<Point3<f64>> = places.into_iter().map(Point3::from).collect();
            let (mut found, mut expected) = (UnionFind::default(), UnionFind::default());
            found.reset(points.len());
            expected.reset(points.len());
            Voxels::default().join(&points, 0.04, &mut found);
            for one in 0..points.len() {
                for other in 0..one {
                    if (points[one] - points[other]).norm() <= 0.04 {
                        expected.join(one as u32, other as u32);
                    }
                }
            }
            for number in 0..points.len() as u32 {
                prop_assert_eq!(found.root(number), expected.root(number));
            }
        }
    }
}
