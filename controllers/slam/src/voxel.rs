//! Space in small cubes.

use nalgebra::Point3;

/// One voxel's place as a number: x, then y, then z, so that neighbours along z are neighbours in order.
pub(crate) type Key = u64;

const BITS: u32 = 21;
const MIDDLE: i64 = 1 << (BITS - 1);
const LAST: i64 = (1 << BITS) - 1;

/// The voxel of this side [m] that holds a point, counted along x, y, z.
pub(crate) fn cell(point: &Point3<f64>, side: f64) -> [i64; 3] {
    [point.x, point.y, point.z].map(|value| (value / side).floor() as i64)
}

/// The key of a voxel.
pub(crate) fn key(cell: &[i64; 3]) -> Key {
    cell.iter().fold(0, |key, index| key << BITS | (index.saturating_add(MIDDLE)).clamp(0, LAST) as u64)
}
