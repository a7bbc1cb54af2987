//! Things that move, found by a laser and followed one by one.
//!
//! A laser whose axis turns shows a thing once a turn, in the few lines that happen to meet it: at 1 m/s it is 1.7 m farther on
//! when it is seen next. So nothing waits for whole sweeps. Every scan is compared with what is known of the ground: what
//! stands where the ground was free has come. Its lines in scans that follow each other make a sighting, and sightings a
//! track. A track is believed once it has moved farther than can be doubt, and forgotten when it is seen through.
//!
//! All is in the odometry frame, which never jumps.
//!
//! The floor beside a wall counts as free although the wall stands in part of its cell, and a laser that looks along the wall meets it
//! in other cells with every turn. So only what the scanner sees past on both sides is a thing of its own, or what has come in the open:
//! where the ground was free all around, and nothing was met before.

mod evidence;
mod profile;
mod settings;
mod sighting;
mod track;

pub use settings::MovingSettings;
pub use track::{MotionCovariance, Track};

use nalgebra::Point3;
use robot_io::{State, Time};

use evidence::Evidence;
use profile::Profile;
use sighting::{Seen, Sighting};

/// What the scanner has seen it sees again within this time [s].
const TURN: f64 = 2.6;
/// A thing that was looked for and not found so often is not there.
const MOST_MISSES: u32 = 2;
/// One turn of the scanner misses a thing once [s].
const BETWEEN_MISSES: f64 = 1.0;
/// So long after a thing was seen its place may be seen to be free because it has moved on [s].
const MOVED_ON: f64 = 0.6;
/// All parts of a thing are seen within this time [s].
const PARTS: f64 = 0.3;
/// What is seen so many standard deviations from where a thing is expected may be another one.
const OTHER: f64 = 1.5;
/// Most things that are followed at a time.
const MOST: usize = 16;

/// One scan, without points of the robot itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Glimpse {
    /// When it was taken; the scanner takes it in a time in which nothing moves far.
    pub time: Time,
    /// Where the scanner was, in the odometry frame [m].
    pub scanner: Point3<f64>,
    /// What it met, in the order of its beams, in the odometry frame [m].
    pub points: Vec<Point3<f64>>,
}

/// Follows what moves around the robot.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct MovingObjects {
    evidence: Evidence,
    /// What the last scan saw past.
    before: Profile,
    open: Vec<Sighting>,
    /// Sightings of what may be a part of something.
    unclear: Vec<Seen>,
    /// Sightings of what would have changed its motion all at once.
    surprising: Vec<Seen>,
    tracks: Vec<Track>,
    /// Counts tracks.
    count: u64,
}

impl MovingObjects {
    /// Takes in a scan.
    pub fn look(&mut self, glimpse: &Glimpse, settings: &MovingSettings) {
        let now = glimpse.time.seconds();
        let (strangers, profile) = self.evidence.look(glimpse, settings);
        for track in self.tracks.iter().filter(|track| track.is_confirmed) {
            self.evidence.note_mover(&track.place_at(now), track.half);
        }
        for line in sighting::lines(glimpse, &strangers, settings) {
            match self.open.iter_mut().find(|open| open.goes_on_with(&line, settings)) {
                Some(open) => open.push(line),
                None => self.open.push(Sighting::begin(line, &self.before)),
            }
        }
        self.open.iter_mut().for_each(|open| open.note_beside(now, &profile));
        self.before = profile;
        let over = self.open.extract_if(.., |open| open.is_over(now));
        let seen: Vec<Seen> = over.filter_map(|sighting| sighting.seen(settings)).collect();
        let seen = self.weigh(seen, now, settings);
        self.put_off(seen, now, settings).iter().for_each(|seen| self.take(seen, settings));
        self.look_through(now);
        self.tracks.retain(|track| now - track.time <= settings.patience && track.misses < MOST_MISSES);
        self.merge();
    }

    /// What moves beyond doubt, and what has moved and stands still now.
    pub fn moving(&self) -> impl Iterator<Item = &Track> {
        self.tracks.iter().filter(|track| track.is_confirmed)
    }

    /// Height of the ground at a place in the odometry frame [m], if it is known.
    pub fn floor_at(&self, x: f64, y: f64) -> Option<f64> {
        self.evidence.floor_at(x, y)
    }

    /// All that has come where the ground was free.
    pub fn tracks(&self) -> &[Track] {
        &self.tracks
    }

