//! Where the laser looks. The robot's own arms and legs hide some directions from it for good; that nothing is seen there tells
//! nothing about the ground.

use nalgebra::{Point3, Vector3};
use robot_io::MapViews;

/// Directions around, and from straight down to straight up.
const AROUND: usize = 128;
const UP: usize = 64;
/// So many of the newest views tell: arms move.
const VIEWS: usize = 24;
/// Every so many points of a view is looked at.
const STRIDE: usize = 2;

/// Directions in the base frame in which the laser has met something, in one view or another.
pub(super) struct Looked {
    met: Vec<bool>,
}

impl Looked {
    /// What views tell; `eye` is the laser in the base frame [m].
    pub fn of(views: &MapViews, eye: &Point3<f64>) -> Looked {
        let mut met = vec![false; AROUND * UP];
        let newest = views.views.iter().rev().take(VIEWS);
        for point in newest.flat_map(|view| view.cloud.points.iter().step_by(STRIDE)) {
            let (around, up) = bin(&(Point3::from(point.map(f64::from)) - eye));
            met[up * AROUND + around] = true;
        }
        Looked { met }
    }

    /// True if beams have come back from about this direction.
    pub fn is_open(&self, direction: &Vector3<f64>) -> bool {
        let (around, up) = bin(direction);
        (up.saturating_sub(1)..=(up + 1).min(UP - 1))
            .any(|up| [AROUND - 1, 0, 1].into_iter().any(|turn| self.met[up * AROUND + (around + turn) % AROUND]))
    }
}

/// The direction's place among all: around, and up. Angles are measured along a square and not along a circle, which is as good
/// here and needs no arc tangent: about 3° by 2°.
fn bin(direction: &Vector3<f64>) -> (usize, usize) {
    let across = direction.x.abs() + direction.y.abs();
    let quarter = if across > 0.0 { direction.y / across } else { 0.0 };
    let around = if direction.x >= 0.0 { 1.0 + quarter } else { 3.0 - quarter };
    let level = direction.xy().norm();
    let up = if level > 0.0 { direction.z / (level + direction.z.abs()) } else { direction.z.signum() };
    let place = |share: f64, of: usize| ((share * of as f64) as usize).min(of - 1);
    (place(0.25 * around, AROUND), place(0.5 * (1.0 + up), UP))
}

#[cfg(test)]
mod tests {
    use super::*;
    use robot_io::{MapView, PointCloud, Sealed};

    #[test]
    fn directions_that_never_met_anything_are_hidden() {
        let eye = Point3::new(0.1, 0.0, 0.8);
        // a floor all around but behind an arm between 40 and 60 degrees
        let angles = (0..720).map(|half| 0.5 * f64::from(half)).filter(|degrees| !(40.0..60.0).contains(degrees));
        let floor = angles.flat_map(|degrees| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            (2..60)
                .map(move |step| 0.1 * f64::from(step))
                .map(move |r| [0.1 + r * cos, r * sin, -0.5].map(|v| v as f32))
        });
        let cloud = Sealed::new(PointCloud { points: floor.collect(), ..PointCloud::default() });
        let views = MapViews { revision: 1, views: vec![MapView { cloud, ..MapView::default() }] };
        let looked = Looked::of(&views, &eye);
        let toward = |degrees: f64, z: f64| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            looked.is_open(&Vector3::new(1.5 * cos, 1.5 * sin, z))
        };
        for degrees in [0.0, 30.0, 75.0, 90.0, 135.0, 180.0, 225.0, 300.0, 359.0] {
            assert!(toward(degrees, -1.3), "{degrees}");
            assert!(!toward(degrees, 0.4), "{degrees}: nothing is up there");
        }
        assert!(!toward(50.0, -1.3));
    }
}
