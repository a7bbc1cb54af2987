//! What a picture shows: slow work, done beside the cycle.

use std::sync::Arc;

use nalgebra::{Isometry3, Matrix6, Point3, UnitQuaternion, Vector3};
use perception::{CameraView, DepthCloud, Detection, Look, Pictures, Recognised, Recogniser, SightingFinder, look_at};
use robot_io::{DepthImage, Image, Sealed, State, Time};

use crate::setup::Body;
use crate::voxels::Voxels;

/// What is nearer to a link of the robot than this is taken for the robot itself [m].
const OWN: f64 = 0.04;
/// What is nearer to a known object than this is that object: its picture may have been cut, or it was moved while it was taken [m].
const ITS: f64 = 0.02;
/// Furniture whose middle is farther from the camera than this is not believed [m].
const FURNITURE: f64 = 2.5;
/// What is farther from the base than this is of no concern to hands [m].
const REACH: f64 = 2.0;
/// Every so many-th pixel in each direction becomes a point of the surroundings.
const STRIDE: usize = 2;
/// What is so much nearer than the depth that is measured is not there any more [m].
const BEHIND: f64 = 0.03;

/// What is looked at.
pub(super) struct Question {
    pub recogniser: Arc<Recogniser>,
    pub body: Arc<Body>,
    pub picture: Sealed<DepthImage>,
    pub view: CameraView,
    /// The colour picture of the same moment, if there is one.
    pub colour: Option<InColour>,
    /// What is farther from the camera is not believed to be an object [m], and the same of what has its model's colour.
    pub most_range: f64,
    pub most_range_in_colour: f64,
    /// The base, and each link of the robot, when the picture was taken.
    pub base_in_odom: Isometry3<f64>,
    pub links_in_odom: Vec<Isometry3<f64>>,
    /// The objects that are known.
    pub known: Vec<Remembered>,
    pub surroundings: Sealed<Voxels>,
}

/// The colour picture of a question.
pub(super) struct InColour {
    pub finder: Arc<SightingFinder>,
    pub picture: Sealed<Image>,
    pub view: CameraView,
}

/// An object that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remembered {
    pub id: u64,
    pub model: usize,
    pub pose: Isometry3<f64>,
    /// How far it reaches from its middle [m].
    pub radius: f64,
    pub is_confirmed: bool,
    /// Only its colour was seen until now.
    pub is_glimpse: bool,
}

/// What was seen.
#[derive(Clone, Debug, Default, State)]
pub(super) struct Answer {
    pub stamp: Time,
    pub reference: Turn,
    pub found: Vec<Found>,
    /// Known objects that this picture would have shown.
    pub should_be_seen: Vec<u64>,
    /// Objects of which only colour and place were seen.
    pub glimpses: Vec<Found>,
    /// Known objects that are too far away to be recognised, and whose colour this picture would have shown.
    pub should_be_glimpsed: Vec<u64>,
    pub surroundings: Sealed<Voxels>,
    /// Models and clusters that did not come together, for people.
    pub unknown: usize,
}

/// A turn of which the default is none.
#[derive(Clone, Copy, Debug, State)]
pub(super) struct Turn(pub UnitQuaternion<f64>);

/// An object in a picture.
#[derive(Clone, Copy, Debug, State)]
pub(super) struct Found {
    pub model: usize,
    pub pose: Isometry3<f64>,
    pub covariance: Matrix6<f64>,
    pub has_orientation: bool,
}

impl Question {
    /// Looks.
    pub fn answer(self) -> Answer {
        let mut recogniser = Recogniser::clone(&self.recogniser);
        let colour = self.colour.as_ref().map(|colour| (&*colour.picture, &colour.view));
        let pictures = Pictures { depth: (&self.picture, &self.view), colour };
        let reference = self.base_in_odom.rotation;
        let stamp = self.picture.stamp;
        let blind = Answer { stamp, surroundings: self.surroundings.clone(), ..Answer::default() };
        // a picture that does not fit its camera shows nothing
        let Ok(seen) = recogniser.recognise(&pictures, &Vector3::z_axis(), &reference) else { return blind };
        let seen = seen.to_vec();
        let found: Vec<Found> = seen.iter().filter_map(|recognised| self.found(&recogniser, recognised)).collect();
        // what was only glimpsed may be too far away to be recognised
        let is_shown = |known: &&Remembered| {
            let middle = known.pose.translation.vector.into();
            let is_expected = !known.is_glimpse && self.is_within_range(known, &recogniser);
            let is_looked_at = || look_at(recogniser.cloud(), &middle, known.radius) == Look::Seen;
            is_expected && is_looked_at() && recogniser.has_in_picture(known.model, &known.pose)
        };
        let should_be_seen = self.known.iter().filter(is_shown).map(|known| known.id).collect();
        let unknown = seen.len() - found.len();
        let glimpses = self.glimpses(&recogniser, &found);
        let should_be_glimpsed = self.should_be_glimpsed(&recogniser);
        let surroundings = Sealed::new(self.surroundings(&recogniser, &seen, &found));
        let reference = Turn(reference);
        Answer { stamp, reference, found, should_be_seen, glimpses, should_be_glimpsed, surroundings, unknown }
    }

