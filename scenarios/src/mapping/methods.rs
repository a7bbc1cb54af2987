//! The methods that can be compared on one log.

use core::fmt;
use std::path::Path;

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use robot_io::{MapView, MapViews, PointCloud, Pose2, Sealed};
use slam::{KissIcp, Mapper, Sweep, SweepEstimate, SweepOdometer, Verdict, Vgicp};

use crate::recording::Recording;
use crate::{ScenarioError, Stage};

/// Points nearer together than this are one in a map that only places sweeps [m].
const VOXEL: f32 = 0.05;

/// How a map is made of sweeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Method {
    /// What the robot uses: surfels, pose graph, loop closures.
    Surfels,
    /// A baseline: point-to-point in the manner of KISS-ICP; guess and deskewing from odometry, as settings say.
    KissIcp,
    /// A baseline: voxelised GICP in the manner of small_gicp; guess and deskewing from odometry.
    Vgicp,
    /// No registration: odometry alone.
    Odometry,
}

/// A method at work.
pub trait Mapping {
    /// Takes in the next sweep; tells where the base is on the map, whose frame is the world's but for the height.
    fn process(&mut self, sweep: &Sweep) -> SweepEstimate;

    /// The map so far.
    fn views(&self) -> MapViews;
}

impl Method {
    /// The method at the beginning of a log.
    pub fn begin(self, recording: &Recording) -> Result<Box<dyn Mapping>, ScenarioError> {
        let Stage { settings, spawn, .. } = &recording.stage;
        let unusable = |error: &dyn fmt::Display| Method::unusable(recording.log.path(), error);
        Ok(match self {
            Method::Surfels => Box::new(Surfels(recording.stage.mapper())),
            Method::KissIcp => {
                let kiss = KissIcp::new(settings.slam.kiss).map_err(|error| unusable(&error))?;
                Box::new(Placed::new(Some(Box::new(kiss)), spawn))
            }
            Method::Vgicp => {
                let vgicp = Vgicp::new(settings.slam.vgicp).map_err(|error| unusable(&error))?;
                Box::new(Placed::new(Some(Box::new(vgicp)), spawn))
            }
            Method::Odometry => Box::new(Placed::new(None, spawn)),
        })
    }

    /// The error for a log of which no map can be made.
    pub fn unusable(log: &Path, why: &dyn fmt::Display) -> ScenarioError {
        ScenarioError::File { path: log.to_owned(), message: format!("no map can be made of it: {why}") }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::Surfels => "surfels",
            Method::KissIcp => "kiss-icp",
            Method::Vgicp => "vgicp",
            Method::Odometry => "odometry",
        })
    }
}

struct Surfels(Mapper);

impl Mapping for Surfels {
    fn process(&mut self, sweep: &Sweep) -> SweepEstimate {
        self.0.process(sweep)
    }

    fn views(&self) -> MapViews {
        self.0.views()
    }
}

/// Sweeps put one after the other where an odometer says.
struct Placed {
    odometer: Option<Box<dyn SweepOdometer>>,
    /// Where the robot was told that it starts.
    start: Isometry3<f64>,
    /// The odometer's frame on the map.
    frame_in_map: Option<Isometry3<f64>>,
    views: MapViews,
}

impl Placed {
    fn new(odometer: Option<Box<dyn SweepOdometer>>, start: &Pose2) -> Placed {
        let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), start.yaw);
        let start = Isometry3::from_parts(Translation3::new(start.x, start.y, 0.0), heading);
        Placed { odometer, start, frame_in_map: None, views: MapViews::default() }
    }

    fn estimate(&mut self, sweep: &Sweep) -> SweepEstimate {
        let by_odometry = self.start * sweep.base_in_odom;
        let Some(odometer) = &mut self.odometer else {
            return SweepEstimate {
                stamp: sweep.end,
                base_in_map: by_odometry,
                covariance: nalgebra::Matrix6::zeros(),
                verdict: Verdict::Accepted,
                matched_share: f64::NAN,
                mean_distance: f64::NAN,
                weak_directions: 0,
            };
        };
        let estimate = odometer.process(sweep);
        // its own frame is where it first sees something
        let frame = *self.frame_in_map.get_or_insert_with(|| by_odometry * estimate.base_in_map.inverse());
        SweepEstimate { base_in_map: frame * estimate.base_in_map, ..estimate }
    }
}

impl Mapping for Placed {
    fn process(&mut self, sweep: &Sweep) -> SweepEstimate {
        let estimate = self.estimate(sweep);
        self.views.revision += 1;
        self.views.views.push(MapView {
            number: sweep.number,
            stamp: sweep.end,
            base_in_map: estimate.base_in_map,
            cloud: Sealed::new(thinned(sweep)),
        });
        estimate
    }

    fn views(&self) -> MapViews {
        self.views.clone()
    }
}

/// The first point of each voxel, in the order of measurement.
fn thinned(sweep: &Sweep) -> PointCloud {
    let voxel = |position: &[f32; 3]| position.map(|coordinate| (coordinate / VOXEL).floor() as i32);
    let mut order: Vec<usize> = (0..sweep.points.len()).collect();
    order.sort_by_key(|index| (voxel(&sweep.points[*index].position), *index));
    order.dedup_by_key(|index| voxel(&sweep.points[*index].position));
    order.sort_unstable();
    PointCloud {
        stamp: sweep.end,
        frame: "base".into(),
        points: order.iter().map(|index| sweep.points[*index].position).collect(),
        times: order.iter().map(|index| sweep.points[*index].time).collect(),
        intensities: Vec::new(),
    }
}
