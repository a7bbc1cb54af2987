//! Headings as the search tells them apart, and how the robot stands at a pose.

use core::f64::consts::TAU;

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
}
