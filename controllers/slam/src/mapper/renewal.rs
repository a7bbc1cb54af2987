//! Old key views shown as the world is now.

use robot_io::{PointCloud, Sealed};

use super::{Mapper, thinning};
use crate::Sweep;
use crate::grid;

impl Mapper {
    /// Takes out of the clouds of key views near the robot what beams go through by now, and brings what was seen last into that of
    /// the nearest one: who drives where somebody has moved something shall not meet it on the map for ever. The surfels by which
    /// the robot finds its place stay as they are.
    pub(super) fn renew_clouds(&mut self, sweep: &Sweep) {
        let period = self.setup.settings.views.renewal_period.max(1) as u64;
        if !sweep.number.is_multiple_of(period) || self.views.len() == 0 {
            return;
        }
        let base_in_map = self.place.in_map(&self.views).pose;
        for view in 0..self.views.len() {
            let distance = (self.views.pose(view).translation.vector - base_in_map.translation.vector).norm();
            if distance < self.setup.settings.views.cloud_radius {
                self.clear_cloud(view);
            }
        }
        self.add_to_cloud(self.place.view, sweep);
    }

    /// Takes out what is not there any more.
    fn clear_cloud(&mut self, view: usize) {
        /// Fewer points are not worth another copy of the cloud.
        const WORTHWHILE: usize = 40;
        /// The map is fine so far around the robot [m].
        const REACH: f64 = 3.5;
        let view_in_local = self.view_in_local(view);
        let cloud = &self.views.views[view].cloud;
        let base_in_view = view_in_local.inv_mul(&self.tracking.base_in_local.pose).translation.vector;
        let is_there = |point: &[f32; 3]| {
            let point = grid::point(point);
            let is_far = (point.coords - base_in_view).norm_squared() >= REACH * REACH;
            is_far || !self.tracking.is_gone(&(view_in_local * point))
        };
        if cloud.points.iter().filter(|point| !is_there(point)).count() >= WORTHWHILE {
            let points = cloud.points.iter().copied().filter(is_there).collect();
            self.views.views[view].cloud = Sealed::new(PointCloud { points, ..PointCloud::clone(cloud) });
        }
    }

    /// Brings in the last sweeps.
    fn add_to_cloud(&mut self, view: usize, sweep: &Sweep) {
        let local_in_view = self.view_in_local(view).inverse();
        let old = self.views.views[view].cloud.clone();
        let recent = self.tracking.recent.iter().map(|recent| (&*recent.cloud, local_in_view * recent.base_in_local));
        let clouds = core::iter::once((&*old, nalgebra::Isometry3::identity())).chain(recent);
        let cloud = thinning::joined(sweep.end, clouds, &self.setup.settings.views);
        self.views.views[view].cloud = Sealed::new(cloud);
    }

    /// A key view in the local map.
    pub(super) fn view_in_local(&self, view: usize) -> nalgebra::Isometry3<f64> {
        let base_in_map = self.place.in_map(&self.views).pose;
        self.tracking.base_in_local.pose * base_in_map.inv_mul(&self.views.pose(view))
    }
}
