//! From a depth picture to objects with poses.

mod furniture;

use nalgebra::{Isometry3, Unit, UnitQuaternion, Vector3};
use robot_io::{DepthImage, Image, Settings};
use serde::{Deserialize, Serialize};

use crate::camera::{CameraView, DepthNoise};
use crate::cloud::{
    Cluster, ClusterFinder, ClusterSettings, DepthCloud, NormalSettings, Plane, PlaneFinder, PlaneSettings,
};
use crate::colour::ColourTable;
use crate::error::PerceptionError;
use crate::model::ObjectModel;
use crate::registration::{Misfit, Registered, Registrar, RegistrationSettings, Scene};

use self::furniture::{Furniture, is_furniture};

/// Everything that can be set on the way from a depth picture to objects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct RecognitionSettings {
    /// Of the depth camera.
    pub noise: DepthNoise,
    /// Normals of points.
    pub normals: NormalSettings,
    /// Planes on which things stand.
    pub planes: PlaneSettings,
    /// What stands on them.
    pub clusters: ClusterSettings,
    /// Models in clusters.
    pub registration: RegistrationSettings,
    /// Share of a cluster's points that must have a model's colour.
    #[setting(0.3, share)]
    pub least_colour: f64,
    /// A cluster may be larger than a model by so much [m].
    #[setting(0.03, not_negative)]
    pub size_margin: f64,
}

/// What recognition looks at.
#[derive(Clone, Copy)]
pub struct Pictures<'a> {
    /// The depth picture, and where its camera was.
    pub depth: (&'a DepthImage, &'a CameraView),
    /// A colour picture of the same moment, and where its camera was. Without it colours do not count.
    pub colour: Option<(&'a Image, &'a CameraView)>,
}

/// What became of a cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Recognised {
    /// Its number in [`Recogniser::clusters`].
    pub cluster: usize,
    /// The model that fits best, by its number, and where it is; none if no model fits.
    pub object: Option<(usize, Registered)>,
    /// True if a colour picture shows that it has its model's colour; false where that is not known, as no picture shows it or the model names none.
    pub has_colour: bool,
    /// Models of its size that did not fit, and why.
    pub refused: Vec<(usize, Misfit)>,
}

/// Recognises objects of known shape on planes, and such as are longer than what counts as a thing ([`ClusterSettings::most_extent`]) on the lowest
/// plane: furniture, on which things may stand. Keeps its memory from picture to picture.
#[derive(Clone, Debug)]
pub struct Recogniser {
    settings: RecognitionSettings,
    models: Vec<ObjectModel>,
    colours: Option<ColourTable>,
    cloud: DepthCloud,
    planes: PlaneFinder,
    clusters: ClusterFinder,
    /// Only where a model is furniture.
    furniture: Option<Furniture>,
    registrar: Registrar,
    found_planes: Vec<Plane>,
    found_clusters: Vec<Cluster>,
    /// For each cluster its number with its finder, and whether that looks for furniture.
    places: Vec<(usize, bool)>,
    recognised: Vec<Recognised>,
}

impl Recogniser {
    /// A recogniser of these models. With a colour table, every colour that a model names must be in it.
    pub fn new(
        models: Vec<ObjectModel>,
        colours: Option<ColourTable>,
        settings: RecognitionSettings,
    ) -> Result<Recogniser, PerceptionError> {
        settings.check()?;
        if let Some(table) = &colours {
            models.iter().try_for_each(|model| model.is_in(table))?;
        }
        Ok(Recogniser {
            furniture: Furniture::of(&models, &settings)?,
            cloud: DepthCloud::new(settings.noise, settings.normals)?,
            planes: PlaneFinder::new(settings.planes)?,
            clusters: ClusterFinder::new(settings.clusters)?,
            registrar: Registrar::new(settings.registration)?,
            settings,
            models,
            colours,
            found_planes: Vec::new(),
            found_clusters: Vec::new(),
            places: Vec::new(),
            recognised: Vec::new(),
        })
    }

    /// What stands on planes in a picture, from top to bottom. `up` is in the fixed frame; poses that look alike are brought nearest to
    /// `reference`, for example the base's orientation.
    pub fn recognise(
        &mut self,
        pictures: &Pictures<'_>,
        up: &Unit<Vector3<f64>>,
        reference: &UnitQuaternion<f64>,
    ) -> Result<&[Recognised], PerceptionError> {
        self.cloud.fill(pictures.depth.0, pictures.depth.1)?;
        if let Some((image, view)) = pictures.colour {
            let expected = view.intrinsics.width * view.intrinsics.height;
            if image.rgb.len() != 3 * expected || image.width != view.intrinsics.width {
                return Err(PerceptionError::Picture { camera: "colour", expected, found: image.rgb.len() / 3 });
            }
        }
        self.found_planes.clear();
        self.found_planes.extend_from_slice(self.planes.find(&self.cloud, up));
        self.find_clusters();
        self.recognised.clear();
        for number in 0..self.found_clusters.len() {
            let colours = self.colours_of(&self.found_clusters[number], pictures);
            let recognised = self.recognise_cluster(number, &colours, reference);
            self.recognised.push(recognised);
        }
        Ok(&self.recognised)
    }

