//! A second baseline: voxelised GICP with wheel odometry as first guess.
//!
//! After Koide, Yokozuka, Oishi and Banno, "Voxelized GICP for Fast and Accurate 3D Point Cloud Registration" (ICRA 2021),
//! put together to an odometer as in Koide's library small_gicp (JOSS 2024): a sweep is downsampled, the shape about each
//! point is a disc, discs are registered to the mean distribution of the voxel into which they fall, and are added to it.
//! It is here to be compared with on the same logs. What differs:
//!
//! - The first guess is the motion by wheels, legs and IMU since the last sweep, and the sweep comes deskewed by them:
//!   small_gicp begins where the last sweep was.
//! - Voxels are smaller, since the scanner reaches 30 m and the robot is no car. A point weighs as much as another, as in the
//!   library; the paper weighs by the number of points in the voxel.
//! - The shape about a point is that of 20 neighbours, not 10, since the lines of a turning scanner lie far apart.
//!
//! It knows no weak directions: where the world gives no hold along a corridor, nothing keeps it. Numbers: the example
//! `baseline`.

mod gicp;
mod settings;
mod shapes;
mod voxels;

use nalgebra::{Isometry3, Point3};
use robot_io::{Settings as _, State};

pub use settings::VgicpSettings;

use self::gicp::register;
use self::shapes::{Shaped, downsample, shapes};
use self::voxels::GaussianMap;
use crate::{Flaw, SlamError, Sweep, SweepEstimate, SweepOdometer, Verdict};

/// Fewest points that are registered.
const FEWEST: usize = 6;

/// The baseline. Its map frame is the base frame at the end of the first sweep.
#[derive(Clone, Debug, State)]
pub struct Vgicp {
    #[state(fixed)]
    settings: VgicpSettings,
    map: GaussianMap,
    /// Sweeps that are part of the map.
    sweeps: u64,
    /// The base at the end of the last sweep, in the map frame and in the odometry frame.
    pose: Isometry3<f64>,
    base_in_odom: Isometry3<f64>,
}

impl Vgicp {
    /// An empty map.
    pub fn new(settings: VgicpSettings) -> Result<Vgicp, SlamError> {
        settings.check()?;
        Ok(Vgicp {
            map: GaussianMap::new(settings.voxel),
            sweeps: 0,
            pose: Isometry3::identity(),
            base_in_odom: Isometry3::identity(),
            settings,
        })
    }

    /// How many voxels the map has.
    pub fn map_voxels(&self) -> usize {
        self.map.len()
    }

    /// Adds a sweep to the map where it was found.
    fn enter(&mut self, points: &[Shaped], pose: &Isometry3<f64>) {
        let rotation = pose.rotation.to_rotation_matrix().into_inner();
        let placed = points.iter().map(|shaped| Shaped {
            point: pose * shaped.point,
            covariance: rotation * shaped.covariance * rotation.transpose(),
        });
        self.map.add(placed, self.sweeps);
        self.map.keep_since((self.sweeps + 1).saturating_sub(self.settings.remembered_sweeps as u64));
        self.sweeps += 1;
    }
}

impl SweepOdometer for Vgicp {
    fn process(&mut self, sweep: &Sweep) -> SweepEstimate {
        let is_first = self.sweeps == 0;
        let step = if is_first { Isometry3::identity() } else { self.base_in_odom.inv_mul(&sweep.base_in_odom) };
        let guess = self.pose * step;
        let range = self.settings.min_range..self.settings.max_range;
        let points = sweep.points.iter().map(|point| Point3::from(point.position).cast::<f64>());
        let within = points.filter(|point| range.contains(&point.coords.norm()));
        let points = shapes(&downsample(within, self.settings.downsampling), &self.settings);
        let estimate = SweepEstimate { stamp: sweep.end, base_in_map: guess, ..SweepEstimate::default() };
        (self.pose, self.base_in_odom) = (guess, sweep.base_in_odom);
        if points.len() < FEWEST {
            return SweepEstimate { verdict: Verdict::LeftOut(Flaw::Sparse), ..estimate };
        }
        if is_first {
            self.enter(&points, &guess);
            return SweepEstimate { matched_share: 1.0, ..estimate };
        }
        let found = register(&points, &self.map, &guess, &self.settings);
        self.enter(&points, &found.pose);
        self.pose = found.pose;
        SweepEstimate {
            base_in_map: found.pose,
            covariance: found.covariance,
            verdict: if found.converged { Verdict::Accepted } else { Verdict::LocalizedOnly(Flaw::Diverged) },
            matched_share: found.matched_share,
            mean_distance: found.mean_distance,
            ..estimate
        }
    }
}
