//! The methods that can be compared on one log.

use core::fmt;
use std::collections::BTreeSet;
use std::path::Path;

use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};
use robot_io::{MapView, MapViews, PointCloud, Pose2, Sealed};
use slam::{KissIcp, Mapper, Sweep, SweepEstimate, SweepOdometer, Vgicp};

use super::Ground;
use crate::ScenarioError;

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
    pub fn begin(self, ground: &Ground) -> Result<Box<dyn Mapping>, ScenarioError> {
        let unusable = |error: &dyn fmt::Display| Method::unusable(&ground.log, error);
        Ok(match self {
            Method::Surfels => Box::new(Surfels(ground.mapper.clone())),
            Method::KissIcp => {
                let kiss = KissIcp::new(ground.slam.kiss).map_err(|error| unusable(&error))?;
                Box::new(Placed::new(Some(Box::new(kiss)), ground))
            }
            Method::Vgicp => {
                let vgicp = Vgicp::new(ground.slam.vgicp).map_err(|error| unusable(&error))?;
                Box::new(Placed::new(Some(Box::new(vgicp)), ground))
            }
            Method::Odometry => Box::new(Placed::new(None, ground)),
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
    /// The cubes of the whole map in which there is a point, and their side [m].
    filled: Option<(f32, BTreeSet<[i32; 3]>)>,
}

impl Placed {
    fn new(odometer: Option<Box<dyn SweepOdometer>>, ground: &Ground) -> Placed {
        let start: &Pose2 = &ground.start;
        let heading = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), start.yaw);
        let start = Isometry3::from_parts(Translation3::new(start.x, start.y, 0.0), heading);
        let filled = ground.voxel.map(|side| (side, BTreeSet::new()));
        Placed { odometer, start, frame_in_map: None, views: MapViews::default(), filled }
    }

    fn estimate(&mut self, sweep: &Sweep) -> SweepEstimate {
        let by_odometry = self.start * sweep.base_in_odom;
        let Some(odometer) = &mut self.odometer else {
            return SweepEstimate {
                stamp: sweep.end,
                base_in_map: by_odometry,
                matched_share: f64::NAN,
                mean_distance: f64::NAN,
                ..SweepEstimate::default()
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
        let mut cloud = thinned(sweep);
        if let Some((side, filled)) = &mut self.filled {
            keep_new(&mut cloud, &estimate.base_in_map.cast(), *side, filled);
        }
        self.views.revision += 1;
        self.views.views.push(MapView {
            number: sweep.number,
            stamp: sweep.end,
            base_in_map: estimate.base_in_map,
            cloud: Sealed::new(cloud),
        });
        estimate
    }

    fn views(&self) -> MapViews {
        self.views.clone()
    }
}

/// Leaves the points of cubes of the map in which there is none yet, so that the map does not grow where nothing is new.
fn keep_new(cloud: &mut PointCloud, base_in_map: &Isometry3<f32>, side: f32, filled: &mut BTreeSet<[i32; 3]>) {
    let is_new = |point: &[f32; 3]| filled.insert(voxel(&(base_in_map * Point3::from(*point)).coords.into(), side));
    let kept: Vec<bool> = cloud.points.iter().map(is_new).collect();
    let mut flags = kept.iter();
    cloud.points.retain(|_| flags.next().is_some_and(|kept| *kept));
    let mut flags = kept.iter();
    cloud.times.retain(|_| flags.next().is_some_and(|kept| *kept));
}

fn voxel(position: &[f32; 3], side: f32) -> [i32; 3] {
    position.map(|coordinate| (coordinate / side).floor() as i32)
}

/// The first point of each voxel, in the order of measurement.
fn thinned(sweep: &Sweep) -> PointCloud {
    let voxel = |position: &[f32; 3]| voxel(position, VOXEL);
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
