//! Where wheels touch the terrain.
//!
//! Parry can tell, by a closest-points search for each of the wheel's sixteen or more triangles; for eight wheels that was half of a
//! step's time, and its answers jump from triangle to triangle. A wheel is simpler than that. The plane of a circle of its tread cuts the
//! terrain in a chain of straight segments, and the circle touches it where a point of the chain is nearer to its middle than those
//! beside it: within a segment, as on a face of any steepness, or at an edge between two.

use nalgebra::{Isometry3, Vector2, Vector3};
use worlds::Terrain;

use crate::finder::{NEAR, Near};

/// Ends of segments that are no farther apart than this are one [m].
const SAME: f64 = 1e-7;
/// An axle that stands more upright than this (cosine) belongs to a wheel that lies on its side.
const LYING: f64 = 0.9;

/// A wheel that finds its own contacts with the terrain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WheelContact {
    /// The link, whose origin is the wheel's centre.
    pub link: usize,
    /// Its body.
    pub body: usize,
    /// The axle, in the link's frame.
    pub axle_in_link: Vector3<f64>,
    /// [m]
    pub radius: f64,
    /// [m]
    pub width: f64,
}

/// One circle of the tread.
#[derive(Clone, Copy)]
struct Circle {
    centre: Vector3<f64>,
    axle: Vector3<f64>,
    /// Two directions in its plane.
    ahead: Vector3<f64>,
    up: Vector3<f64>,
    radius: f64,
}

/// A piece of the terrain in the plane of a circle: along `ahead` and `up`, from its middle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    /// The point that is nearest to the middle.
    nearest: Vector2<f64>,
    /// Whether that is an end.
    is_end: bool,
    /// Of the triangle, upwards.
    normal: Vector3<f64>,
}

impl WheelContact {
    /// On how many circles of its tread it is looked at.
    pub const CIRCLES: usize = 3;

    /// Its axle in the world.
    pub fn axle(&self, link_in_world: &Isometry3<f64>) -> Vector3<f64> {
        link_in_world.rotation * self.axle_in_link
    }

    /// Whether a normal belongs to one of its sides, not to its tread.
    pub fn is_side(axle: &Vector3<f64>, normal: &Vector3<f64>) -> bool {
        axle.dot(normal).abs() > 0.75
    }

    /// Hands the points at which the tread touches the terrain, or is about to, to `found`.
    pub fn touch(
        &self,
        link_in_world: &Isometry3<f64>,
        terrain: &Terrain,
        segments: &mut Vec<Segment>,
        mut found: impl FnMut(Near),
    ) {
        let axle = self.axle(link_in_world);
        // a wheel that lies on its side touches by its side, which its shape sees to
        if axle.z.abs() > LYING {
            return;
        }
        let up = (Vector3::z() - axle * axle.z).normalize();
        let middle = link_in_world.translation.vector;
        let level = terrain.level_around(middle.x, middle.y, self.radius + 0.5 * self.width + NEAR);
        for offset in [-0.5, 0.0, 0.5] {
            let centre = middle + axle * (offset * self.width);
            let circle = Circle { centre, axle, ahead: up.cross(&axle), up, radius: self.radius };
            match level {
                Some(level) => circle.above(level).into_iter().for_each(&mut found),
                None => {
                    circle.cut(terrain, segments);
                    circle.minima(segments, &mut found);
                }
            }
        }
    }
}

impl Circle {
    /// Where it is near level ground, which its plane cuts in one straight line.
    fn above(&self, level: f64) -> Option<Near> {
        let far = (self.centre.z - level) / self.up.z;
        (far > 1e-3 && far < self.radius + NEAR).then(|| self.contact(&self.up, far, &Vector3::z()))
    }

    /// Finds the segments in which its plane cuts the terrain where it is near.
    fn cut(&self, terrain: &Terrain, segments: &mut Vec<Segment>) {
        segments.clear();
        let reach = self.radius + NEAR;
        let cells = |at: f64, origin: f64, samples: usize| {
            let cell = |at: f64| ((at - origin) / terrain.cell).floor().clamp(0.0, samples as f64 - 2.0) as usize;
            cell(at - reach)..=cell(at + reach)
        };
        for row in cells(self.centre.y, terrain.origin_y, terrain.rows) {
            for column in cells(self.centre.x, terrain.origin_x, terrain.columns) {
                let corner = |up: usize, right: usize| {
                    let (x, y) = terrain.position(row + up, column + right);
                    Vector3::new(x, y, terrain.height(row + up, column + right)) - self.centre
                };
                let corners = [corner(0, 0), corner(0, 1), corner(1, 0), corner(1, 1)];
                let beside = corners.map(|corner| self.axle.dot(&corner));
                let first = beside[0] < 0.0;
                let is_cut = beside.iter().any(|beside| (*beside < 0.0) != first);
                if is_cut && corners.iter().any(|corner| corner.z > -reach) {
                    self.cut_triangle(
                        [corners[0], corners[1], corners[2]],
                        [beside[0], beside[1], beside[2]],
                        segments,
                    );
                    self.cut_triangle(
                        [corners[3], corners[2], corners[1]],
                        [beside[3], beside[2], beside[1]],
                        segments,
                    );
                }
            }
        }
    }

