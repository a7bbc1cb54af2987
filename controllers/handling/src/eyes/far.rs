//! What is seen by its colour, too far away or too small to be recognised.

use nalgebra::{Point3, Vector3};
use perception::{Detection, Ground, Look, Recogniser, Sighting, SightingFinder, look_at};

use super::job::{Found, Question, Remembered};

/// What has an object's colour and is nearer to one of its model than this is that object [m].
const ITS: f64 = 0.15;
/// What is wider than its model by this is something else [m].
const WIDER: f64 = 0.05;

impl Question {
    /// Objects of which only colour and place are seen, beside those that were found.
    pub fn glimpses(&self, recogniser: &Recogniser, found: &[Found]) -> Vec<Found> {
        let Some(colour) = &self.colour else { return Vec::new() };
        let mut finder = SightingFinder::clone(&colour.finder);
        // the ground is about where the lowest link is
        let low = self.links_in_odom.iter().map(|link| link.translation.z).fold(f64::INFINITY, f64::min);
        let ground = Ground::Plane { point: Point3::new(0.0, 0.0, low), normal: Vector3::z_axis() };
        let sightings = finder.find_with_depth(&colour.picture, &colour.view, recogniser.cloud(), &ground);
        // a picture that does not fit its camera shows nothing
        let sightings = sightings.map(<[Sighting]>::to_vec).unwrap_or_default();
        let mut glimpses = Vec::new();
        for sighting in sightings.iter().filter(|sighting| !self.is_own(&sighting.position)) {
            for (model, object) in recogniser.models().iter().enumerate() {
                let is_colour = object.colour().is_some_and(|name| finder.table().class(name) == Some(sighting.class));
                let is_size = sighting.width <= 2.0 * object.radius() + WIDER;
                if is_colour && is_size && !self.is_known(model, sighting, found, recogniser) {
                    let seen = Detection::of_place(model, sighting.position, &sighting.covariance);
                    let (pose, covariance) = (seen.pose, seen.covariance);
                    glimpses.push(Found { model, pose, covariance, has_orientation: false });
                }
            }
        }
        glimpses
    }

    /// Known objects of which colour decides whether they are still there, as they are too far away to be recognised, and that this picture would have shown.
    pub fn should_be_glimpsed(&self, recogniser: &Recogniser) -> Vec<u64> {
        let Some(colour) = &self.colour else { return Vec::new() };
        let is_shown = |known: &&Remembered| {
            let middle: Point3<f64> = known.pose.translation.vector.into();
            let has_colour = recogniser.models().get(known.model).is_some_and(|model| model.colour().is_some());
            let place = colour.view.project(&middle).and_then(|(column, row, _)| colour.view.pixel(column, row));
            let is_seen = place.is_some() && look_at(recogniser.cloud(), &middle, known.radius) == Look::Seen;
            has_colour && is_seen && (known.is_glimpse || !self.is_within_range(known, recogniser))
        };
        self.known.iter().filter(is_shown).map(|known| known.id).collect()
    }

    /// Whether an object of this place is one that this picture should have recognised.
    pub fn is_within_range(&self, known: &Remembered, recogniser: &Recogniser) -> bool {
        let names_colour = recogniser.models().get(known.model).is_some_and(|model| model.colour().is_some());
        let range = self.range(names_colour && self.colour.is_some());
        (known.pose.translation.vector - self.view.first_row.translation.vector).norm() <= range
    }

    /// Whether a sighting is of an object that was found in this picture, or that is known and near: it tells nothing new.
    fn is_known(&self, model: usize, sighting: &Sighting, found: &[Found], recogniser: &Recogniser) -> bool {
        let is_its = |at: &Vector3<f64>| (at - sighting.position.coords).norm() < ITS;
        let near =
            |known: &&Remembered| known.model == model && !known.is_glimpse && self.is_within_range(known, recogniser);
        found.iter().any(|found| found.model == model && is_its(&found.pose.translation.vector))
            || self.known.iter().filter(near).any(|known| is_its(&known.pose.translation.vector))
    }
}