    /// So far away an object is believed [m].
    pub fn range(&self, has_colour: bool) -> f64 {
        if has_colour { self.most_range_in_colour } else { self.most_range }
    }

    /// What was recognised, if it is believed. What is believed for its colour alone tells its place and no orientation: so far away a cup that stands
    /// and one on its head look alike.
    fn found(&self, recogniser: &Recogniser, recognised: &Recognised) -> Option<Found> {
        let (model, registered) = recognised.object.as_ref()?;
        let far = (registered.pose.translation.vector - self.view.first_row.translation.vector).norm();
        let most_range = if recogniser.is_furniture(*model) { FURNITURE } else { self.most_range };
        let told = match far {
            far if far <= most_range => Detection::from((*model, registered)),
            far if far <= self.range(recognised.has_colour) => {
                let covariance = registered.covariance.fixed_view::<3, 3>(0, 0).into_owned();
                Detection::of_place(*model, registered.pose.translation.vector.into(), &covariance)
            }
            _ => return None,
        };
        let Detection { pose, covariance, has_orientation, .. } = told;
        Some(Found { model: *model, pose, covariance, has_orientation })
    }

    /// Everything with a surface that is no object and not the robot: what this picture shows, and what was there before where it shows nothing.
    fn surroundings(&self, recogniser: &Recogniser, seen: &[Recognised], found: &[Found]) -> Voxels {
        let (cloud, clusters) = (recogniser.cloud(), recogniser.clusters());
        let mut is_object = vec![false; cloud.len()];
        // what stands on furniture belongs to its cluster
        let is_thing =
            |recognised: &&Recognised| recognised.object.is_some_and(|(model, _)| !recogniser.is_furniture(model));
        let objects = seen.iter().filter(is_thing);
        for pixel in objects.filter_map(|recognised| clusters.get(recognised.cluster)).flat_map(|own| &own.pixels) {
            is_object[*pixel] = true;
        }
        let sampled = |pixel: &usize| {
            let (column, row) = cloud.place(*pixel);
            column % STRIDE == 0 && row % STRIDE == 0 && !is_object[*pixel]
        };
        let new = (0..cloud.len()).filter(sampled).filter_map(|pixel| cloud.point(pixel));
        let new = new.filter(|point| self.concerns(point) && !self.is_own(point));
        let kept = self.surroundings.middles().filter(|middle| self.concerns(middle) && !is_gone(cloud, middle));
        let confirmed = self.known.iter().filter(|known| known.is_confirmed).map(|known| (known.model, known.pose));
        let objects = confirmed.chain(found.iter().map(|found| (found.model, found.pose)));
        let objects: Vec<(usize, Isometry3<f64>)> = objects.map(|(model, pose)| (model, pose.inverse())).collect();
        Voxels::of(new.chain(kept).filter(|point| !self.is_object(point, &objects)))
    }

    fn concerns(&self, point: &Point3<f64>) -> bool {
        (point.coords - self.base_in_odom.translation.vector).norm() < REACH
    }

    /// Whether a point belongs to an object; of each the model, and the frame from which points are seen in its own.
    fn is_object(&self, point: &Point3<f64>, objects: &[(usize, Isometry3<f64>)]) -> bool {
        objects.iter().any(|(model, from)| {
            let within = (from * point).coords;
            let solids = self.body.things.get(*model).map_or(&[][..], |thing| &thing.solids);
            solids.iter().any(|solid| solid.distance(&within) < ITS)
        })
    }

    pub fn is_own(&self, point: &Point3<f64>) -> bool {
        self.links_in_odom.iter().enumerate().any(|(link, pose)| {
            let (solids, seen) = (self.body.model.solids(link), self.body.model.seen(link));
            if solids.is_empty() && seen.is_empty() {
                return false;
            }
            let within = pose.inverse_transform_point(point).coords;
            solids.iter().chain(seen).any(|solid| solid.distance(&within) < OWN)
        })
    }
}

/// True if the picture looks through a place: what was there is gone.
fn is_gone(cloud: &DepthCloud, point: &Point3<f64>) -> bool {
    let view = cloud.view();
    let Some((column, row, depth)) = view.project(point) else { return false };
    let measured = view.pixel(column, row).and_then(|pixel| cloud.depth(pixel));
    measured.is_some_and(|measured| measured > depth + BEHIND)
}

impl Default for Turn {
    fn default() -> Self {
        Turn(UnitQuaternion::identity())
    }
}

impl Default for Found {
    fn default() -> Self {
        let (pose, covariance) = (Isometry3::identity(), Matrix6::zeros());
        Found { model: 0, pose, covariance, has_orientation: false }
    }
}
