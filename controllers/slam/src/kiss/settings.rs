//! Numbers of the baseline.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// Where the motion since the last sweep is taken from before it is registered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Prediction {
    /// The robot goes on as it did, as in the paper; the sweep is deskewed by that motion.
    ConstantVelocity,
    /// The robot goes as odometry has it, and the sweep is deskewed by odometry and IMU, as for all methods.
    #[default]
    Odometry,
}

/// Parameters of [`KissIcp`](crate::KissIcp), with the paper's values (its table I) where they do not depend on the scanner.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct KissSettings {
    /// First guess of every motion.
    #[setting(Prediction::default())]
    pub prediction: Prediction,
    /// Points nearer than this are left out [m]. The paper has 5 m, for cars; a robot among stones needs what is near.
    #[setting(0.5, positive)]
    pub min_range: f64,
    /// Points farther away than this are left out, and leave the map [m]. That of our scanner; the paper has 100 m.
    #[setting(30.0, positive)]
    pub max_range: f64,
    /// Side of the map's voxels [m]: a hundredth of `max_range`, as in the paper.
    #[setting(0.3, positive)]
    pub voxel: f64,
    /// Most points in a voxel of the map.
    #[setting(20, range = 1..=10_000)]
    pub points_per_voxel: usize,
    /// Voxels of the points that enter the map, relative to those of the map: α.
    #[setting(0.5, positive)]
    pub map_subsampling: f64,
    /// Voxels of the points that are registered, relative to those of the map: β.
    #[setting(1.5, positive)]
    pub registration_subsampling: f64,
    /// Farthest partners of the first sweeps [m]: τ₀.
    #[setting(2.0, positive)]
    pub first_threshold: f64,
    /// Predictions that were better than this do not lower the threshold [m]: δ_min. The paper has 0.1 m for cars without
    /// odometry; with it, the predictions here are better.
    #[setting(0.03, positive)]
    pub least_deviation: f64,
    /// Registration ends with a step shorter than this: γ.
    #[setting(1e-4, positive)]
    pub convergence: f64,
    /// Most steps. The paper sets no limit; its program stops at 500.
    #[setting(500, positive)]
    pub most_steps: usize,
}