    /// The corners go round with the normal upwards, relative to the middle, and lie so far beside the plane.
    fn cut_triangle(&self, corners: [Vector3<f64>; 3], beside: [f64; 3], segments: &mut Vec<Segment>) {
        let mut ends = [Vector2::zeros(); 2];
        let mut count = 0;
        for (one, two) in [(0, 1), (1, 2), (2, 0)] {
            if (beside[one] < 0.0) != (beside[two] < 0.0) && count < 2 {
                // from the same end for both triangles that share the edge, so that they find the same point
                let (low, high) = if beside[one] < beside[two] { (one, two) } else { (two, one) };
                let share = beside[low] / (beside[low] - beside[high]);
                let point = corners[low] + (corners[high] - corners[low]) * share;
                ends[count] = Vector2::new(self.ahead.dot(&point), self.up.dot(&point));
                count += 1;
            }
        }
        let along = ends[1] - ends[0];
        let length = along.norm_squared();
        // a corner that is just reached is no segment
        if count < 2 || length < SAME * SAME {
            return;
        }
        let share = -along.dot(&ends[0]) / length;
        let (nearest, is_end) = match share {
            before if before <= 0.0 => (ends[0], true),
            after if after >= 1.0 => (ends[1], true),
            within => (ends[0] + along * within, false),
        };
        let reach = self.radius + NEAR;
        if nearest.norm_squared() < reach * reach {
            let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).normalize();
            segments.push(Segment { nearest, is_end, normal });
        }
    }

    /// Hands on each point of the chain that is nearer than those beside it.
    fn minima(&self, segments: &[Segment], found: &mut impl FnMut(Near)) {
        for (index, segment) in segments.iter().enumerate() {
            // an edge is a place of its own if both segments that end there come nearest there; it is found once
            let here = |other: &&Segment| other.is_end && (other.nearest - segment.nearest).norm() < SAME;
            let lean = match segment.is_end {
                false => Some(segment.normal),
                true => segments[..index].iter().find(here).map(|other| (segment.normal + other.normal).normalize()),
            };
            let Some(lean) = lean else { continue };
            let far = segment.nearest.norm();
            let spoke = -(self.ahead * segment.nearest.x + self.up * segment.nearest.y) / far.max(1e-9);
            // from above, and not from within the ground
            if far > 1e-3 && spoke.dot(&lean) > 0.0 {
                found(self.contact(&spoke, far, &lean));
            }
        }
    }

    /// In the circle's plane the normal is the spoke, which is where a round thing touches a face and an edge alike; along the axle it leans
    /// as the ground does.
    fn contact(&self, spoke: &Vector3<f64>, far: f64, ground: &Vector3<f64>) -> Near {
        let lean = self.axle.dot(ground).clamp(-0.9, 0.9);
        let upright = (1.0 - lean * lean).sqrt();
        let normal = self.axle * lean + spoke * upright;
        let gap = (far - self.radius) * upright;
        let rim = self.centre - spoke * self.radius;
        Near { position: rim - normal * (0.5 * gap), normal, gap }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use worlds::World;

    fn world(layer: &str) -> World {
        let text =
            format!("name = \"t\"\n[terrain]\ncell = 0.05\nsize = [4.0, 4.0]\nmaterial = \"concrete\"\n{layer}\n");
        World::from_str(&text, "t.toml", std::path::Path::new(".")).unwrap()
    }

    fn touch(world: &World, at: Isometry3<f64>) -> Vec<Near> {
        let wheel = WheelContact { link: 0, body: 0, axle_in_link: Vector3::y(), radius: 0.1, width: 0.04 };
        let mut points = Vec::new();
        wheel.touch(&at, &world.terrain, &mut Vec::new(), |point| points.push(point));
        points
    }

    #[test]
    fn on_flat_ground_it_touches_straight_below() {
        let points = touch(&world(""), Isometry3::translation(0.31, 0.02, 0.0995));
        assert_eq!(points.len(), 3);
        for point in points {
            assert!((point.gap + 0.0005).abs() < 1e-9, "{}", point.gap);
            assert!((point.position.x - 0.31).abs() < 1e-9 && (point.normal - Vector3::z()).norm() < 1e-9);
        }
    }

    #[test]
    fn on_a_ramp_it_touches_along_the_ramps_normal() {
        let ramp = "[[terrain.layer]]\nkind = \"ramp\"\nstart = [-1.0, 0.0]\ndirection_deg = 0.0\nangle_deg = 20.0\n\
                    length = 2.0\nwidth = 3.0";
        let world = world(ramp);
        let normal = world.terrain.normal_at(0.0, 0.0).unwrap();
        let foot = Vector3::new(0.0, 0.0, world.terrain.height_at(0.0, 0.0).unwrap());
        let centre = foot + normal * 0.0995;
        let points = touch(&world, Isometry3::translation(centre.x, centre.y, centre.z));
        assert_eq!(points.len(), 3);
        for point in points {
            assert!((point.gap + 0.0005).abs() < 2e-5, "{}", point.gap);
            assert!((point.normal - normal).norm() < 0.02, "{} {normal}", point.normal);
        }
    }

    #[test]
    fn above_the_ground_and_beside_the_terrain_it_touches_nothing() {
        assert!(touch(&world(""), Isometry3::translation(0.0, 0.0, 0.12)).is_empty());
        assert!(touch(&world(""), Isometry3::translation(9.0, 0.0, 0.09)).is_empty());
    }
}
