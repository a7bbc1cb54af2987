//! Objects that are remembered.

use nalgebra::{Isometry3, Matrix6, UnitQuaternion};
use robot_io::{Settings, State, Time};

use super::assignment::assign;
use super::filter::{distance, noise, predict, update};
use super::look::Look;
use super::settings::TrackingSettings;
use super::track::{Detection, ObjectClass, Track, TrackEvent};
use crate::error::PerceptionError;
use crate::model::Symmetry;

/// What was lost lies within this of where that was noticed: standard deviation [m].
const LOST: f64 = 0.15;

/// The objects that were seen, each with an identity that stays. After Leitner's world model for eye and hand (2015); association and filter are the
/// textbook's (Bar-Shalom, Li and Kirubarajan, "Estimation with Applications to Tracking and Navigation", 2001).
#[derive(Clone, Debug, State)]
pub struct WorldModel {
    #[state(fixed)]
    classes: Vec<ObjectClass>,
    #[state(fixed)]
    settings: TrackingSettings,
    tracks: Vec<Track>,
    /// The next identity.
    next: u64,
    /// The last update.
    stamp: Time,
    #[state(output)]
    events: Vec<TrackEvent>,
}

impl WorldModel {
    /// A world of these classes in which nothing was seen yet.
    pub fn new(classes: Vec<ObjectClass>, settings: TrackingSettings) -> Result<WorldModel, PerceptionError> {
        settings.check()?;
        Ok(WorldModel { classes, settings, tracks: Vec::new(), next: 1, stamp: Time::ZERO, events: Vec::new() })
    }

    /// Takes in what one picture showed. `look` says of each object that was not detected whether this picture would have shown it; detections of unknown
    /// classes are left out. An object is not to be detected twice in one call: of two sources, as colour and depth, each makes a call.
    /// Poses that look alike are brought nearest to `reference`.
    pub fn update(
        &mut self,
        stamp: Time,
        detections: &[Detection],
        reference: &UnitQuaternion<f64>,
        look: impl Fn(&Track) -> Look,
    ) -> &[TrackEvent] {
        self.events.clear();
        self.predict(stamp);
        let own = assign(self.tracks.len(), detections.len(), |track, detection| {
            let (track, detection) = (&self.tracks[track], &detections[detection]);
            let symmetry = self.classes.get(detection.class).map(|class| &class.symmetry)?;
            let pair = distance(track, detection, symmetry, &self.settings);
            pair.filter(|_| track.class == detection.class)
        });
        let mut is_taken = vec![false; detections.len()];
        for (number, own) in own.iter().enumerate() {
            match own.and_then(|place| detections.get(place).map(|detection| (place, detection))) {
                Some((place, detection)) => {
                    is_taken[place] = true;
                    self.see(number, detection, stamp, reference);
                }
                None => self.tracks[number].missed += usize::from(look(&self.tracks[number]) == Look::Seen),
            }
        }
        self.give_up();
        for (detection, _) in detections.iter().zip(is_taken).filter(|(_, taken)| !taken) {
            self.begin(detection, stamp, reference);
        }
        &self.events
    }

    /// Takes in what one picture showed by colour alone: classes and about where they are, as [`Detection::of_place`]. It is called after
    /// [`update`](Self::update) with what was recognised in the same moment. `look` says of which objects colour decides whether they are still there: those
    /// that are too far away to be recognised. A glimpse tells nothing else of an object that was recognised once, as its pose is known better;
    /// an object that was only glimpsed is where the most exact glimpse has it, as the errors of glimpses have much in common.
    pub fn glimpse(&mut self, stamp: Time, glimpses: &[Detection], look: impl Fn(&Track) -> Look) -> &[TrackEvent] {
        self.events.clear();
        self.predict(stamp);
        let own = assign(self.tracks.len(), glimpses.len(), |track, glimpse| {
            let (track, glimpse) = (&self.tracks[track], &glimpses[glimpse]);
            let pair = distance(track, glimpse, &Symmetry::default(), &self.settings);
            pair.filter(|_| track.class == glimpse.class)
        });
        let mut is_taken = vec![false; glimpses.len()];
        for (track, own) in self.tracks.iter_mut().zip(&own) {
            let decides = look(track) == Look::Seen;
            let Some((place, glimpse)) = own.and_then(|place| glimpses.get(place).map(|glimpse| (place, glimpse)))
            else {
                track.missed += usize::from(decides);
                continue;
            };
            is_taken[place] = true;
            if glimpsed(track, glimpse, stamp, decides) == self.settings.glimpse_after && track.is_glimpse() {
                self.events.push(TrackEvent::Glimpsed(track.id));
            }
        }
        self.give_up();
        for (glimpse, _) in glimpses.iter().zip(is_taken).filter(|(_, taken)| !taken) {
            let known = self.classes.get(glimpse.class).is_some();
            let (id, covariance) = (self.next, noise(glimpse, &self.settings));
            let (class, pose, has_orientation) = (glimpse.class, glimpse.pose, false);
            let (seen, glimpsed, glimpses) = (Time::ZERO, stamp, 1);
            let track =
                Track { id, class, pose, covariance, has_orientation, seen, glimpsed, glimpses, ..Track::default() };
            self.tracks.extend(known.then_some(track));
            self.next += u64::from(known);
        }
        &self.events
    }

