//! What stands on planes.

use nalgebra::{Matrix3, Point3, SymmetricEigen, Vector3};
use robot_io::Settings;
use serde::{Deserialize, Serialize};

use super::voxels::Voxels;
use super::{DepthCloud, Plane};
use crate::error::PerceptionError;
use crate::union_find::UnionFind;

/// How clusters are found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterSettings {
    /// Points of one cluster are connected over gaps up to this [m].
    #[setting(0.015, positive)]
    pub tolerance: f64,
    /// What is lower above its plane belongs to the plane [m] …
    #[setting(0.01, positive)]
    pub clearance: f64,
    /// … and so does what is within so many standard deviations of its depth.
    #[setting(3.5, positive)]
    pub deviations: f64,
    /// What is higher above the lowest plane is not looked at [m].
    #[setting(1.5, positive)]
    pub most_height: f64,
    /// Fewest points of a cluster.
    #[setting(40, positive)]
    pub least_points: usize,
    /// Clusters with a longer side are walls, tables, or the like, and left out [m].
    #[setting(0.6, positive)]
    pub most_extent: f64,
}

/// Points that belong together and stand on a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Pixels of its points.
    pub pixels: Vec<usize>,
    /// Mean of its points in the fixed frame: of the side that is seen, not of the object.
    pub centroid: Point3<f64>,
    /// Covariance of that mean [m²] from the noise of its points.
    pub covariance: Matrix3<f64>,
    /// Second moments of its points about the mean [m²].
    pub scatter: Matrix3<f64>,
    /// Its principal axes, the longest first.
    pub axes: Matrix3<f64>,
    /// Its length along these axes [m].
    pub extent: Vector3<f64>,
    /// The plane on which it stands.
    pub plane: usize,
    /// Lowest and highest point above that plane [m].
    pub heights: [f64; 2],
    /// True if it reaches the picture's border, so that part of it may be outside.
    pub is_cut: bool,
}

/// Finds clusters. Keeps its memory from picture to picture.
#[derive(Clone, Debug)]
pub struct ClusterFinder {
    settings: ClusterSettings,
    voxels: Voxels,
    sets: UnionFind,
    /// Pixels of what stands on planes, and their points.
    pixels: Vec<usize>,
    points: Vec<Point3<f64>>,
    clusters: Vec<Cluster>,
    /// For each pixel one more than its cluster's number; 0 for none.
    labels: Vec<u32>,
}

/// How far a plane goes on beside its points [m].
const MARGIN: f64 = 0.03;

impl ClusterFinder {
    /// A finder with these settings.
    pub fn new(settings: ClusterSettings) -> Result<ClusterFinder, PerceptionError> {
        settings.check()?;
        Ok(ClusterFinder {
            settings,
            voxels: Voxels::default(),
            sets: UnionFind::default(),
            pixels: Vec::new(),
            points: Vec::new(),
            clusters: Vec::new(),
            labels: Vec::new(),
        })
    }

    /// The clusters of what stands on these planes, the lowest of which comes first, from top to bottom of the picture. Without
    /// planes there are none.
    pub fn find(&mut self, cloud: &DepthCloud, planes: &[Plane]) -> &[Cluster] {
        self.find_without(cloud, planes, |_| false)
    }

    /// The same without pixels that are known to be something else.
    pub fn find_without(
        &mut self,
        cloud: &DepthCloud,
        planes: &[Plane],
        is_else: impl Fn(usize) -> bool,
    ) -> &[Cluster] {
        self.clusters.clear();
        self.labels.clear();
        self.labels.resize(cloud.len(), 0);
        self.pixels.clear();
        self.points.clear();
        for pixel in (0..cloud.len()).filter(|pixel| !is_else(*pixel)) {
            if let Some(point) = cloud.point(pixel).filter(|point| self.stands(cloud, planes, pixel, point)) {
                self.pixels.push(pixel);
                self.points.push(point);
            }
        }
        self.sets.reset(self.points.len());
        self.voxels.join(&self.points, self.settings.tolerance, &mut self.sets);
        let mut members: Vec<(u32, usize)> =
            (0..self.points.len()).map(|number| (self.sets.root(number as u32), number)).collect();
        members.sort_unstable();
        for set in members.chunk_by(|one, other| one.0 == other.0) {
            let cluster = (set.len() >= self.settings.least_points).then(|| self.cluster(cloud, planes, set)).flatten();
            if let Some(cluster) = cluster {
                self.clusters.push(cluster);
                let label = self.clusters.len() as u32;
                set.iter().for_each(|(_, number)| self.labels[self.pixels[*number]] = label);
            }
        }
        &self.clusters
    }

