//! Where the laser looks. A turning scanner leaves gaps between its planes, other ones in each sweep; and the robot's own arms and
//! legs hide some directions from it for good. That nothing was seen there tells nothing about the ground.

use nalgebra::{Isometry3, Point3, Vector3};
use robot_io::{MapView, MapViews, State};

use crate::RobotFootprint;

/// Directions around, and from straight down to straight up.
const AROUND: usize = 128;
const UP: usize = 64;
/// So many of the newest looks tell what the robot hides: arms move, so past ones tell nothing of that.
const NEWEST: usize = 24;
/// Every so many points of a view is looked at.
const STRIDE: usize = 2;
/// A scan plane that was here so far up or down was here [bins of 2°]: it goes on to where no beam comes back from.
const ALONG: usize = 5;
/// Looks of views that are no longer kept are remembered if they are this far apart [m], and so many of them.
const APART: f64 = 0.25;
const MOST_REMEMBERED: usize = 64;

/// The directions in which the laser has met something from one place.
#[derive(Clone, Debug, Default, PartialEq, State)]
struct Look {
    /// Of its view.
    number: u64,
    base_in_map: Isometry3<f64>,
    /// In the base frame: for each way around, one bit for each way up.
    met: Vec<u64>,
    /// What was seen from there is no longer known.
    is_past: bool,
}

/// Where the laser has looked, in order of time; nothing for a robot without one.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(crate) struct Looks {
    looks: Vec<Look>,
    /// Directions in which something was met in one of the newest that are still views, and in all around them: what the robot hides begins
    /// somewhere in a direction.
    ever: Vec<u64>,
}

impl Look {
    /// What a view tells; `eye` is the laser in the base frame [m].
    fn of(view: &MapView, eye: &Point3<f64>) -> Look {
        let mut met = vec![0; AROUND];
        for point in view.cloud.points.iter().step_by(STRIDE) {
            let (around, up) = bin(&(Point3::from(point.map(f64::from)) - eye));
            met[around] |= 1_u64 << up;
        }
        Look { number: view.number, base_in_map: view.base_in_map, met, is_past: false }
    }

    fn is_near(&self, other: &Look) -> bool {
        (self.base_in_map.translation.vector - other.base_in_map.translation.vector).norm() < APART
    }
}

impl Looks {
    /// With new views: the looks of those that are no longer among them are remembered, thinned out.
    pub fn renewed(&self, views: &MapViews, robot: &RobotFootprint) -> Looks {
        let Some(eye) = robot.eye.map(Point3::from) else { return Looks::default() };
        let is_kept = |look: &Look| views.views.iter().any(|view| view.number == look.number);
        let mut looks: Vec<Look> = Vec::new();
        // the oldest first: of those that are near to each other the same stays for good
        for look in self.looks.iter().filter(|look| !is_kept(look)) {
            if !looks.iter().any(|other| other.is_near(look)) {
                looks.push(Look { is_past: true, ..look.clone() });
            }
        }
        looks.drain(..looks.len().saturating_sub(MOST_REMEMBERED));
        looks.extend(views.views.iter().map(|view| Look::of(view, &eye)));
        looks.sort_by_key(|look| look.number);
        let mut ever = vec![0; AROUND];
        for look in looks.iter().rev().filter(|look| !look.is_past).take(NEWEST) {
            ever.iter_mut().zip(&look.met).for_each(|(ever, met)| *ever |= met);
        }
        Looks { looks, ever: within(&ever) }
    }

    /// Where the base was.
    pub fn poses(&self) -> impl Iterator<Item = &Isometry3<f64>> {
        self.looks.iter().map(|look| &look.base_in_map)
    }

    /// True if what was seen in a look is no longer known.
    pub fn is_past(&self, look: usize) -> bool {
        self.looks[look].is_past
    }

    /// True if in a look a scan plane went to a place on the map, and nothing of the robot hides it; `eye` is the laser in the base frame.
    pub fn is_seen(&self, look: usize, eye: &Point3<f64>, place: &Point3<f64>) -> bool {
        let Look { base_in_map, met, .. } = &self.looks[look];
        let (around, up) = bin(&(base_in_map.inverse_transform_point(place) - eye));
        self.ever[around] & about(up, 0) != 0 && met[around] & about(up, ALONG) != 0
    }
}

