//! Planes on which things stand.

use nalgebra::{Matrix3, Point3, SymmetricEigen, Unit, Vector3};
use robot_io::math::cos;
use robot_io::{RandomStream, Settings};
use serde::{Deserialize, Serialize};

use super::DepthCloud;
use crate::error::PerceptionError;

/// How planes are found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct PlaneSettings {
    /// Most planes.
    #[setting(2, range = 1..=16)]
    pub most_planes: usize,
    /// Planes are looked for in about so many points, evenly of the picture.
    #[setting(3000, range = 100..=1_000_000)]
    pub points: usize,
    /// Triples of points that are tried for each plane.
    #[setting(150, range = 1..=100_000)]
    pub tries: usize,
    /// A point is of a plane within so many standard deviations of its depth …
    #[setting(3.0, positive)]
    pub deviations: f64,
    /// … or within this [m], the ground's roughness.
    #[setting(0.008, positive)]
    pub roughness: f64,
    /// Planes that lean by more than this are none to stand on [rad].
    #[setting(15.0_f64.to_radians(), range = 0.0..=1.6)]
    pub most_lean: f64,
    /// Least share of the picture's points that are on a plane.
    #[setting(0.06, share)]
    pub least_share: f64,
    /// Of the random triples.
    #[setting(1, not_negative)]
    pub seed: u64,
}

/// A plane: the points p with normal · p = offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// Its normal, upwards, in the fixed frame.
    pub normal: Unit<Vector3<f64>>,
    /// Distance of the frame's origin from it, along the normal [m].
    pub offset: f64,
    /// Mean of its points.
    pub centre: Point3<f64>,
    /// The axis-aligned box that holds its points: its lowest and highest corner.
    pub bounds: [Point3<f64>; 2],
    /// Share of the looked-at points that are on it.
    pub share: f64,
    /// Root mean square distance of its points [m].
    pub deviation: f64,
}

impl Plane {
    /// Height of a point above the plane [m].
    pub fn height(&self, point: &Point3<f64>) -> f64 {
        self.normal.dot(&point.coords) - self.offset
    }

    /// True for a point above, on or below what was seen of the plane, `margin` [m] around it.
    pub fn spans(&self, point: &Point3<f64>, margin: f64) -> bool {
        let [low, high] = &self.bounds;
        (0..2).all(|axis| (low[axis] - margin..=high[axis] + margin).contains(&point[axis]))
    }
}

/// Finds planes one after the other, each as the one with the most points of what is left: RANSAC (Fischler and Bolles 1981), each
/// candidate that leads put right by least squares (Chum, Matas and Kittler 2003). The triples are a function of the seed, so the same
/// picture has the same planes.
#[derive(Clone, Debug)]
pub struct PlaneFinder {
    settings: PlaneSettings,
    random: RandomStream,
    points: Vec<Sample>,
    planes: Vec<Plane>,
}

#[derive(Clone, Copy, Debug)]
struct Sample {
    pixel: usize,
    point: Point3<f64>,
    /// How far from a plane it may be [m].
    gate: f64,
    /// One over its variance.
    weight: f64,
}

/// A point faces along a plane's normal if the surface there is turned by no more than this from it: cosine of 60°.
const FACING: f64 = 0.5;
/// A plane is a surface if no less than this share of its points face along its normal: a level cut through walls is none.
const SURFACE: f64 = 0.5;
/// Rounds of least squares and of choosing points anew.
const ROUNDS: usize = 2;
/// The second and third point of a triple are taken from so many of the picture's samples before and after the first.
const NEAR: f64 = 400.0;

impl PlaneFinder {
    /// A finder with these settings.
    pub fn new(settings: PlaneSettings) -> Result<PlaneFinder, PerceptionError> {
        settings.check()?;
        let random = RandomStream::new(settings.seed, "planes");
        Ok(PlaneFinder { settings, random, points: Vec::new(), planes: Vec::new() })
    }

    /// The planes of a cloud whose normals are near `up`, the lowest first.
    pub fn find(&mut self, cloud: &DepthCloud, up: &Unit<Vector3<f64>>) -> &[Plane] {
        self.take(cloud);
        self.planes.clear();
        let total = self.points.len();
        while self.planes.len() < self.settings.most_planes {
            let plane = self.best(cloud, up, total);
            let Some(plane) = plane.filter(|plane| plane.share >= self.settings.least_share) else { break };
            self.points.retain(|sample| plane.height(&sample.point).abs() > sample.gate);
            self.planes.push(plane);
        }
        let height = |plane: &Plane| plane.centre.coords.dot(up);
        self.planes.sort_by(|one, other| height(one).total_cmp(&height(other)));
        &self.planes
    }

