//! The robot's outline as discs, so that a look at the distance to what is forbidden tells how much room there is beside it. Search and
//! rollout measure with it: what leads through a place and what drives there agree on what is wide enough.

use robot_io::Pose2;
use robot_io::math::{cos, hypot, sin, tan};

use crate::outline::{CORNERS_PER_FOOT, circumscribed_radius, edges, inscribed_radius};

/// Most discs along the outline.
const MOST: usize = 48;

/// An outline as discs: one in the middle, and a row along its edges.
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

    /// Covers a convex, counter-clockwise outline about the base, whose corners are round by `radius` [m]; allocates nothing.
    pub fn cover(&mut self, outline: &[[f64; 2]], radius: f64) {
        self.radius = radius.max(0.02);
        (self.inner, self.outer) = (inscribed_radius(outline), circumscribed_radius(outline));
        self.middles.clear();
        let perimeter: f64 = edges(outline).map(|(from, to)| length(from, to)).sum();
        let spacing = self.radius.max(perimeter / (MOST / 2) as f64);
        // the outline goes round each foot in short pieces, and past it in a long one, this far
        let past = self.radius * tan(core::f64::consts::PI / CORNERS_PER_FOOT as f64);
        for (from, to) in edges(outline) {
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

    /// Room between the outline at a pose and what is forbidden [m], which is `clearance` away from a place; negative: so far it reaches
    /// into it. Rooms beyond `enough` are not told apart.
    pub fn room(&self, pose: &Pose2, clearance: impl Fn(f64, f64) -> f64, enough: f64) -> f64 {
        let middle = clearance(pose.x, pose.y);
        if middle - self.outer >= enough {
            return middle - self.outer;
        }
        let (s, c) = (sin(pose.yaw), cos(pose.yaw));
        let mut least = middle - self.inner;
        for [x, y] in &self.middles {
            least = least.min(clearance(pose.x + c * x - s * y, pose.y + s * x + c * y) - self.radius);
        }
        least
    }
}

fn length(from: [f64; 2], to: [f64; 2]) -> f64 {
    hypot(to[0] - from[0], to[1] - from[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Footprint;
    use crate::rollout::{Ground, Surroundings};

    fn robot() -> Footprint {
        let feet = [[0.3, 0.28], [0.3, -0.28], [-0.3, 0.28], [-0.3, -0.28]].map(|[x, y]| [x, y, -0.5]);
        Footprint::on_feet(&feet, 0.12, [0.0, 0.0, 0.6])
    }

    fn room_beside(x: f64, yaw: f64) -> f64 {
        let wall = |x: f64, _: f64| Ground { height: 0.0, cost: if x > 1.04 { 1.0 } else { 0.0 } };
        let pose = Pose2 { x, y: 0.0, yaw };
        let surroundings = Surroundings::around(&pose, wall);
        let mut discs = Discs::new();
        let robot = robot();
        discs.cover(&robot.outline, robot.foot_radius);
        discs.room(&pose, |x, y| surroundings.firm_ground(x, y), 0.5)
    }

    #[test]
    fn the_room_is_that_between_outline_and_wall() {
        for (x, yaw, expected) in [(0.3, 0.0, 0.33), (0.5, 0.0, 0.13), (0.65, 0.0, -0.02), (0.4, 0.785, 0.12)] {
            let found = room_beside(x, yaw);
            assert!((found - expected).abs() < 0.03, "{x} {yaw}: {found}, expected {expected}");
        }
    }
}
