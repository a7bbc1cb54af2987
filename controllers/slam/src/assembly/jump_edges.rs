//! Measurements between two objects, where a beam has met both.

use robot_io::LaserScan;
use robot_io::math::{atan2, cos, sin};

/// Tells the measurements of a scan that lie on jump edges.
///
/// Paper, section 5.1: they are found by the angle between neighbouring measurements. The line to the neighbour meets the beam
/// at a small angle there; but so it does on the floor far ahead. There, however, the surface goes on: on a plane the
/// inverse of the range is a sine over the beam's angle, so that two neighbours foretell the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct JumpEdges {
    sin_step: f64,
    cos_step: f64,
    grazing_angle: f64,
    tolerance: f64,
}

impl JumpEdges {
    pub fn new(angle_step: f64, grazing_angle: f64, tolerance: f64) -> JumpEdges {
        JumpEdges { sin_step: sin(angle_step), cos_step: cos(angle_step), grazing_angle, tolerance }
    }

    /// True if the measurement of this beam belongs to no surface.
    pub fn is_one(&self, scan: &LaserScan, beam: usize) -> bool {
        let Some(range) = scan.range(beam) else { return false };
        let [before, after] = [beam.checked_sub(1), Some(beam + 1)].map(|side| side.and_then(|side| scan.range(side)));
        let grazes =
            |neighbour: Option<f64>| neighbour.is_some_and(|other| self.angle(range, other) < self.grazing_angle);
        if !grazes(before) && !grazes(after) {
            return false;
        }
        let [second_before, second_after] =
            [beam.checked_sub(2), Some(beam + 2)].map(|side| side.and_then(|side| scan.range(side)));
        let leads_here = |near: Option<f64>, far: Option<f64>| {
            let foretold = near.zip(far).map(|(near, far)| 1.0 / (2.0 * self.cos_step / near - 1.0 / far));
            foretold.is_some_and(|foretold| (foretold - range).abs() < self.tolerance)
        };
        !leads_here(before, second_before) && !leads_here(after, second_after)
    }

    /// Angle between a beam and the line through its end and its neighbour's [rad].
    fn angle(&self, range: f64, neighbour: f64) -> f64 {
        atan2(neighbour * self.sin_step, (range - neighbour * self.cos_step).abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_io::{Period, ScanGeometry, Time};

    const STEP: f64 = 0.004363;

    fn scan(range: impl Fn(f64) -> f64) -> LaserScan {
        let geometry = ScanGeometry {
            first_angle: -0.5,
            angle_step: STEP,
            beams: 230,
            period: Period::from_milliseconds(25),
            steps_per_turn: 1440,
            min_range: 0.1,
            max_range: 30.0,
        };
        let ranges = (0..230).map(|beam| (1000.0 * range(geometry.angle(beam))).round() as u16).collect();
        LaserScan { stamp: Time::ZERO, geometry, ranges, intensities: vec![1; 230] }
    }

    fn edges(scan: &LaserScan) -> Vec<usize> {
        let filter = JumpEdges::new(STEP, 0.1, 0.06);
        (0..230).filter(|beam| filter.is_one(scan, *beam)).collect()
    }

    #[test]
    fn a_beam_between_two_objects_is_found_and_its_neighbours_stay() {
        let mut scan = scan(|angle| if angle < 0.0 { 3.0 } else { 6.0 });
        let edge = scan.ranges.iter().position(|range| *range == 6000).unwrap_or(0);
        assert!(edges(&scan).is_empty(), "a clean edge has no false measurement");
        scan.ranges[edge] = 4400;
        assert_eq!(edges(&scan), [edge]);
    }

    #[test]
    fn the_floor_far_ahead_stays() {
        // 1.4 m below the scanner; the last beam meets it 28 m away
        let floor = scan(|angle| (1.4 / libm::sin((0.05 + 0.5 * (angle + 0.5)).max(0.05))).min(28.0));
        assert!(edges(&floor).is_empty());
    }
}
