//! Where something has driven, nothing stands.

use nalgebra::{Isometry3, Point3};
use robot_io::{PointCloud, Sealed};

use super::Mapper;
use crate::grid;
use crate::{Passing, Sweep};

/// What is seen on the way of a thing that has passed stays, and what is on the map within this of it [m].
const SEEN: f64 = 0.3;

impl Mapper {
    /// Takes out of all clouds what things that pass by have left behind: marks from before they were known to move, which whoever
    /// plans a way would take for obstacles. What the last sweep still shows there stays.
    pub(crate) fn forget_passed(&mut self, sweep: &Sweep, passing: &[Passing]) {
        if passing.is_empty() || self.search.is_some() || self.views.len() == 0 {
            return;
        }
        let was_driven_through = |point: &Point3<f64>| passing.iter().any(|thing| thing.has_driven_through(point));
        let seen = sweep.points.iter().map(|at| sweep.base_in_odom * grid::point(&at.position));
        let standing: Vec<Point3<f64>> = seen.filter(was_driven_through).collect();
        let is_left =
            |point: &Point3<f64>| was_driven_through(point) && standing.iter().all(|seen| (seen - point).norm() > SEEN);
        let local_in_odom = sweep.base_in_odom * self.tracking.base_in_local.pose.inverse();
        for recent in &mut self.tracking.recent {
            clean(&mut recent.cloud, &(local_in_odom * recent.base_in_local), is_left);
        }
        for view in 0..self.views.len() {
            let view_in_odom = local_in_odom * self.view_in_local(view);
            clean(&mut self.views.views[view].cloud, &view_in_odom, is_left);
        }
    }
}

/// Takes points out of a cloud, which is copied only if there are any.
fn clean(cloud: &mut Sealed<PointCloud>, in_odom: &Isometry3<f64>, goes: impl Fn(&Point3<f64>) -> bool) {
    let stays = |at: &[f32; 3]| !goes(&(in_odom * grid::point(at)));
    if !cloud.points.iter().all(stays) {
        let points = cloud.points.iter().copied().filter(stays).collect();
        *cloud = Sealed::new(PointCloud { points, ..PointCloud::clone(cloud) });
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{UnitQuaternion, Vector2, Vector3};
    use robot_io::Time;

    use super::*;
    use crate::SweepPoint;
    use crate::graph::Node;
    use crate::mapper::key_views::KeyView;
    use crate::mapper::tracking::RecentSweep;

    fn cloud(points: &[[f32; 3]]) -> Sealed<PointCloud> {
        Sealed::new(PointCloud { points: points.to_vec(), ..PointCloud::default() })
    }

    /// A mapper with one key view and one recent sweep, both taken where the robot is.
    fn mapper(points: &[[f32; 3]]) -> Mapper {
        let mut mapper = Mapper::default();
        let pose =
            Isometry3::from_parts(Vector3::new(2.0, 1.0, 0.5).into(), UnitQuaternion::from_euler_angles(0.0, 0.0, 0.4));
        let view = KeyView { cloud: cloud(points), ..KeyView::default() };
        mapper.views.add(view, Node { pose, up: None }, None);
        mapper.tracking.recent.push(RecentSweep { cloud: cloud(points), ..RecentSweep::default() });
        mapper
    }

    fn sweep(points: &[[f32; 3]]) -> Sweep {
        let points = points.iter().map(|&position| SweepPoint { position, ..SweepPoint::default() });
        Sweep {
            number: 9,
            begin: Time::from_seconds(9.0),
            end: Time::from_seconds(10.0),
            points: points.collect(),
            begin_in_odom: Isometry3::translation(5.0, 0.0, 0.0),
            base_in_odom: Isometry3::translation(5.0, 0.0, 0.0),
            ..Sweep::default()
        }
    }

    #[test]
    fn marks_that_a_thing_has_left_on_its_way_go_and_what_still_stands_there_stays() {
        let (mark, post, ground, wall) = ([4.0, 0.3, 0.5], [6.0, 0.0, 0.5], [4.0, 0.0, 0.05], [4.0, 0.8, 0.5]);
        // from 8 m to 3 m ahead of the robot; in the odometry frame it is at 5 m
        let thing = Passing {
            time: Time::from_seconds(9.8),
            place: Vector2::new(8.0, 0.0),
            from: Vector3::new(13.0, 0.0, 0.0),
            velocity: Vector2::new(-1.0, 0.0),
            radius: 0.4,
            floor: 0.0,
        };
        let mut mapper = mapper(&[mark, post, ground, wall]);
        mapper.forget_passed(&sweep(&[[6.0, 0.1, 0.6], [4.0, 0.0, 0.02]]), &[thing]);
        let left = [post, ground, wall];
        assert_eq!(mapper.views.views[0].cloud.points, left, "of the key view");
        assert_eq!(mapper.tracking.recent[0].cloud.points, left, "of the last sweep");
    }
}