/// The directions of some whose neighbours are among them too.
fn within(directions: &[u64]) -> Vec<u64> {
    let beside = |around: usize, step: usize| directions[(around + step) % directions.len()];
    let both = |around: usize| beside(around, 0) & beside(around, 1) & beside(around, directions.len() - 1);
    (0..directions.len()).map(both).map(|ups| ups & (ups << 1) & (ups >> 1)).collect()
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

    fn robot(eye: &Point3<f64>) -> RobotFootprint {
        RobotFootprint { eye: Some([eye.x, eye.y, eye.z]), ..RobotFootprint::default() }
    }

    fn looks(views: Vec<MapView>, eye: &Point3<f64>) -> Looks {
        Looks::default().renewed(&MapViews { revision: 1, views }, &robot(eye))
    }

    #[test]
    fn directions_that_never_met_anything_are_hidden() {
        let eye = Point3::new(0.1, 0.0, 0.8);
        // but behind an arm between 40 and 60 degrees
        let angles = (0..720).map(|half| 0.5 * f64::from(half)).filter(|degrees| !(40.0..60.0).contains(degrees));
        let looks = looks(vec![floor(&eye, angles)], &eye);
        let is_seen = |degrees: f64, z: f64| looks.is_seen(0, &eye, &(eye + toward(degrees, z)));
        for degrees in [0.0, 30.0, 75.0, 90.0, 135.0, 180.0, 225.0, 300.0, 359.0] {
            assert!(is_seen(degrees, -1.3), "{degrees}");
            assert!(!is_seen(degrees, 0.9), "{degrees}: nothing is up there");
        }
        assert!(!is_seen(50.0, -1.3));
        // a direction is as wide as an arm's border may lie in it: ground at the border that is not seen is no drop
        for tenth in (395..400).chain(600..605) {
            let degrees = 0.1 * f64::from(tenth);
            assert!(!is_seen(degrees, -1.3), "{degrees}");
        }
    }

    #[test]
    fn between_two_planes_nothing_was_looked_at() {
        let eye = Point3::new(0.0, 0.0, 0.8);
        let planes = |first: u32| (0..36).map(move |plane| f64::from(first + 10 * plane));
        // the others show that the robot hides nothing
        let firsts = [0, 5, 1, 2, 3, 4, 6, 7, 8, 9].into_iter().zip(0..);
        let views = firsts.map(|(first, number)| MapView { number, ..floor(&eye, planes(first)) });
        let looks = looks(views.collect(), &eye);
        let is_seen = |look: usize, degrees: f64| looks.is_seen(look, &eye, &(eye + toward(degrees, -1.3)));
        assert!(is_seen(0, 30.0) && !is_seen(1, 30.0));
        assert!(!is_seen(0, 35.0) && is_seen(1, 35.0));
    }

    #[test]
    fn looks_outlive_their_views_thinned_out_and_not_for_ever() {
        let eye = Point3::new(0.0, 0.0, 0.8);
        let view = |number: u64| {
            let planes = (0..360).map(f64::from);
            let base_in_map = Isometry3::translation(0.1 * number as f64, 0.0, 0.0);
            MapView { number, base_in_map, ..floor(&eye, planes) }
        };
        let mut looks = Looks::default();
        for number in 0..300 {
            let views = MapViews { revision: number, views: vec![view(number)] };
            looks = looks.renewed(&views, &robot(&eye));
        }
        let places: Vec<f64> = looks.poses().map(|pose| pose.translation.x).collect();
        assert_eq!(places.len(), MOST_REMEMBERED + 1);
        assert!(places.windows(2).rev().skip(1).all(|pair| pair[1] - pair[0] > APART - 1e-9), "{places:?}");
        assert!(places.last().is_some_and(|newest| (newest - 29.9).abs() < 1e-9));
        let blind = looks.renewed(&MapViews::default(), &RobotFootprint::default());
        assert_eq!(blind, Looks::default(), "a robot without a laser has not looked");
    }
}
