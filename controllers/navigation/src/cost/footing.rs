//! The robot's outline on the grid, at each heading.

use core::f64::consts::TAU;

use robot_io::math::{cos, sin};

use crate::stance::covers;

/// The search tells so many headings apart: 22.5° between them.
pub(crate) const HEADINGS: usize = 16;

/// The heading nearest to an angle [rad].
pub(crate) fn heading_bin(yaw: f64) -> usize {
    let bin = libm::round(yaw / TAU * HEADINGS as f64) as i64;
    bin.rem_euclid(HEADINGS as i64) as usize
}

/// The angle of a heading [rad], in (−π, π].
pub(crate) fn heading_of(bin: usize) -> f64 {
    robot_io::math::wrap_angle(bin as f64 * TAU / HEADINGS as f64)
}

/// How the robot would stand at a pose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Footing {
    /// True if something forbidden lies under the outline.
    pub is_forbidden: bool,
    /// Highest cost under the outline, 0 to 1.
    pub worst_cost: f64,
    /// Mean cost under the outline, 0 to 1.
    pub mean_cost: f64,
    /// Share of the ground under the outline that nobody knows, 0 to 1.
    pub unknown_share: f64,
    /// How far the nearest obstacle is from the base [m].
    pub clearance: f64,
}

/// The cells under the robot's outline at each heading, as steps from the cell of its base.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outlines {
    cells: Vec<Vec<(i32, i32)>>,
}

impl Outlines {
    /// The outlines of a robot with a `margin` [m] around it, on cells of side `cell` [m].
    pub fn new(polygon: &[[f64; 2]], margin: f64, cell: f64) -> Outlines {
        let radius = polygon.iter().map(|p| libm::hypot(p[0], p[1])).fold(0.0, f64::max) + margin;
        let reach = libm::ceil(radius / cell) as i32;
        let at = |bin: usize| {
            let (s, c) = (sin(heading_of(bin)), cos(heading_of(bin)));
            let square = (-reach..=reach).flat_map(|along| (-reach..=reach).map(move |across| (across, along)));
            let under = square.filter(|&(across, along)| {
                let (x, y) = (f64::from(across) * cell, f64::from(along) * cell);
                covers(polygon, [c * x + s * y, c * y - s * x], margin)
            });
            under.collect()
        };
        Outlines { cells: (0..HEADINGS).map(at).collect() }
    }

    /// The cells at a heading.
    pub fn at(&self, bin: usize) -> &[(i32, i32)] {
        self.cells.get(bin % HEADINGS).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_found_back() {
        for bin in 0..HEADINGS {
            assert_eq!(heading_bin(heading_of(bin)), bin);
            assert_eq!(heading_bin(heading_of(bin) + 0.19 - TAU), bin);
        }
    }

    #[test]
    fn the_outline_turns_with_the_robot() {
        let polygon = [[-0.4, -0.2], [0.4, -0.2], [0.4, 0.2], [-0.4, 0.2]];
        let outlines = Outlines::new(&polygon, 0.0, 0.1);
        let spans = |bin: usize| {
            let across = outlines.at(bin).iter().map(|cell| cell.0).max();
            let along = outlines.at(bin).iter().map(|cell| cell.1).max();
            (across, along)
        };
        assert_eq!((spans(0), spans(4)), ((Some(4), Some(2)), (Some(2), Some(4))));
        assert_eq!(outlines.at(0).len(), 9 * 5);
    }
}
