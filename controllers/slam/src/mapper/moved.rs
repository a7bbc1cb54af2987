//! The robot's laser has been put right: its clouds lie elsewhere in the base from now on.

use nalgebra::{Isometry3, Vector3};

use super::Mapper;
use super::tracking::Tracking;
use crate::registration::SlipModel;

impl Mapper {
    /// What was mapped stays as it is; where the robot is in it, and was, changes: `moved` takes a cloud made as before to where it lies
    /// in the base by now. The map is turned about the start, which is where the robot was told that it was.
    ///
    /// A cloud that lies off by X makes a motion B look like X B X⁻¹ and a whole way like the same way elsewhere, so this undoes
    /// what a wrong place of the laser has done to the map as a whole.
    pub(crate) fn put_laser_right(&mut self, moved: &Isometry3<f64>) {
        let back = moved.inverse();
        self.tracking.put_laser_right(moved);
        self.place.put_laser_right(&back);
        if let Some(search) = &mut self.search {
            search.put_laser_right(&back);
        }
        if self.views.len() == 0 {
            return;
        }
        let first = self.views.pose(0);
        let start = first * self.start_in_first_view;
        self.start_in_first_view *= back;
        let about_start = start * (first * self.start_in_first_view).inverse();
        let in_map = if self.is_start_found { Isometry3::identity() } else { about_start };
        self.views.graph.change(|graph| graph.put_elsewhere(&in_map, &back));
        self.know_view();
    }
}

impl Tracking {
    fn put_laser_right(&mut self, moved: &Isometry3<f64>) {
        self.base_in_local.pose *= moved.inverse();
        self.slip.put_laser_right(moved);
    }
}

impl SlipModel {
    /// A cloud that is turned by v makes a way of b look like slip of v × b.
    fn put_laser_right(&mut self, moved: &Isometry3<f64>) {
        let (turned, placed) = (moved.rotation.scaled_axis(), moved.translation.vector);
        self.add(&turned.cross_matrix(), &placed.cross(&Vector3::z()));
    }
}
