//! How far a scan sees past things: what stands alone has lines on both sides that see beyond it, a wall has not.

use nalgebra::{Point3, Vector2};
use robot_io::State;

use super::Glimpse;

/// A line beside a thing sees past it if it meets nothing up to so far behind the thing's face [m]: of two lines on a wall, one meets it
/// before the other.
const BEYOND: f64 = 0.25;

/// Horizontal distance to the nearest thing that stands, on both sides of the scanner.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(super) struct Profile {
    /// Horizontal direction of the scan's one side.
    side: Vector2<f64>,
    /// Distance there, and on the other side [m]; infinite if nothing stands there.
    nearest: [f64; 2],
}

impl Profile {
    /// Of a scan, some points of which belong to things that stand.
    pub fn of<'a>(glimpse: &Glimpse, standing: impl Iterator<Item = &'a Point3<f64>>) -> Profile {
        let seen_from = |point: &Point3<f64>| (point - glimpse.scanner).xy();
        let farther = |a: Vector2<f64>, b: Vector2<f64>| if b.norm_squared() > a.norm_squared() { b } else { a };
        let side = glimpse.points.iter().map(seen_from).fold(Vector2::zeros(), farther);
        let mut nearest = [f64::INFINITY; 2];
        for place in standing.map(seen_from) {
            let nearest = &mut nearest[usize::from(place.dot(&side) < 0.0)];
            *nearest = nearest.min(place.norm());
        }
        Profile { side, nearest }
    }

    /// True if the scan sees past something in about the same direction, at a place relative to the scanner [m].
    pub fn sees_past(&self, place: &Vector2<f64>) -> bool {
        self.nearest[usize::from(place.dot(&self.side) < 0.0)] > place.norm() + BEYOND
    }
}
