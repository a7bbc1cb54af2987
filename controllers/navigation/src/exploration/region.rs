//! What shall be explored.

use robot_io::State;

/// A piece of the map.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct Region {
    /// Its corners in order, either way round [m]; nothing if there are fewer than three.
    pub corners: Vec<[f64; 2]>,
}

impl Region {
    /// The rectangle between two opposite corners [m].
    pub fn rectangle(min: [f64; 2], max: [f64; 2]) -> Region {
        Region { corners: vec![min, [max[0], min[1]], max, [min[0], max[1]]] }
    }

    /// True if a place is inside: a line from there to the right crosses the border an odd number of times.
    pub fn contains(&self, x: f64, y: f64) -> bool {
        let next = self.corners.iter().cycle().skip(1);
        let crosses = |(a, b): &(&[f64; 2], &[f64; 2])| {
            (a[1] > y) != (b[1] > y) && x < a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
        };
        self.corners.iter().zip(next).filter(crosses).count() % 2 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rectangle_and_a_bent_region_hold_what_is_inside() {
        let rectangle = Region::rectangle([-1.0, 0.0], [3.0, 2.0]);
        assert!(rectangle.contains(0.0, 1.0) && !rectangle.contains(3.1, 1.0) && !rectangle.contains(0.0, -0.1));
        let bent = Region { corners: vec![[0.0, 0.0], [4.0, 0.0], [4.0, 1.0], [1.0, 1.0], [1.0, 4.0], [0.0, 4.0]] };
        assert!(bent.contains(3.0, 0.5) && bent.contains(0.5, 3.0) && !bent.contains(3.0, 3.0));
        assert!(!Region::default().contains(0.0, 0.0));
    }
}
