//! What stands around, as small cubes of space.

use nalgebra::Point3;
use robot_io::State;

/// The edge of a cube [m].
pub const EDGE: f64 = 0.01;
/// Bits of a cube's place along an axis: 21, so that three fit into a word.
const BITS: u32 = 21;
/// Places are counted from here, so that none is negative [cubes].
const MIDDLE: i64 = 1 << (BITS - 1);

/// Cubes of space in which something was seen, in the odometry frame, each once and in one order.
#[derive(Clone, Debug, Default, PartialEq, Eq, State)]
pub struct Voxels {
    keys: Vec<u64>,
}

impl Voxels {
    /// The cubes in which these points lie [m]; a point farther than 10 km from the origin is left out.
    pub fn of(points: impl Iterator<Item = Point3<f64>>) -> Voxels {
        let mut keys: Vec<u64> = points.filter_map(|point| key(&point)).collect();
        keys.sort_unstable();
        keys.dedup();
        Voxels { keys }
    }

    /// The middles of all cubes [m].
    pub fn middles(&self) -> impl Iterator<Item = Point3<f64>> + '_ {
        self.keys.iter().map(|key| middle(*key))
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// True if nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

fn key(point: &Point3<f64>) -> Option<u64> {
    let mut key = 0;
    for along in point.iter() {
        let place = libm::floor(along / EDGE);
        if place.is_nan() || place.abs() >= MIDDLE as f64 {
            return None;
        }
        key = key << BITS | (place as i64 + MIDDLE) as u64;
    }
    Some(key)
}

fn middle(key: u64) -> Point3<f64> {
    let along = |axis: u32| {
        let place = (key >> (BITS * (2 - axis)) & ((1 << BITS) - 1)) as i64 - MIDDLE;
        (place as f64 + 0.5) * EDGE
    };
    Point3::new(along(0), along(1), along(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_is_in_the_cube_that_has_it_on_both_sides_of_the_origin() {
        for point in [[0.004, -0.004, 0.0], [-3.217, 12.5, 0.741], [-0.0051, 9_999.0, -55.5]] {
            let point = Point3::from(point);
            let voxels = Voxels::of([point, point].into_iter());
            assert_eq!(voxels.len(), 1);
            let off = voxels.middles().map(|middle| (middle - point).amax()).fold(0.0, f64::max);
            assert!(off <= 0.5 * EDGE + 1e-9, "{point} is {off} m from the middle of its cube");
        }
    }

    #[test]
    fn what_is_no_place_is_left_out() {
        let wrong = [[f64::NAN, 0.0, 0.0], [f64::INFINITY, 0.0, 0.0], [0.0, 1e9, 0.0]];
        assert!(Voxels::of(wrong.into_iter().map(Point3::from)).is_empty());
    }
}