    /// Every object, confirmed or not, in the order in which they were first seen.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// The objects that may be used.
    pub fn confirmed(&self) -> impl Iterator<Item = &Track> {
        self.tracks.iter().filter(|track| track.is_confirmed)
    }

    /// The object of an identity.
    pub fn track(&self, id: u64) -> Option<&Track> {
        self.tracks.iter().find(|track| track.id == id)
    }

    /// An object is somewhere else now, as somebody knows who carries it; it was seen last when it was seen.
    pub fn carry(&mut self, id: u64, pose: Isometry3<f64>) {
        if let Some(track) = self.tracks.iter_mut().find(|track| track.id == id) {
            (track.pose, track.missed) = (pose, 0);
        }
    }

    /// Nobody knows any more where anything is. Identities are not given again.
    pub fn clear(&mut self) {
        self.tracks.clear();
        self.events.clear();
    }

    /// Whoever carried an object has lost it: it is about there, as if it had only been glimpsed, until it is seen.
    pub fn lose(&mut self, id: u64, stamp: Time) {
        let glimpses = self.settings.glimpse_after;
        if let Some(track) = self.tracks.iter_mut().find(|track| track.id == id) {
            let Track { class, pose, seen, .. } = *track;
            let covariance = Matrix6::from_diagonal_element(LOST * LOST);
            *track = Track { id, class, pose, covariance, seen, glimpses, glimpsed: stamp, ..Track::default() };
        }
    }

    /// The classes.
    pub fn classes(&self) -> &[ObjectClass] {
        &self.classes
    }

    fn predict(&mut self, stamp: Time) {
        let nanoseconds = stamp.nanoseconds().saturating_sub(self.stamp.nanoseconds());
        let seconds = 1e-9 * nanoseconds as f64;
        self.tracks.iter_mut().for_each(|track| predict(track, seconds, &self.settings));
        self.stamp = self.stamp.max(stamp);
    }

    fn see(&mut self, number: usize, detection: &Detection, stamp: Time, reference: &UnitQuaternion<f64>) {
        let default = Symmetry::default();
        let symmetry = self.classes.get(detection.class).map_or(&default, |class| &class.symmetry);
        let track = &mut self.tracks[number];
        update(track, detection, symmetry, &self.settings);
        track.pose = symmetry.canonical(&track.pose, reference);
        track.sightings += 1;
        track.missed = 0;
        track.seen = stamp;
        self.confirm(number);
    }

    fn confirm(&mut self, number: usize) {
        let track = &mut self.tracks[number];
        if !track.is_confirmed && track.sightings >= self.settings.confirm_after {
            track.is_confirmed = true;
            self.events.push(TrackEvent::Confirmed(track.id));
        }
    }

    fn begin(&mut self, detection: &Detection, stamp: Time, reference: &UnitQuaternion<f64>) {
        let Some(class) = self.classes.get(detection.class) else { return };
        self.tracks.push(Track {
            id: self.next,
            class: detection.class,
            pose: class.symmetry.canonical(&detection.pose, reference),
            covariance: noise(detection, &self.settings),
            has_orientation: detection.has_orientation,
            is_confirmed: false,
            sightings: 1,
            missed: 0,
            seen: stamp,
            ..Track::default()
        });
        self.next += 1;
        self.confirm(self.tracks.len() - 1);
    }

    fn give_up(&mut self) {
        let settings = &self.settings;
        let is_over = |track: &Track| {
            track.missed >= if track.is_confirmed { settings.lose_after } else { settings.forget_after }
        };
        let lost = self.tracks.iter().filter(|track| track.is_confirmed && is_over(track));
        self.events.extend(lost.map(|track| TrackEvent::Lost(track.id)));
        self.tracks.retain(|track| !is_over(track));
    }
}

/// Takes a glimpse of an object in; how often it was glimpsed by now. `decides`: it is too far away to be recognised, so that it is there if its colour is.
fn glimpsed(track: &mut Track, glimpse: &Detection, stamp: Time, decides: bool) -> usize {
    (track.glimpses, track.glimpsed) = (track.glimpses + 1, stamp);
    if decides || track.is_glimpse() {
        track.missed = 0;
    }
    let size = |covariance: &nalgebra::Matrix6<f64>| covariance.fixed_view::<3, 3>(0, 0).trace();
    if track.is_glimpse() && size(&glimpse.covariance) <= size(&track.covariance) {
        (track.pose, track.covariance) = (glimpse.pose, glimpse.covariance);
    }
    track.glimpses
}