    /// The cluster of a pixel of the last picture.
    pub fn cluster_of(&self, pixel: usize) -> Option<usize> {
        self.labels.get(pixel).and_then(|label| label.checked_sub(1)).map(|number| number as usize)
    }

    fn stands(&self, cloud: &DepthCloud, planes: &[Plane], pixel: usize, point: &Point3<f64>) -> bool {
        let Some((lowest, depth)) = planes.first().zip(cloud.depth(pixel)) else { return false };
        let clearance = self.settings.clearance.max(self.settings.deviations * cloud.deviation(depth));
        let height = lowest.height(point);
        let is_on = |plane: &Plane| plane.height(point).abs() <= clearance && plane.spans(point, MARGIN);
        height > clearance && height <= self.settings.most_height && !planes.iter().any(is_on)
    }

    fn cluster(&self, cloud: &DepthCloud, planes: &[Plane], set: &[(u32, usize)]) -> Option<Cluster> {
        let count = set.len() as f64;
        let points = || set.iter().map(|(_, number)| &self.points[*number]);
        let mean = points().map(|point| point.coords).sum::<Vector3<f64>>() / count;
        let off = points().map(|point| point.coords - mean);
        let scatter = off.map(|off| off * off.transpose()).sum::<Matrix3<f64>>() / count;
        let axes = principal_axes(&scatter);
        let reach = |axis: usize| {
            let along = points().map(|point| axes.column(axis).dot(&(point.coords - mean)));
            let [low, high] = along.fold([0.0_f64; 2], |[low, high], at| [low.min(at), high.max(at)]);
            high - low
        };
        let extent = Vector3::new(reach(0), reach(1), reach(2));
        if extent.max() > self.settings.most_extent {
            return None;
        }
        let pixels: Vec<usize> = set.iter().map(|(_, number)| self.pixels[*number]).collect();
        let noise = pixels.iter().filter_map(|pixel| cloud.covariance(*pixel)).sum::<Matrix3<f64>>();
        let plane = support(planes, &mean.into())?;
        let above = points().map(|point| planes[plane].height(point));
        let heights = above.fold([f64::INFINITY, 0.0], |[low, high], at| [low.min(at), high.max(at)]);
        let is_cut = pixels.iter().any(|pixel| is_at_border(cloud, *pixel));
        let independent = (count / cloud.noise().shared_pixels).max(1.0);
        let covariance = noise / (count * independent);
        Some(Cluster { pixels, centroid: mean.into(), covariance, scatter, axes, extent, plane, heights, is_cut })
    }
}

/// The highest plane below a point that reaches there; otherwise the lowest of all.
fn support(planes: &[Plane], point: &Point3<f64>) -> Option<usize> {
    let holds = |plane: &Plane| plane.height(point) > 0.0 && plane.spans(point, MARGIN);
    planes.iter().rposition(holds).or((!planes.is_empty()).then_some(0))
}

fn is_at_border(cloud: &DepthCloud, pixel: usize) -> bool {
    let (column, row) = cloud.place(pixel);
    let intrinsics = &cloud.view().intrinsics;
    column == 0 || row == 0 || column + 1 >= intrinsics.width || row + 1 >= intrinsics.height
}

/// Eigenvectors as columns, that of the largest eigenvalue first, right-handed.
fn principal_axes(scatter: &Matrix3<f64>) -> Matrix3<f64> {
    let eigen = SymmetricEigen::new(*scatter);
    let mut order = [0, 1, 2];
    order.sort_by(|one, other| eigen.eigenvalues[*other].total_cmp(&eigen.eigenvalues[*one]));
    let [first, second] = [order[0], order[1]].map(|index| eigen.eigenvectors.column(index).into_owned());
    Matrix3::from_columns(&[first, second, first.cross(&second)])
}
