//! The footprint as discs, so that a look at the distance to what is forbidden tells whether it hits something.

use robot_io::Pose2;
use robot_io::math::{cos, hypot, sin, tan};

use super::surroundings::Surroundings;
use crate::Footprint;
use crate::footprint::CORNERS_PER_FOOT;

/// Most discs along the outline.
const MOST: usize = 48;

/// The footprint as discs: one in the middle, and a row along the outline.
#[derive(Clone, Debug)]
pub(crate) struct Discs {
    /// Middles along the outline, in the level frame of the base [m].
    middles: Vec<[f64; 2]>,
    radius: f64,
    inner: f64,
    outer: f64,
}

impl Discs {
    /// Memory for them.
    pub fn new() -> Discs {
        Discs { middles: Vec::with_capacity(MOST), radius: 0.0, inner: 0.0, outer: 0.0 }
    }

    /// Covers a footprint; allocates nothing.
    pub fn cover(&mut self, footprint: &Footprint) {
        self.radius = footprint.foot_radius.max(0.02);
        (self.inner, self.outer) = (footprint.inscribed_radius(), footprint.circumscribed_radius());
        self.middles.clear();
        let perimeter: f64 = footprint.edges().map(|(from, to)| length(from, to)).sum();
        let spacing = self.radius.max(perimeter / (MOST / 2) as f64);
        // the outline goes round each foot in short pieces, and past it in a long one, this far
        let past = self.radius * tan(core::f64::consts::PI / CORNERS_PER_FOOT as f64);
        for (from, to) in footprint.edges() {
            let length = length(from, to);
            let between = length - 2.0 * past;
            if between < 0.2 * past {
                continue;
            }
            let (ux, uy) = ((to[0] - from[0]) / length, (to[1] - from[1]) / length);
            let pieces = (between / spacing).ceil();
            for piece in 0..pieces as usize {
                if self.middles.len() == MOST {
                    break;
                }
                // the outline runs counter-clockwise: inwards is to the left
                let along = past + between * piece as f64 / pieces;
                let (x, y) = (from[0] + ux * along, from[1] + uy * along);
                self.middles.push([x - uy * self.radius, y + ux * self.radius]);
            }
        }
    }

    /// Room between the footprint at a pose and what is forbidden or not known [m]; negative: so far it reaches into it. Rooms beyond
    /// `enough` are not told apart.
    pub fn room(&self, pose: &Pose2, surroundings: &Surroundings, enough: f64) -> f64 {
        let middle = surroundings.firm_ground(pose.x, pose.y);
        if middle - self.outer >= enough {
            return middle - self.outer;
        }
        let (s, c) = (sin(pose.yaw), cos(pose.yaw));
        let mut least = middle - self.inner;
        for [x, y] in &self.middles {
            let clearance = surroundings.firm_ground(pose.x + c * x - s * y, pose.y + s * x + c * y);
            least = least.min(clearance - self.radius);
        }
        least
    }
}

fn length(from: [f64; 2], to: [f64; 2]) -> f64 {
    hypot(to[0] - from[0], to[1] - from[1])
}

#[cfg(test)]
mod tests {
    use super::super::surroundings::Ground;
    use super::*;

    fn robot() -> Footprint {
        let feet = [[0.3, 0.28], [0.3, -0.28], [-0.3, 0.28], [-0.3, -0.28]].map(|[x, y]| [x, y, -0.5]);
        Footprint::on_feet(&feet, 0.12, [0.0, 0.0, 0.6])
    }

    fn room_beside(x: f64, yaw: f64) -> f64 {
        let wall = |x: f64, _: f64| Ground { height: 0.0, cost: if x > 1.04 { 1.0 } else { 0.0 } };
        let pose = Pose2 { x, y: 0.0, yaw };
        let surroundings = Surroundings::around(&pose, wall);
        let mut discs = Discs::new();
        discs.cover(&robot());
        discs.room(&pose, &surroundings, 0.5)
    }

    #[test]
    fn the_room_is_that_between_outline_and_wall() {
        for (x, yaw, expected) in [(0.3, 0.0, 0.33), (0.5, 0.0, 0.13), (0.65, 0.0, -0.02), (0.4, 0.785, 0.12)] {
            let found = room_beside(x, yaw);
            assert!((found - expected).abs() < 0.03, "{x} {yaw}: {found}, expected {expected}");
        }
    }
}
