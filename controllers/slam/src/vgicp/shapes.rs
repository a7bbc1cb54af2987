//! What the surface about each point of a sweep looks like.

use std::collections::BTreeMap;

use nabo::{KDTree, NotNan};
use nalgebra::{Matrix3, Point3, Vector3};

use super::VgicpSettings;
use crate::grid::smallest_direction;
use crate::voxel::{cell, key};

/// A point and the shape about it, as a covariance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shaped {
    pub point: Point3<f64>,
    pub covariance: Matrix3<f64>,
}

/// Fewer points tell no plane.
const FEWEST: usize = 5;

/// The mean of the points in each voxel, in the voxels' order.
pub(super) fn downsample(points: impl Iterator<Item = Point3<f64>>, side: f64) -> Vec<Point3<f64>> {
    let mut sums: BTreeMap<_, (Vector3<f64>, f64)> = BTreeMap::new();
    for point in points {
        let (sum, count) = sums.entry(key(&cell(&point, side))).or_default();
        *sum += point.coords;
        *count += 1.0;
    }
    sums.values().map(|(sum, count)| Point3::from(sum / *count)).collect()
}

/// The points, each with the shape of its nearest neighbours; none if they are too few for a plane.
///
/// As in GICP the shape is made a disc: the least eigenvalue is `flatness`, the others are one.
pub(super) fn shapes(points: &[Point3<f64>], settings: &VgicpSettings) -> Vec<Shaped> {
    let places: Vec<Place> = points.iter().filter_map(Place::new).collect();
    if places.len() < FEWEST {
        return Vec::new();
    }
    let tree = KDTree::new(&places);
    let count = settings.neighbours.min(places.len()) as u32;
    let shape = |place: &Place| {
        let near = tree.knn(count, place);
        let covariance = disc(near.iter().map(|neighbour| neighbour.point.at()), settings.flatness);
        Shaped { point: place.at(), covariance }
    };
    places.iter().map(shape).collect()
}

/// A point as the tree wants it.
#[derive(Clone, Copy, Debug, Default)]
struct Place([NotNan<f64>; 3]);

impl Place {
    /// Nothing if a coordinate is no number.
    fn new(point: &Point3<f64>) -> Option<Place> {
        let [x, y, z] = [point.x, point.y, point.z].map(NotNan::new);
        Some(Place([x.ok()?, y.ok()?, z.ok()?]))
    }

    fn at(&self) -> Point3<f64> {
        Point3::from(self.0.map(NotNan::into_inner))
    }
}

impl nabo::Point<f64> for Place {
    const DIM: u32 = 3;

    fn set(&mut self, index: u32, value: NotNan<f64>) {
        self.0[index as usize] = value;
    }

    fn get(&self, index: u32) -> NotNan<f64> {
        self.0[index as usize]
    }
}

fn disc(points: impl Iterator<Item = Point3<f64>> + Clone, flatness: f64) -> Matrix3<f64> {
    let count = points.clone().count() as f64;
    let mean = points.clone().fold(Vector3::zeros(), |sum, point| sum + point.coords) / count;
    let scatter = points.fold(Matrix3::zeros(), |sum, point| {
        let off = point.coords - mean;
        sum + off * off.transpose()
    });
    let (_, normal) = smallest_direction(&(scatter / count));
    Matrix3::identity() - normal * normal.transpose() * (1.0 - flatness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_floor_are_discs_that_lie_on_it() {
        let floor: Vec<Point3<f64>> =
            (0..400).map(|n| Point3::new(0.1 * f64::from(n % 20), 0.1 * f64::from(n / 20), 1.0)).collect();
        let few = downsample(floor.iter().copied(), 0.2);
        assert_eq!(few.len(), 100);
        let shaped = shapes(&few, &VgicpSettings::default());
        assert_eq!(shaped.len(), 100);
        for Shaped { covariance, .. } in shaped {
            let expected = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 1e-3));
            assert!((covariance - expected).norm() < 1e-9, "{covariance}");
        }
    }

    #[test]
    fn the_lines_of_a_scanner_make_a_plane() {
        // lines 0.8 m apart, as far from the scanner: the nearest dozen of a point lie in its own line
        let floor: Vec<Point3<f64>> =
            (0..100).map(|n| Point3::new(0.2 * f64::from(n % 20), 0.8 * f64::from(n / 20), 1.0)).collect();
        for Shaped { covariance, .. } in shapes(&floor, &VgicpSettings::default()) {
            assert!((covariance.m33 - 1e-3).abs() < 1e-9, "{covariance}");
        }
    }

    #[test]
    fn points_too_few_for_a_plane_have_no_shape() {
        let points = [Point3::origin(), Point3::new(0.1, 0.0, 0.0), Point3::new(9.0, 0.0, 0.0)];
        assert!(shapes(&points, &VgicpSettings::default()).is_empty());
        assert!(shapes(&[Point3::new(f64::NAN, 0.0, 0.0); 9], &VgicpSettings::default()).is_empty());
    }
}
