//! Points all over a hand, with which it is held against an object.

use nalgebra::{Isometry3, Point3, Vector3};

use crate::collision::{Placed, Solid};

/// A small ball on or in a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Probe {
    /// Its centre.
    pub center: Vector3<f64>,
    /// Its radius [m]; none for a point.
    pub radius: f64,
}

/// So many points are on a circle.
const AROUND: usize = 16;

impl Probe {
    /// The same in a frame in which its own has this pose.
    pub fn moved(&self, pose: &Isometry3<f64>) -> Probe {
        Probe { center: (pose * Point3::from(self.center)).coords, radius: self.radius }
    }
}

/// Probes on a solid, in the frame to which it belongs, at most about `spacing` [m] apart: a sphere is one, a box is its surface with its
/// corners, of what is round there are sixteen points around.
pub(super) fn probes(placed: &Placed, spacing: f64) -> Vec<Probe> {
    let mut found = Vec::new();
    match placed.solid {
        Solid::Sphere { radius } => found.push(Probe { center: Vector3::zeros(), radius }),
        Solid::Box { size } => add_box(&size, spacing, &mut found),
        Solid::Cylinder { radius, length } => add_cylinder(radius, length, spacing, &mut found),
        Solid::Capsule { radius, length } => {
            let along = places(length, spacing).map(|z| Probe { center: Vector3::new(0.0, 0.0, z), radius });
            found.extend(along);
        }
    }
    found.iter().map(|probe| probe.moved(&placed.pose)).collect()
}

/// Places evenly along a length about zero, with its ends.
fn places(length: f64, spacing: f64) -> impl Iterator<Item = f64> {
    let steps = (length / spacing - 1e-9).ceil().max(1.0) as usize;
    (0..=steps).map(move |step| length * (step as f64 / steps as f64 - 0.5))
}

fn add_box(size: &Vector3<f64>, spacing: f64, found: &mut Vec<Probe>) {
    let half = 0.5 * size;
    for x in places(size.x, spacing) {
        for y in places(size.y, spacing) {
            for z in places(size.z, spacing) {
                let center = Vector3::new(x, y, z);
                if (center.abs() - half).max() > -1e-9 {
                    found.push(Probe { center, radius: 0.0 });
                }
            }
        }
    }
}

fn add_cylinder(radius: f64, length: f64, spacing: f64, found: &mut Vec<Probe>) {
    for z in places(length, spacing) {
        let is_end = z.abs() > 0.5 * length - 1e-9;
        let rings = if is_end { (radius / spacing).ceil().max(1.0) as usize } else { 1 };
        for ring in 1..=rings {
            let radius = radius * ring as f64 / rings as f64;
            found.extend((0..AROUND).map(|place| {
                let (sin, cos) = libm::sincos(core::f64::consts::TAU * place as f64 / AROUND as f64);
                Probe { center: Vector3::new(radius * cos, radius * sin, z), radius: 0.0 }
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probes_are_on_their_solid_and_reach_as_far_as_it() {
        let pose = Isometry3::new(Vector3::new(0.1, -0.2, 0.3), Vector3::new(0.4, 0.5, -0.6));
        for solid in [
            Solid::Sphere { radius: 0.0085 },
            Solid::Box { size: Vector3::new(0.02, 0.025, 0.05) },
            Solid::Cylinder { radius: 0.03, length: 0.02 },
            Solid::Capsule { radius: 0.01, length: 0.04 },
        ] {
            let placed = Placed { solid, pose };
            let found = probes(&placed, 0.01);
            for probe in &found {
                assert!(placed.distance(&probe.center) + probe.radius < 1e-9, "{solid:?}: {probe:?}");
            }
            let own = |probe: &Probe| pose.inverse_transform_point(&Point3::from(probe.center)).x + probe.radius;
            let farthest = found.iter().map(own).fold(f64::NEG_INFINITY, f64::max);
            assert!((farthest - solid.half_extents().x).abs() < 1e-9, "{solid:?}: {farthest}");
        }
    }
}
