//! What a turning laser would see of the ground from places along a way.

use nalgebra::Point3;
use robot_io::{MapView, MapViews, PointCloud, RandomStream, Sealed, Time};

use super::{base_at, pose};

/// Height of the laser above the base [m].
const LASER: f64 = 0.8;
/// Distance of the points along a beam's search [m].
const MARCH: f64 = 0.05;
/// Farthest point [m].
const RANGE: f64 = 12.0;

/// Views from places along corners, about `spacing` [m] apart, with what lies in shadow left out.
pub fn along(corners: &[[f64; 2]], spacing: f64, ground: impl Fn(f64, f64) -> f64) -> MapViews {
    let mut views = Vec::new();
    for leg in corners.windows(2) {
        let (dx, dy) = (leg[1][0] - leg[0][0], leg[1][1] - leg[0][1]);
        let count = (libm::hypot(dx, dy) / spacing).ceil();
        for step in 0..count as usize {
            let t = step as f64 / count;
            views.push(view(views.len() as u64, leg[0][0] + t * dx, leg[0][1] + t * dy, &ground));
        }
    }
    MapViews { revision: 1, views }
}

/// What is seen all around from a place: one point per beam, where it first meets the ground.
pub fn view(number: u64, x: f64, y: f64, ground: impl Fn(f64, f64) -> f64) -> MapView {
    let base = base_at(&pose(x, y, 0.3 * number as f64), ground(x, y));
    let eye = base.translation.z + LASER;
    let noise = RandomStream::new(number, "sight");
    let mut points = Vec::new();
    for azimuth in 0..240 {
        let (s, c) = (libm::sin(0.026_18 * azimuth as f64), libm::cos(0.026_18 * azimuth as f64));
        // tangents of the beams' elevations that are free of the ground up to here
        let (mut horizon, mut distance) = (-3.0_f64, 0.35);
        while distance < RANGE {
            let (u, v) = (x + distance * c, y + distance * s);
            let tangent = (ground(u, v) - eye) / distance;
            // beams that end between this place and the last one
            if tangent > horizon {
                let step = 0.006 * (1.0 + horizon * horizon);
                let beams = ((tangent - horizon) / step).floor();
                if beams >= 1.0 {
                    let z = ground(u, v) + 0.008 * noise.normal(points.len() as u64, 0);
                    let point = base.inverse() * Point3::new(u, v, z);
                    points.push([point.x as f32, point.y as f32, point.z as f32]);
                    horizon = tangent;
                }
            }
            distance += MARCH;
        }
    }
    let stamp = Time::from_seconds(number as f64);
    let cloud = Sealed::new(PointCloud { stamp, points, ..PointCloud::default() });
    MapView { number, stamp, base_in_map: base, cloud }
}