    /// What stands on any plane, and then what is as long as furniture and stands on the lowest.
    fn find_clusters(&mut self) {
        self.found_clusters.clear();
        self.places.clear();
        let things = self.clusters.find(&self.cloud, &self.found_planes).to_vec();
        let stands_higher = |pixel| {
            let thing = self.clusters.cluster_of(pixel).and_then(|thing| things.get(thing));
            thing.is_some_and(|thing| thing.plane > 0)
        };
        let (cloud, planes) = (&self.cloud, &self.found_planes);
        let long = self.furniture.as_mut().map(|furniture| furniture.find(cloud, planes, stands_higher));
        let long = long.unwrap_or_default().into_iter();
        for (cluster, place) in (things.iter().enumerate())
            .map(|(number, cluster)| (cluster, (number, false)))
            .chain(long.map(|(number, cluster)| (cluster, (number, true))))
        {
            self.found_clusters.push(cluster.clone());
            self.places.push(place);
        }
    }

    /// Whether a model is looked for on the lowest plane only, whatever stands on it.
    pub fn is_furniture(&self, model: usize) -> bool {
        self.models.get(model).is_some_and(|model| is_furniture(model, &self.settings))
    }

    /// Whether so much of a model, by its number, at a pose in the fixed frame is in the last picture that it may be told there. What is not recognised
    /// all the same is not there, or hidden.
    pub fn has_in_picture(&self, model: usize, pose: &Isometry3<f64>) -> bool {
        let Some(known) = self.models.get(model) else { return false };
        let view = self.cloud.view();
        match self.furniture.as_ref().filter(|_| is_furniture(known, &self.settings)) {
            Some(furniture) => furniture.has_in_picture(known, view, pose),
            None => self.registrar.has_in_picture(known, view, pose),
        }
    }

    /// The models.
    pub fn models(&self) -> &[ObjectModel] {
        &self.models
    }

    /// The points of the last picture.
    pub fn cloud(&self) -> &DepthCloud {
        &self.cloud
    }

    /// The planes of the last picture, the lowest first.
    pub fn planes(&self) -> &[Plane] {
        &self.found_planes
    }

    /// The clusters of the last picture.
    pub fn clusters(&self) -> &[Cluster] {
        &self.found_clusters
    }

    fn recognise_cluster(
        &mut self,
        number: usize,
        colours: &Option<Vec<f64>>,
        reference: &UnitQuaternion<f64>,
    ) -> Recognised {
        let (cluster, (place, is_long)) = (&self.found_clusters[number], self.places[number]);
        let up = self.found_planes.get(cluster.plane).map_or(Vector3::z_axis(), |plane| plane.normal);
        let scene = Scene { cloud: &self.cloud, cluster, up, reference: *reference };
        let mut recognised = Recognised { cluster: number, object: None, has_colour: false, refused: Vec::new() };
        for (index, model) in self.models.iter().enumerate() {
            let has_size = cluster.extent.max() <= 2.0 * model.radius() + self.settings.size_margin;
            if !has_size || is_furniture(model, &self.settings) != is_long {
                continue;
            }
            let share = self.share_of_colour(model, colours);
            if let Some(found) = share.filter(|share| *share < self.settings.least_colour) {
                recognised.refused.push((index, Misfit::Colour { expected: self.settings.least_colour, found }));
                continue;
            }
            let registered = match self.furniture.as_mut().filter(|_| is_long) {
                Some(furniture) => furniture.register(model, &scene, place),
                None => {
                    let is_own = |pixel: usize| self.clusters.cluster_of(pixel) == Some(place);
                    self.registrar.register(model, &scene, is_own)
                }
            };
            match registered {
                Ok(found) => {
                    let leader = recognised.object.map_or(f64::NEG_INFINITY, |(_, other)| other.fitness.score());
                    if found.fitness.score() > leader {
                        recognised.object = Some((index, found));
                        recognised.has_colour = share.is_some();
                    }
                }
                Err(misfit) => recognised.refused.push((index, misfit)),
            }
        }
        recognised
    }

    /// Share of a cluster's points that have each colour; `None` without a colour picture that shows them.
    fn colours_of(&self, cluster: &Cluster, pictures: &Pictures<'_>) -> Option<Vec<f64>> {
        let ((image, view), table) = pictures.colour.zip(self.colours.as_ref())?;
        let (mut shares, mut count) = (vec![0.0; table.classes().len()], 0.0);
        for pixel in &cluster.pixels {
            let at = self.cloud.point(*pixel).and_then(|point| view.project(&point));
            let Some(place) = at.and_then(|(column, row, _)| view.pixel(column, row)) else { continue };
            let rgb = &image.rgb[3 * place..3 * place + 3];
            count += 1.0;
            if let Some(class) = table.class_of([rgb[0], rgb[1], rgb[2]]) {
                shares[class] += 1.0;
            }
        }
        shares.iter_mut().for_each(|share| *share /= f64::max(count, 1.0));
        (count > 0.0).then_some(shares)
    }

    /// Share of a cluster's points that have a model's colour; `None` if that is not known.
    fn share_of_colour(&self, model: &ObjectModel, shares: &Option<Vec<f64>>) -> Option<f64> {
        let class = self.colours.as_ref()?.class(model.colour()?)?;
        shares.as_ref()?.get(class).copied()
    }
}
