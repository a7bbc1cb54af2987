//! Numbers of the voxelised GICP.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Parameters of [`Vgicp`](crate::Vgicp). Where small_gicp's odometry has a value that does not depend on the scanner, it is
/// taken over.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct VgicpSettings {
    /// Points nearer than this are left out [m].
    #[setting(0.5, positive)]
    pub min_range: f64,
    /// Points farther away than this are left out [m].
    #[setting(30.0, positive)]
    pub max_range: f64,
    /// Of the points of a sweep, the mean of each voxel of this side is registered [m].
    #[setting(0.2, positive)]
    pub downsampling: f64,
    /// The shape about a point is that of so many nearest points, itself among them. Ten, as in the library, often lie in
    /// one line of a turning scanner and tell no plane.
    #[setting(20, positive)]
    pub neighbours: usize,
    /// Side of the map's voxels [m].
    #[setting(0.5, positive)]
    pub voxel: f64,
    /// Variance across a surface, relative to that along it.
    #[setting(1e-3, positive)]
    pub flatness: f64,
    /// Registration ends with a step shorter than this [m].
    #[setting(1e-3, positive)]
    pub convergence: f64,
    /// And turning by less than this [rad].
    #[setting(0.1_f64.to_radians(), positive)]
    pub angle_convergence: f64,
    /// Most steps.
    #[setting(20, positive)]
    pub most_steps: usize,
    /// Voxels that no point has fallen into for so many sweeps are forgotten.
    #[setting(100, positive)]
    pub remembered_sweeps: usize,
}