    fn take(&mut self, cloud: &DepthCloud) {
        self.points.clear();
        // an odd step, so that the samples are not a few columns
        let stride = (cloud.len() / self.settings.points).max(1) | 1;
        for pixel in (0..cloud.len()).step_by(stride) {
            if let (Some(point), Some(depth)) = (cloud.point(pixel), cloud.depth(pixel)) {
                let deviation = cloud.deviation(depth);
                let gate = (self.settings.deviations * deviation).max(self.settings.roughness);
                self.points.push(Sample { pixel, point, gate, weight: 1.0 / (gate * gate) });
            }
        }
    }

    /// The next one.
    fn best(&self, cloud: &DepthCloud, up: &Unit<Vector3<f64>>, total: usize) -> Option<Plane> {
        let round = self.planes.len() as u64;
        let least_cosine = cos(self.settings.most_lean);
        let mut best: Option<Plane> = None;
        for number in 0..self.settings.tries {
            let Some(normal) = self.triple(round, number as u32, up) else { continue };
            let Some(candidate) = self.supported(&normal.0, normal.1, total) else { continue };
            let leads = |share: f64| best.as_ref().is_none_or(|best| share > best.share);
            if candidate.normal.dot(up) < least_cosine || !leads(candidate.share) {
                continue;
            }
            let mut refined = candidate;
            for _ in 0..ROUNDS {
                let next = self.supported(&refined.normal, refined.offset, total);
                refined = next.filter(|next| next.share >= refined.share).unwrap_or(refined);
            }
            let is_level = refined.normal.dot(up) >= least_cosine;
            best = Some(refined).filter(|plane| is_level && self.is_surface(plane, cloud)).or(best);
        }
        best
    }

    /// Whether most of a plane's points face along its normal.
    fn is_surface(&self, plane: &Plane, cloud: &DepthCloud) -> bool {
        let of_plane = self.points.iter().filter(|sample| plane.height(&sample.point).abs() <= sample.gate);
        let facing = of_plane.filter_map(|sample| cloud.normal(sample.pixel)).map(|normal| plane.normal.dot(&normal));
        let (all, along) =
            facing.fold((0_usize, 0_usize), |(all, along), facing| (all + 1, along + usize::from(facing > FACING)));
        along as f64 >= SURFACE * all as f64
    }

    /// Normal and offset of the plane through three points that are not far from each other.
    fn triple(&self, round: u64, number: u32, up: &Unit<Vector3<f64>>) -> Option<(Unit<Vector3<f64>>, f64)> {
        let count = self.points.len() as f64;
        let draw = |index: u32| self.random.uniform(round, 3 * number + index);
        let first = (draw(0) * count) as usize;
        let near = |index: u32| {
            let place = first as f64 + NEAR * (2.0 * draw(index) - 1.0);
            self.points.get(place.clamp(0.0, (count - 1.0).max(0.0)) as usize)
        };
        let [a, b, c] = [self.points.get(first)?.point, near(1)?.point, near(2)?.point];
        let normal = Unit::try_new((b - a).cross(&(c - a)), 1e-6)?;
        let normal = if normal.dot(up) < 0.0 { -normal } else { normal };
        Some((normal, normal.dot(&a.coords)))
    }

    /// The plane by least squares through the points that are on a plane; its share is that of the given one.
    fn supported(&self, normal: &Unit<Vector3<f64>>, offset: f64, total: usize) -> Option<Plane> {
        let is_on = |sample: &&Sample| (normal.dot(&sample.point.coords) - offset).abs() <= sample.gate;
        let (mut count, mut weight, mut sum) = (0_usize, 0.0, Vector3::zeros());
        let [mut low, mut high] = [Point3::from([f64::INFINITY; 3]), Point3::from([f64::NEG_INFINITY; 3])];
        for sample in self.points.iter().filter(is_on) {
            count += 1;
            weight += sample.weight;
            sum += sample.point.coords * sample.weight;
            (low, high) = (low.inf(&sample.point), high.sup(&sample.point));
        }
        if count < 10 {
            return None;
        }
        let mean = sum / weight;
        let mut scatter = Matrix3::zeros();
        for sample in self.points.iter().filter(is_on) {
            let off = sample.point.coords - mean;
            scatter += off * off.transpose() * sample.weight;
        }
        let eigen = SymmetricEigen::new(scatter);
        let least = eigen.eigenvalues.imin();
        let fitted = Unit::try_new(eigen.eigenvectors.column(least).into_owned(), 1e-12)?;
        let fitted = if fitted.dot(normal) < 0.0 { -fitted } else { fitted };
        Some(Plane {
            normal: fitted,
            offset: fitted.dot(&mean),
            centre: mean.into(),
            bounds: [low, high],
            share: count as f64 / total.max(1) as f64,
            deviation: (eigen.eigenvalues[least].max(0.0) / weight).sqrt(),
        })
    }
}