    /// The sightings that count now. What the scanner does not see past may be a part of what it sees past a moment later, as the long side
    /// of a cart is before its front: it waits for that.
    fn weigh(&mut self, seen: Vec<Seen>, now: f64, settings: &MovingSettings) -> Vec<Seen> {
        let (clear, unclear): (Vec<Seen>, Vec<Seen>) = seen.into_iter().partition(|seen| seen.is_alone);
        let is_beside =
            |seen: &Seen, part: &Seen| (seen.place - part.place).norm() < seen.half + part.half + settings.gap;
        let is_part = |part: &Seen| clear.iter().any(|seen| is_beside(seen, part));
        self.unclear.extend(unclear);
        self.unclear.retain(|part| !is_part(part));
        let due = self.unclear.extract_if(.., |part| now - part.time > PARTS).collect::<Vec<_>>();
        due.into_iter().chain(clear).collect()
    }

    /// The sightings to take now. What is far from where the only thing that it can be is expected may be another one: that thing is looked for
    /// where it is expected first.
    fn put_off(&mut self, seen: Vec<Seen>, now: f64, settings: &MovingSettings) -> Vec<Seen> {
        self.surprising.extend(seen);
        let waits = |seen: &Seen| {
            let expected = self.best_for(seen, settings).map(|(surprise, index)| (surprise, &self.tracks[index]));
            expected.is_some_and(|(surprise, track)| {
                let place = track.place_at(seen.time);
                let is_missed = self.evidence.free_at(place.x, place.y) > seen.time - MOVED_ON;
                track.is_confirmed && surprise > OTHER && !is_missed && now - track.time < TURN
            })
        };
        let (waiting, due) = self.surprising.iter().partition(|seen| waits(seen));
        self.surprising = waiting;
        due
    }

    /// The track that a sighting most likely is of, and how much it surprises, if there is one that it can be of.
    fn best_for(&self, seen: &Seen, settings: &MovingSettings) -> Option<(f64, usize)> {
        // what the scanner does not see past may be a piece of a wall: only what is known to move, and to be there, may be seen so
        // and what stood there before is another thing, unless this one is to be there
        let possible = |track: &&Track| match (track.is_confirmed, track.is_met_by(seen)) {
            (true, is_met) => is_met || seen.is_own() && !(seen.came < track.first_time && track.stood_there(seen)),
            (false, _) => seen.is_own(),
        };
        let candidates = self.tracks.iter().enumerate().filter(|(_, track)| possible(track));
        let fits = candidates.filter_map(|(index, track)| Some((track.surprise(seen, settings)?, index)));
        let misfit = |fit: &(f64, usize)| self.tracks[fit.1].misfit(seen, settings);
        fits.min_by(|a, b| misfit(a).total_cmp(&misfit(b)))
    }

    /// Gives a sighting to the track that it most likely is of, or begins one.
    fn take(&mut self, seen: &Seen, settings: &MovingSettings) {
        let best = self.best_for(seen, settings).map(|(_, index)| index);
        // what stands in the open may be another thing than the piece of a wall that was seen before
        let may_be_other =
            |track: &Track| seen.is_open && !track.is_confirmed && !track.is_open() && !track.is_met_by(seen);
        let is_another = best.is_none_or(|index| may_be_other(&self.tracks[index]));
        if let Some(index) = best {
            let evidence = &self.evidence;
            self.tracks[index].update(seen, |place| evidence.hit_at(place.x, place.y), settings);
        }
        if is_another && seen.is_new && seen.is_own() && self.tracks.len() < MOST {
            self.count += 1;
            self.tracks.push(Track::begin(self.count, seen));
        }
    }

    /// Counts which things are not where they should be.
    fn look_through(&mut self, now: f64) {
        for track in &mut self.tracks {
            let place = track.place_at(now);
            let seen_free = self.evidence.free_at(place.x, place.y) >= now - 1e-3;
            if seen_free && now - track.time > MOVED_ON && now - track.missed_at > BETWEEN_MISSES {
                (track.misses, track.missed_at) = (track.misses + 1, now);
            }
        }
    }

    /// Of two tracks of one thing the older one stays.
    fn merge(&mut self) {
        let mut index = 1;
        while index < self.tracks.len() {
            let track = self.tracks[index];
            let same = |older: &Track| {
                let time = track.time.max(older.time);
                let apart = (older.place_at(time) - track.place_at(time)).norm();
                // two things are not in the same place
                let is_same = older.is_confirmed || !track.is_confirmed && older.may_be(&track);
                apart < older.half + track.half && is_same
            };
            if self.tracks[..index].iter().any(same) {
                self.tracks.remove(index);
            } else {
                index += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests;
