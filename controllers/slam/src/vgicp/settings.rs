//! Numbers of the voxelised GICP.

use serde::{Deserialize, Serialize};

use crate::SlamError;
use crate::error::check_positive;

/// Parameters of [`Vgicp`](crate::Vgicp). Where small_gicp's odometry has a value that does not depend on the scanner, it is
/// taken over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VgicpSettings {
    /// Points nearer than this are left out [m].
    pub min_range: f64,
    /// Points farther away than this are left out [m].
    pub max_range: f64,
    /// Of the points of a sweep, the mean of each voxel of this side is registered [m].
    pub downsampling: f64,
    /// The shape about a point is that of so many nearest points, itself among them. Ten, as in the library, often lie in
    /// one line of a turning scanner and tell no plane.
    pub neighbours: usize,
    /// Side of the map's voxels [m].
    pub voxel: f64,
    /// Variance across a surface, relative to that along it.
    pub flatness: f64,
    /// Registration ends with a step shorter than this [m].
    pub convergence: f64,
    /// And turning by less than this [rad].
    pub angle_convergence: f64,
    /// Most steps.
    pub most_steps: usize,
    /// Voxels that no point has fallen into for so many sweeps are forgotten.
    pub remembered_sweeps: usize,
}

impl Default for VgicpSettings {
    fn default() -> Self {
        VgicpSettings {
            min_range: 0.5,
            max_range: 30.0,
            downsampling: 0.2,
            neighbours: 20,
            voxel: 0.5,
            flatness: 1e-3,
            convergence: 1e-3,
            angle_convergence: 0.1_f64.to_radians(),
            most_steps: 20,
            remembered_sweeps: 100,
        }
    }
}

impl VgicpSettings {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), SlamError> {
        check_positive(&[
            ("vgicp.min_range [m]", self.min_range),
            ("vgicp.max_range [m]", self.max_range),
            ("vgicp.downsampling [m]", self.downsampling),
            ("vgicp.neighbours", self.neighbours as f64),
            ("vgicp.voxel [m]", self.voxel),
            ("vgicp.flatness", self.flatness),
            ("vgicp.convergence [m]", self.convergence),
            ("vgicp.angle_convergence [rad]", self.angle_convergence),
            ("vgicp.most_steps", self.most_steps as f64),
            ("vgicp.remembered_sweeps", self.remembered_sweeps as f64),
        ])
    }
}
