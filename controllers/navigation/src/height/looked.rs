//! Where the laser looks. A turning scanner leaves gaps between its planes, other ones in each sweep; and the robot's own arms and
//! legs hide some directions from it for good. That nothing was seen there tells nothing about the ground.

use nalgebra::{Point3, Vector3};
use robot_io::MapViews;

/// Directions around, and from straight down to straight up.
const AROUND: usize = 128;
const UP: usize = 64;
/// So many of the newest views tell what the robot hides: arms move.
const VIEWS: usize = 24;
/// Every so many points of a view is looked at.
const STRIDE: usize = 2;
/// A scan plane that was here so far up or down was here [bins of 2°]: it goes on to where no beam comes back from.
const ALONG: usize = 5;

/// Directions in the base frame in which the laser has met something: for each way around, one bit for each way up.
type Met = [u64; AROUND];

/// Directions in the base frame in which the laser has met something.
pub(super) struct Looked {
    views: Vec<Met>,
    /// In one view or another, of the newest.
    ever: Met,
}

impl Looked {
    /// What views tell; `eye` is the laser in the base frame [m].
    pub fn of(views: &MapViews, eye: &Point3<f64>) -> Looked {
        let met = |points: &[[f32; 3]]| {
            let mut met = [0; AROUND];
            for point in points.iter().step_by(STRIDE) {
                let (around, up) = bin(&(Point3::from(point.map(f64::from)) - eye));
                met[around] |= 1_u64 << up;
            }
            met
        };
        let views: Vec<Met> = views.views.iter().map(|view| met(&view.cloud.points)).collect();
        let mut ever = [0; AROUND];
        for view in views.iter().rev().take(VIEWS) {
            ever.iter_mut().zip(view).for_each(|(ever, met)| *ever |= met);
        }
        Looked { views, ever }
    }

    /// True if a scan plane of this view went in this direction, and nothing of the robot hides it.
    pub fn is_seen(&self, view: usize, direction: &Vector3<f64>) -> bool {
        let (around, up) = bin(direction);
        self.ever[around] & about(up, 0) != 0 && self.views[view][around] & about(up, ALONG) != 0
    }
}

/// The bits of all ways up that are no farther than `reach` from one.
fn about(up: usize, reach: usize) -> u64 {
    let (low, high) = (up.saturating_sub(reach), (up + reach).min(UP - 1));
    (u64::MAX << low) & (u64::MAX >> (UP - 1 - high))
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

    /// A floor 1.3 m below the eye, seen in the directions that `planes` names [°].
    fn floor(eye: &Point3<f64>, planes: impl Iterator<Item = f64>) -> MapView {
        let points = planes.flat_map(|degrees: f64| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let along = (20..600).map(|step| 0.01 * f64::from(step));
            along.map(move |r| [eye.x + r * cos, eye.y + r * sin, eye.z - 1.3].map(|v| v as f32))
        });
        let cloud = Sealed::new(PointCloud { points: points.collect(), ..PointCloud::default() });
        MapView { cloud, ..MapView::default() }
    }

    fn toward(degrees: f64, z: f64) -> Vector3<f64> {
        let (sin, cos) = degrees.to_radians().sin_cos();
        Vector3::new(1.5 * cos, 1.5 * sin, z)
    }

    #[test]
    fn directions_that_never_met_anything_are_hidden() {
        let eye = Point3::new(0.1, 0.0, 0.8);
        // but behind an arm between 40 and 60 degrees
        let angles = (0..720).map(|half| 0.5 * f64::from(half)).filter(|degrees| !(40.0..60.0).contains(degrees));
        let looked = Looked::of(&MapViews { revision: 1, views: vec![floor(&eye, angles)] }, &eye);
        for degrees in [0.0, 30.0, 75.0, 90.0, 135.0, 180.0, 225.0, 300.0, 359.0] {
            assert!(looked.is_seen(0, &toward(degrees, -1.3)), "{degrees}");
            assert!(!looked.is_seen(0, &toward(degrees, 0.9)), "{degrees}: nothing is up there");
        }
        assert!(!looked.is_seen(0, &toward(50.0, -1.3)));
    }

    #[test]
    fn between_two_planes_nothing_was_looked_at() {
        let eye = Point3::new(0.0, 0.0, 0.8);
        let planes = |first: u32| (0..36).map(move |plane| f64::from(first + 10 * plane));
        let views = [0, 5].map(|first| floor(&eye, planes(first))).to_vec();
        let looked = Looked::of(&MapViews { revision: 1, views }, &eye);
        assert!(looked.is_seen(0, &toward(30.0, -1.3)) && !looked.is_seen(1, &toward(30.0, -1.3)));
        assert!(!looked.is_seen(0, &toward(35.0, -1.3)) && looked.is_seen(1, &toward(35.0, -1.3)));
    }
}
