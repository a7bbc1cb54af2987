//! Numbers of the baseline.

use serde::{Deserialize, Serialize};

use crate::SlamError;
use crate::error::check_positive;

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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct KissSettings {
    /// First guess of every motion.
    pub prediction: Prediction,
    /// Points nearer than this are left out [m]. The paper has 5 m, for cars; a robot among stones needs what is near.
    pub min_range: f64,
    /// Points farther away than this are left out, and leave the map [m]. That of our scanner; the paper has 100 m.
    pub max_range: f64,
    /// Side of the map's voxels [m]: a hundredth of `max_range`, as in the paper.
    pub voxel: f64,
    /// Most points in a voxel of the map.
    pub points_per_voxel: usize,
    /// Voxels of the points that enter the map, relative to those of the map: α.
    pub map_subsampling: f64,
    /// Voxels of the points that are registered, relative to those of the map: β.
    pub registration_subsampling: f64,
    /// Farthest partners of the first sweeps [m]: τ₀.
    pub first_threshold: f64,
    /// Predictions that were better than this do not lower the threshold [m]: δ_min. The paper has 0.1 m for cars without
    /// odometry; with it, the predictions here are better.
    pub least_deviation: f64,
    /// Registration ends with a step shorter than this: γ.
    pub convergence: f64,
    /// Most steps. The paper sets no limit; its program stops at 500.
    pub most_steps: usize,
}

impl Default for KissSettings {
    fn default() -> Self {
        KissSettings {
            prediction: Prediction::default(),
            min_range: 0.5,
            max_range: 30.0,
            voxel: 0.3,
            points_per_voxel: 20,
            map_subsampling: 0.5,
            registration_subsampling: 1.5,
            first_threshold: 2.0,
            least_deviation: 0.03,
            convergence: 1e-4,
            most_steps: 500,
        }
    }
}

impl KissSettings {
    /// Refuses what makes no sense.
    pub fn check(&self) -> Result<(), SlamError> {
        check_positive(&[
            ("kiss.min_range [m]", self.min_range),
            ("kiss.max_range [m]", self.max_range),
            ("kiss.voxel [m]", self.voxel),
            ("kiss.points_per_voxel", self.points_per_voxel as f64),
            ("kiss.map_subsampling", self.map_subsampling),
            ("kiss.registration_subsampling", self.registration_subsampling),
            ("kiss.first_threshold [m]", self.first_threshold),
            ("kiss.least_deviation [m]", self.least_deviation),
            ("kiss.convergence", self.convergence),
            ("kiss.most_steps", self.most_steps as f64),
        ])
    }
}
