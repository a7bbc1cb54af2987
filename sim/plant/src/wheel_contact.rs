//! Where wheels touch the terrain.
//!
//! Rapier can tell, by a closest-points search for each of the wheel's sixteen or more triangles; for eight wheels that
//! was half of a step's time. A wheel is simpler than that: points on three circles of its tread are compared with the
//! height of the ground under them.

use nalgebra::{Isometry3, Vector3};
use worlds::Terrain;

use crate::solids::{NEAR, Near};

/// Samples on the lower half of a circle.
const SAMPLES: usize = 13;
/// From one sample to the next [rad]: a third of a terrain's cell on a wheel of 0.1 m.
const SPACING: f64 = 0.2;
/// How often the place of a minimum is improved.
const REFINEMENTS: usize = 2;

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

/// One circle of the tread, seen from its lowest point.
struct Circle {
    centre: Vector3<f64>,
    down: Vector3<f64>,
    ahead: Vector3<f64>,
    axle: Vector3<f64>,
    radius: f64,
}

/// A point of a circle over the ground.
#[derive(Clone, Copy)]
struct Sample {
    angle: f64,
    /// Across the ground's surface [m].
    gap: f64,
}

impl WheelContact {
    /// On how many circles of its tread it is looked at.
    pub const CIRCLES: usize = 3;

    /// Hands the points at which the wheel touches the terrain, or is about to, to `add`.
    pub fn touch(&self, link_in_world: &Isometry3<f64>, terrain: &Terrain, mut found: impl FnMut(Near)) {
        let axle = link_in_world.rotation * self.axle_in_link;
        let upright = Vector3::z() - axle * axle.z;
        // a wheel that lies on its side touches by its side, which its shape sees to
        let Some(up) = upright.try_normalize(0.1) else { return };
        for offset in [-0.5, 0.0, 0.5] {
            let centre = link_in_world.translation.vector + axle * (offset * self.width);
            let circle = Circle { centre, down: -up, ahead: axle.cross(&up), axle, radius: self.radius };
            circle.minima(terrain, |sample| {
                let (position, normal) = circle.contact(terrain, sample);
                found(Near { position, normal, gap: sample.gap });
            });
        }
    }
}

impl Circle {
    fn point(&self, angle: f64) -> Vector3<f64> {
        let (sin, cos) = libm::sincos(angle);
        self.centre + (self.down * cos + self.ahead * sin) * self.radius
    }

    /// The gap at an angle; far away beside the terrain.
    fn sample(&self, terrain: &Terrain, angle: f64) -> Sample {
        let point = self.point(angle);
        let gap = terrain.height_at(point.x, point.y).map_or(1.0, |height| point.z - height);
        if gap > 4.0 * NEAR {
            return Sample { angle, gap };
        }
        let slope = terrain.normal_at(point.x, point.y).map_or(1.0, |normal| normal.z);
        Sample { angle, gap: gap * slope }
    }

    /// Hands on each place at which the gap is small and smaller than on both sides.
    fn minima(&self, terrain: &Terrain, mut found: impl FnMut(Sample)) {
        let samples: [Sample; SAMPLES] =
            core::array::from_fn(|k| self.sample(terrain, (k as f64 - (SAMPLES / 2) as f64) * SPACING));
        for k in 1..SAMPLES - 1 {
            let [before, here, after] = [samples[k - 1], samples[k], samples[k + 1]];
            // the middle may lie up to a quarter of a spacing's sagitta above the true minimum
            if here.gap > before.gap || here.gap >= after.gap || here.gap > 2.0 * NEAR {
                continue;
            }
            let lowest = self.refine(terrain, [before, here, after]);
            if lowest.gap < NEAR {
                found(lowest);
            }
        }
    }

    /// Follows parabolas through three samples to the lowest.
    fn refine(&self, terrain: &Terrain, [mut before, mut here, mut after]: [Sample; 3]) -> Sample {
        for _ in 0..REFINEMENTS {
            let (left, right) = (here.angle - before.angle, after.angle - here.angle);
            let (fall, rise) = ((before.gap - here.gap) / left, (after.gap - here.gap) / right);
            if fall + rise <= 0.0 {
                break;
            }
            let angle = here.angle + 0.5 * (fall * right - rise * left) / (fall + rise);
            let new = self.sample(terrain, angle.clamp(before.angle, after.angle));
            match (new.gap < here.gap, new.angle < here.angle) {
                (true, true) => (after, here) = (here, new),
                (true, false) => (before, here) = (here, new),
                (false, true) => before = new,
                (false, false) => after = new,
            }
            if before.angle >= here.angle || here.angle >= after.angle {
                break;
            }
        }
        here
    }

    /// Place and normal of a contact. In the wheel's plane the normal is the spoke, which is where a round thing touches a
    /// face and an edge alike; along the axle it leans as the ground does.
    fn contact(&self, terrain: &Terrain, sample: Sample) -> (Vector3<f64>, Vector3<f64>) {
        let point = self.point(sample.angle);
        let spoke = (self.centre - point) / self.radius;
        let ground = terrain.normal_at(point.x, point.y).unwrap_or_else(Vector3::z);
        let lean = self.axle.dot(&ground).clamp(-0.9, 0.9);
        let normal = self.axle * lean + spoke * (1.0 - lean * lean).sqrt();
        (point - normal * (0.5 * sample.gap), normal)
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
        wheel.touch(&at, &world.terrain, |point| points.push(point));
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
