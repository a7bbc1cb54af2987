//! The points of the last sweeps in small cubes.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Point3;
use robot_io::{Packed, State, StateVisitor};

use crate::voxel::{Key, cell, key};

/// A column of voxels itself, those beside it, and those across its edges.
const COLUMNS: [[i64; 2]; 9] = [[0, 0], [-1, 0], [0, -1], [0, 1], [1, 0], [-1, -1], [-1, 1], [1, -1], [1, 1]];

/// The points of the last sweeps, a few in each voxel, in the map frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct VoxelMap {
    side: f64,
    points_per_voxel: usize,
    voxels: BTreeMap<Key, Vec<[f32; 3]>>,
}

/// The first point of each voxel.
pub(super) fn subsample(points: &[Point3<f64>], side: f64) -> Vec<Point3<f64>> {
    let mut seen = BTreeSet::new();
    points.iter().filter(|point| seen.insert(key(&cell(point, side)))).copied().collect()
}

impl VoxelMap {
    pub fn new(side: f64, points_per_voxel: usize) -> VoxelMap {
        VoxelMap { side, points_per_voxel, voxels: BTreeMap::new() }
    }

    pub fn is_empty(&self) -> bool {
        self.voxels.is_empty()
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.voxels.values().map(Vec::len).sum()
    }

    /// Adds points where there is room, and none nearer to one that is there than evenly spread points would be: lines
    /// that are measured again and again while the robot rests leave room for new ones. The authors' program does so too.
    pub fn add(&mut self, points: impl Iterator<Item = Point3<f64>>) {
        let spacing = self.side * self.side / self.points_per_voxel as f64;
        for point in points {
            let point = [point.x as f32, point.y as f32, point.z as f32];
            // by the point as it is kept, so that a restored map has it in the same voxel
            let voxel = self.voxels.entry(key(&cell(&double(&point), self.side))).or_default();
            let is_near = |other: &[f32; 3]| (double(other) - double(&point)).norm_squared() < spacing;
            if voxel.len() < self.points_per_voxel && !voxel.iter().any(is_near) {
                voxel.push(point);
            }
        }
    }

    /// Forgets voxels whose first point is farther than `range` [m] from a place.
    pub fn keep_within(&mut self, place: &Point3<f64>, range: f64) {
        let is_near = |point: &[f32; 3]| (double(point) - place).norm_squared() < range * range;
        self.voxels.retain(|_, points| points.first().is_some_and(is_near));
    }

    /// The nearest point in the voxel around a place and its 26 neighbours.
    pub fn nearest(&self, place: &Point3<f64>) -> Option<Point3<f64>> {
        let [x, y, z] = cell(place, self.side);
        let mut nearest = None;
        let mut least = f64::INFINITY;
        for [east, north] in COLUMNS {
            let (aside, ahead) = (self.as_far_as(place.x, x, east), self.as_far_as(place.y, y, north));
            if aside * aside + ahead * ahead >= least {
                continue;
            }
            let (x, y) = (x + east, y + north);
            for (_, points) in self.voxels.range(key(&[x, y, z - 1])..=key(&[x, y, z + 1])) {
                for point in points.iter().map(double) {
                    let distance = (point - place).norm_squared();
                    if distance < least {
                        (nearest, least) = (Some(point), distance);
                    }
                }
            }
        }
        nearest
    }

    /// How far a neighbouring column is at least from a place in a voxel, along one axis [m].
    fn as_far_as(&self, place: f64, voxel: i64, step: i64) -> f64 {
        match step {
            0 => 0.0,
            1.. => (voxel + 1) as f64 * self.side - place,
            _ => place - voxel as f64 * self.side,
        }
    }
}

fn double(point: &[f32; 3]) -> Point3<f64> {
    Point3::from(*point).cast()
}

impl State for VoxelMap {
    fn visit_state(&mut self, visitor: &mut dyn StateVisitor) {
        let mut counts: Vec<u16> = self.voxels.values().map(|points| points.len() as u16).collect();
        let mut points: Vec<[f32; 3]> = self.voxels.values().flatten().copied().collect();
        visitor.field("counts", &mut Packed(&mut counts));
        visitor.field("points", &mut Packed(&mut points));
        let mut points = points.into_iter();
        let voxels = counts.iter().map(|count| points.by_ref().take(usize::from(*count)).collect::<Vec<_>>());
        let first = |points: &Vec<[f32; 3]>| points.first().map(|point| key(&cell(&double(point), self.side)));
        self.voxels = voxels.filter_map(|points| first(&points).map(|key| (key, points))).collect();
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use robot_io::{StateReader, StateWriter};

    fn points() -> impl Strategy<Value = Vec<Point3<f64>>> {
        // what a map in single precision holds to the bit
        let number = || (-4000_i32..4000).prop_map(|number| f64::from(number) / 1024.0);
        prop::collection::vec((number(), number(), number()), 1..300)
            .prop_map(|points| points.into_iter().map(|(x, y, z)| Point3::new(x, y, z)).collect())
    }

    proptest! {
        #[test]
        fn the_nearest_is_that_of_all_if_it_is_nearer_than_a_voxel(points in points(), place in points()) {
            let mut map = VoxelMap::new(0.5, 1000);
            map.add(points.iter().copied());
            let kept: Vec<_> = map.voxels.values().flatten().map(double).collect();
            let distance = |point: &Point3<f64>| (point - place[0]).norm();
            let expected = kept.iter().map(distance).fold(f64::INFINITY, f64::min);
            let found = map.nearest(&place[0]).map_or(f64::INFINITY, |point| distance(&point));
            prop_assert!(found >= expected && (found == expected || expected > 0.5));
        }

        #[test]
        fn a_map_survives_being_saved(points in points()) {
            let mut map = VoxelMap::new(0.5, 4);
            map.add(points.iter().copied());
            let mut back = VoxelMap::new(0.5, 4);
            StateReader::restore(&mut back, &StateWriter::save(&mut map)).unwrap();
            prop_assert_eq!(back, map);
        }

        #[test]
        fn one_point_of_each_voxel_is_kept(points in points()) {
            let kept = subsample(&points, 0.5);
            prop_assert_eq!(subsample(&kept, 0.5), kept.clone());
            let mut of_all: Vec<_> = points.iter().map(|point| cell(point, 0.5)).collect();
            let mut of_kept: Vec<_> = kept.iter().map(|point| cell(point, 0.5)).collect();
            of_all.sort_unstable();
            of_all.dedup();
            of_kept.sort_unstable();
            prop_assert_eq!(of_all, of_kept);
        }
    }

    #[test]
    fn the_same_place_again_takes_no_room() {
        let mut map = VoxelMap::new(0.4, 4);
        map.add((0..4).map(|_| Point3::new(0.01, 0.01, 0.01)));
        map.add(
            [Point3::new(0.2, 0.01, 0.01), Point3::new(0.22, 0.01, 0.01), Point3::new(0.21, 0.21, 0.01)].into_iter(),
        );
        assert_eq!(map.len(), 3);
    }

    #[test]
    fn what_is_far_away_is_forgotten() {
        let mut map = VoxelMap::new(0.3, 20);
        map.add((0..100).map(|step| Point3::new(f64::from(step), 0.0, 0.0)));
        map.keep_within(&Point3::new(50.0, 0.0, 0.0), 10.5);
        assert_eq!(map.len(), 21);
    }
}
