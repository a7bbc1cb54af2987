//! What is too long to count as a thing: things may stand on it.

use nalgebra::{Isometry3, Point3, SymmetricEigen, Vector3};

use super::RecognitionSettings;
use crate::camera::CameraView;
use crate::cloud::{Cluster, ClusterFinder, ClusterSettings, DepthCloud, Plane};
use crate::error::PerceptionError;
use crate::model::ObjectModel;
use crate::registration::{Misfit, Registered, Registrar, RegistrationSettings, Scene};

/// A cluster that is shorter than this share of what counts as a thing is none of furniture, of which a part may be seen.
const LONG: f64 = 0.5;
/// Furniture stands on the ground, which a camera near it does not show: so much of a model may be outside of the picture.
const OUTSIDE: f64 = 0.5;
/// Faces tell a place along a direction if its standard deviation is less than this [m]; else edges do.
const LOOSE: f64 = 0.003;
/// An edge is where this share of a cluster's points is beyond it: single ones stray.
const BEYOND: f64 = 0.002;
/// Points so near to the picture's border may go on beyond it [pixels].
const BORDER: usize = 3;

/// Whether a model is longer than what counts as a thing ([`ClusterSettings::most_extent`]).
pub(super) fn is_furniture(model: &ObjectModel, settings: &RecognitionSettings) -> bool {
    2.0 * model.radius() > settings.clusters.most_extent
}

/// Finds furniture on the lowest plane. Keeps its memory from picture to picture.
#[derive(Clone, Debug)]
pub(super) struct Furniture {
    clusters: ClusterFinder,
    registrar: Registrar,
    /// Shorter clusters are left out [m].
    least: f64,
}

impl Furniture {
    /// `None` if no model is furniture.
    pub fn of(models: &[ObjectModel], settings: &RecognitionSettings) -> Result<Option<Furniture>, PerceptionError> {
        let long = models.iter().filter(|model| is_furniture(model, settings)).map(ObjectModel::radius);
        let Some(radius) = long.reduce(f64::max) else { return Ok(None) };
        let most_extent = 2.0 * radius + settings.size_margin;
        let clusters = ClusterFinder::new(ClusterSettings { most_extent, ..settings.clusters })?;
        let registrar = Registrar::new(RegistrationSettings { most_outside: OUTSIDE, ..settings.registration })?;
        Ok(Some(Furniture { clusters, registrar, least: LONG * settings.clusters.most_extent }))
    }

    /// Long clusters on the lowest of these planes, with their numbers; without what stands on the others, as a cup on a table.
    pub fn find(
        &mut self,
        cloud: &DepthCloud,
        planes: &[Plane],
        stands_higher: impl Fn(usize) -> bool,
    ) -> Vec<(usize, &Cluster)> {
        let clusters = self.clusters.find_without(cloud, &planes[..planes.len().min(1)], stands_higher);
        clusters.iter().enumerate().filter(|(_, cluster)| cluster.extent.max() > self.least).collect()
    }

    /// Whether so much of a model at a pose is in a picture that it may be told.
    pub fn has_in_picture(&self, model: &ObjectModel, view: &CameraView, pose: &Isometry3<f64>) -> bool {
        self.registrar.has_in_picture(model, view, pose)
    }

    /// A model in the cluster of this number. Its faces say where it is across them; where none of them says more, its edges do.
    pub fn register(&mut self, model: &ObjectModel, scene: &Scene<'_>, number: usize) -> Result<Registered, Misfit> {
        let is_own = |pixel: usize| self.clusters.cluster_of(pixel) == Some(number);
        let mut found = self.registrar.register(model, scene, is_own)?;
        let covariance = found.covariance.fixed_view::<3, 3>(0, 0).into_owned();
        let eigen = SymmetricEigen::new(covariance);
        let loosest: Vector3<f64> = eigen.eigenvectors.column(eigen.eigenvalues.imax()).into_owned();
        if eigen.eigenvalues.max() < LOOSE * LOOSE {
            return Ok(found);
        }
        if let Some([low, high]) = span_of_model(model, &found, &loosest) {
            let by = match span_of_cluster(scene, &loosest) {
                [Some(one), Some(other)] => 0.5 * (one - low + other - high),
                // the edge is up to a pixel beyond the last point
                [Some(end), None] => end - low,
                [None, Some(end)] => end - high,
                [None, None] => 0.0,
            };
            found.pose.translation.vector += loosest * by;
        }
        Ok(found)
    }
}

/// From where to where a model reaches along a direction [m].
fn span_of_model(model: &ObjectModel, found: &Registered, along: &Vector3<f64>) -> Option<[f64; 2]> {
    let places = model.surface().points.iter().map(|point| along.dot(&(found.pose * point.point).coords));
    places.fold(None, |span, at| Some(span.map_or([at; 2], |[low, high]: [f64; 2]| [low.min(at), high.max(at)])))
}

/// The same of a cluster; `None` of an end that may be outside of the picture.
fn span_of_cluster(scene: &Scene<'_>, along: &Vector3<f64>) -> [Option<f64>; 2] {
    let at = |point: Point3<f64>| along.dot(&point.coords);
    let own = scene.cluster.pixels.iter().filter_map(|pixel| Some((at(scene.cloud.point(*pixel)?), *pixel)));
    let mut places: Vec<(f64, usize)> = own.collect();
    places.sort_by(|one, other| one.0.total_cmp(&other.0));
    let beyond = (BEYOND * places.len() as f64) as usize;
    let inside = |(_, pixel): &(f64, usize)| {
        let ((column, row), intrinsics) = (scene.cloud.place(*pixel), &scene.cloud.view().intrinsics);
        let is_within = |place: usize, size: usize| (BORDER..size.saturating_sub(BORDER)).contains(&place);
        is_within(column, intrinsics.width) && is_within(row, intrinsics.height)
    };
    let end = |mut beyond_it: core::slice::Iter<'_, (f64, usize)>, edge: Option<&(f64, usize)>| {
        edge.filter(|_| beyond_it.all(inside)).map(|(at, _)| *at)
    };
    let last = places.len().saturating_sub(1 + beyond);
    [
        end(places.get(..=beyond).unwrap_or_default().iter(), places.get(beyond)),
        end(places.get(last..).unwrap_or_default().iter(), places.get(last)),
    ]
}
