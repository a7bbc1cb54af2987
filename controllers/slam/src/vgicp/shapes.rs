//! What the surface about each point of a sweep looks like.

use std::collections::BTreeMap;

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

/// The points that have neighbours enough, with the shape of these.
///
/// As in GICP the shape is made a disc: the least eigenvalue is `flatness`, the others are one.
pub(super) fn shapes(points: &[Point3<f64>], settings: &VgicpSettings) -> Vec<Shaped> {
    let side = settings.neighbour_reach;
    let mut cells: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (index, point) in points.iter().enumerate() {
        cells.entry(key(&cell(point, side))).or_default().push(index);
    }
    let mut near: Vec<(f64, usize)> = Vec::new();
    let mut shaped = Vec::with_capacity(points.len());
    for point in points {
        near.clear();
        let [x, y, z] = cell(point, side);
        for column in 0..9 {
            let (x, y) = (x + column / 3 - 1, y + column % 3 - 1);
            for (_, indices) in cells.range(key(&[x, y, z - 1])..=key(&[x, y, z + 1])) {
                let squares = indices.iter().map(|index| ((points[*index] - point).norm_squared(), *index));
                near.extend(squares.filter(|(square, _)| *square < side * side));
            }
        }
        let count = settings.neighbours.min(near.len());
        if count < FEWEST {
            continue;
        }
        // the index settles ties, so that the order never depends on how the selection works
        near.select_nth_unstable_by(count - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        near[..count].sort_unstable_by_key(|(_, index)| *index);
        let covariance = disc(near[..count].iter().map(|(_, index)| points[*index]), settings.flatness);
        shaped.push(Shaped { point: *point, covariance });
    }
    shaped
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
    fn a_lonely_point_has_no_shape() {
        let points = [Point3::origin(), Point3::new(0.1, 0.0, 0.0), Point3::new(9.0, 0.0, 0.0)];
        assert!(shapes(&points, &VgicpSettings::default()).is_empty());
    }
}
