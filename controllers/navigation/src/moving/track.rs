//! One thing over time: a Kalman filter with constant velocity.

use nalgebra::{Point2, Vector2};
use robot_io::State;

use super::MovingSettings;
use super::evidence::CELL;
use super::sighting::Seen;

/// Standard deviation of a velocity of which nothing is known [m/s].
const ANY_SPEED: f64 = 0.8;
/// A place so many standard deviations away is of another motion.
const SURPRISE: f64 = 3.0;
/// Two looks nearer to each other in time are one [s].
const SAME_LOOK: f64 = 0.4;
/// Slower than this is still [m/s].
const STILL: f64 = 0.15;
/// A first part of a way that differs from the motion at its end by more than this share is another thing's.
const UNEVEN: f64 = 0.4;
/// What passes the scanner within this comes at the robot [m].
const NEAR: f64 = 0.9;
/// Before what is slower than this there is time for a third look [m/s].
const FAST: f64 = 0.6;
/// What was seen on its way less often than this may be two things at rest, seen in turn: it is no thing that came to rest.
const FOLLOWED: u32 = 4;
/// A half width follows what is seen by this share.
const GROWTH: f64 = 0.4;
/// Standard deviation of the place of what the scanner does not see past [m].
const UNCLEAR: f64 = 0.3;
/// Where it was before it was first seen as a thing of its own is told for so long, and so far back [s].
const PAST: f64 = 6.0;
const BEFORE: f64 = 2.0;
/// Beyond its reach a thing may be seen this far away [m].
const SLACK: f64 = 0.4;

/// Variances and covariance of place and velocity, the same along x and y: a sighting is as sure along one as along the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct MotionCovariance {
    /// Of the place [m²].
    pub place: f64,
    /// Of place and velocity [m²/s].
    pub both: f64,
    /// Of the velocity [m²/s²].
    pub velocity: f64,
}

/// A thing that was seen where the ground was free.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub struct Track {
    /// Tells it from others.
    pub id: u64,
    /// When it was last seen [s]; position and velocity are of then.
    pub time: f64,
    /// Its middle [m].
    pub position: Vector2<f64>,
    /// Its velocity [m/s].
    pub velocity: Vector2<f64>,
    /// How sure both are.
    pub covariance: MotionCovariance,
    /// Half of its width [m].
    pub half: f64,
    /// True from when it has moved beyond doubt.
    pub is_confirmed: bool,
    /// Since when it has been standing still [s]; `None` while it moves.
    pub still_since: Option<f64>,
    /// Where and when it was first seen.
    pub(super) first: Vector2<f64>,
    pub(super) first_time: f64,
    /// How often it was seen on its way, and how often by more than one line.
    pub(super) looks: u32,
    pub(super) wide_looks: u32,
    /// How often with free ground all around.
    pub(super) open_looks: u32,
    /// How often it was not where it should have been, and when last.
    pub(super) misses: u32,
    pub(super) missed_at: f64,
}

impl MotionCovariance {
    /// The covariance after `dt` [s] in which the velocity may have changed by `agility` [m/s] in a second.
    #[must_use]
    pub fn after(&self, dt: f64, agility: f64) -> MotionCovariance {
        let noise = agility * agility;
        MotionCovariance {
            place: self.place + dt * (2.0 * self.both + dt * self.velocity) + noise * dt * dt * dt / 3.0,
            both: self.both + dt * self.velocity + noise * dt * dt / 2.0,
            velocity: self.velocity + noise * dt,
        }
    }
}

impl Track {
    /// A thing that is seen for the first time.
    pub(super) fn begin(id: u64, seen: &Seen) -> Track {
        let place = seen.place.coords;
        let variance = seen.deviation * seen.deviation;
        Track {
            id,
            time: seen.time,
            position: place,
            velocity: Vector2::zeros(),
            covariance: MotionCovariance { place: variance, both: 0.0, velocity: ANY_SPEED * ANY_SPEED },
            half: seen.half,
            is_confirmed: false,
            still_since: Some(seen.time),
            first: place,
            first_time: seen.time,
            looks: 1,
            wide_looks: u32::from(seen.lines > 1),
            open_looks: u32::from(seen.is_open),
            misses: 0,
            missed_at: f64::NEG_INFINITY,
        }
    }

    /// Where it will be, or was, at a time [s].
    pub fn place_at(&self, time: f64) -> Point2<f64> {
        Point2::from(self.position + (time - self.time) * self.velocity)
    }

    /// Where it was a while ago, on a straight way: also before it was first seen as a thing of its own.
    pub fn came_from(&self) -> Point2<f64> {
        let known = if self.time - self.first_time < PAST { self.time - self.first_time } else { 0.0 };
        self.place_at(self.time - known - BEFORE)
    }

    /// How sure its place will be at a time [s].
    pub fn covariance_at(&self, time: f64, settings: &MovingSettings) -> MotionCovariance {
        self.covariance.after((time - self.time).max(0.0), settings.agility)
    }

    /// Its speed [m/s].
    pub fn speed(&self) -> f64 {
        self.velocity.norm()
    }

    /// The velocity with which what has come to rest came, and may go on or back [m/s]; `None` while it moves.
    pub fn may_set_out(&self) -> Option<Vector2<f64>> {
        let since = self.still_since.filter(|_| self.was_followed())?;
        let way = self.position - self.first;
        let took = (since - self.first_time).max(SAME_LOOK);
        (way.norm() > self.half).then(|| way / took)
    }

    /// True if it has been seen on its way so often that it is one thing.
    fn was_followed(&self) -> bool {
        self.is_confirmed && self.looks >= FOLLOWED
    }

    /// True if it was seen once only: nobody knows whether it moves.
    pub fn is_suspect(&self) -> bool {
        self.looks == 1 && !self.is_confirmed
    }

    /// True if a sighting lies within the thing where it is now.
    pub(super) fn is_met_by(&self, seen: &Seen) -> bool {
        (seen.place - self.place_at(seen.time)).norm() < self.half + 0.5 * seen.half
    }

    /// How much a sighting would surprise, in standard deviations; `None` if it cannot be of this thing.
    pub(super) fn surprise(&self, seen: &Seen, settings: &MovingSettings) -> Option<f64> {
        let dt = seen.time - self.time;
        let moved = (seen.place.coords - self.position).norm();
        let off = (seen.place - self.place_at(seen.time)).norm();
        let reach = settings.speed * dt.max(0.0) + self.half + SLACK;
        let variance = self.covariance_at(seen.time, settings).place + seen.deviation * seen.deviation;
        let surprise = off / variance.sqrt();
        // what moves may stop, turn and set out; what is only suspected to move must do so evenly
        let possible = surprise <= if self.is_confirmed { 2.0 * SURPRISE } else { SURPRISE };
        (moved <= reach && (possible || self.is_confirmed && moved <= 0.6 * reach)).then_some(surprise)
    }

    /// Takes in a sighting; `hit_at` is when something was last seen to stand at a place [s].
    pub(super) fn update(&mut self, seen: &Seen, hit_at: impl Fn(&Vector2<f64>) -> f64, settings: &MovingSettings) {
        let dt = seen.time - self.time;
        if dt < SAME_LOOK {
            // another part of it
            if seen.is_own() {
                self.half = self.half.max(seen.half);
            }
            return;
        }
        let (before, surprise) = (*self, self.surprise(seen, settings).unwrap_or(f64::INFINITY));
        // what is seen together with a wall, or a part of one, tells less
        let wider = (seen.half - self.half).max(0.0);
        let unclear = if seen.is_own() { 0.0 } else { UNCLEAR };
        let noise = seen.deviation * seen.deviation + wider * wider + unclear * unclear;
        if surprise > SURPRISE && seen.is_own() {
            self.velocity = (seen.place.coords - self.position) / dt;
            let (both, velocity) = (noise / dt, 2.0 * noise / (dt * dt));
            self.covariance = MotionCovariance { place: noise, both, velocity };
            self.position = seen.place.coords;
        } else {
            let prior = self.covariance_at(seen.time, settings);
            let off = seen.place - self.place_at(seen.time);
            let (gain, rate) = (prior.place / (prior.place + noise), prior.both / (prior.place + noise));
            self.position = self.place_at(seen.time).coords + gain * off;
            self.velocity += rate * off;
            self.covariance = MotionCovariance {
                place: (1.0 - gain) * prior.place,
                both: (1.0 - gain) * prior.both,
                velocity: prior.velocity - rate * prior.both,
            };
        }
        self.time = seen.time;
        if seen.is_own() {
            self.half += GROWTH * (seen.half - self.half);
        }
        self.misses = 0;
        let moves = self.speed() > STILL;
        if moves || !self.is_confirmed {
            self.looks += 1;
            self.wide_looks += u32::from(seen.lines > 1);
            self.open_looks += u32::from(seen.is_open);
        }
        self.still_since = if moves { None } else { Some(self.still_since.unwrap_or(seen.time)) };
        // where what has come to rest came from is where it may go on to
        if self.is_uneven() && (moves || !self.is_confirmed) {
            // it stood, or was something else
            (self.first, self.first_time) = (before.position, before.time);
            self.looks = if self.was_followed() { self.looks } else { 2 };
            self.wide_looks = u32::from(seen.lines > 1);
            self.open_looks = u32::from(seen.is_open);
        }
        let moved = self.has_moved(&seen.scanner, settings);
        self.is_confirmed |= moved && !self.is_left_behind(seen, hit_at(&self.first));
    }

    /// True if it has not moved all the time as it does now.
    fn is_uneven(&self) -> bool {
        let moved = self.position - self.first;
        (moved - (self.time - self.first_time) * self.velocity).norm() > UNEVEN * moved.norm()
    }

    /// True if something stands where it was first seen, and stood there, last at a time [s], when it had left: these are two things at rest
    /// that are seen in turn. Only of what is seen alone it is known how far it reaches, and that only to the sides.
    fn is_left_behind(&self, seen: &Seen, stood_at: f64) -> bool {
        let then = self.place_at(stood_at).coords;
        let sight = (then - seen.scanner).try_normalize(1e-6).unwrap_or_default();
        let aside = sight.perp(&(self.first - then)).abs();
        seen.is_alone && stood_at > self.first_time + SAME_LOOK && aside > self.half + 0.5 * CELL
    }

    /// True if it comes fast, and passes the scanner so closely that the robot is in its way.
    fn comes_at(&self, scanner: &Vector2<f64>) -> bool {
        let (ahead, speed) = (scanner - self.position, self.speed());
        speed > FAST && ahead.dot(&self.velocity) > 0.0 && ahead.perp(&self.velocity).abs() < NEAR * speed
    }

    /// True if it has moved beyond doubt, and evenly. What is seen by single lines may be several thin things that are hit in turn: the
    /// farther it goes the less likely. Of what comes fast and was seen in the open, and so is no piece
    /// of a wall, two looks must be enough.
    fn has_moved(&self, scanner: &Vector2<f64>, settings: &MovingSettings) -> bool {
        let moved = (self.position - self.first).norm();
        let doubt = settings.displacement + 2.0 * self.covariance.place.sqrt();
        let is_urgent = self.open_looks > 0 && self.comes_at(scanner);
        let times = match 2 * self.wide_looks {
            wide if wide > self.looks => 1.0,
            wide if wide == self.looks && is_urgent => 1.5,
            _ if is_urgent || self.wide_looks > 0 && self.looks > 2 => 2.0,
            _ => f64::INFINITY,
        };
        self.speed() > STILL && !self.is_uneven() && moved > times * doubt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A look each turn of the scanner, 1.7 s apart, at these places; something was last seen to stand at the first one at a time [s].
    fn looked_at(places: &[[f64; 2]], stood_at: f64) -> Track {
        let mut looks = places.iter().enumerate().map(|(turn, place)| Seen {
            time: 1.7 * turn as f64,
            place: Point2::from(*place),
            scanner: Vector2::new(0.0, -3.0),
            half: 0.3,
            lines: 2,
            is_new: true,
            is_alone: true,
            deviation: 0.05,
            ..Seen::default()
        });
        let mut track = looks.next().map(|seen| Track::begin(1, &seen)).unwrap_or_default();
        looks.for_each(|seen| track.update(&seen, |_| stood_at, &MovingSettings::default()));
        track
    }

    #[test]
    fn what_was_followed_to_where_it_stands_may_set_out() {
        let track = looked_at(
            &[[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0], [4.0, 0.0], [4.2, 0.0], [4.2, 0.0], [4.2, 0.0]],
            0.2,
        );
        assert!(track.still_since.is_some(), "{track:?}");
        let velocity = track.may_set_out().unwrap_or_default();
        assert!(velocity.x > 0.3 && velocity.y.abs() < 0.1, "{velocity:?}");
    }

    #[test]
    fn two_things_at_rest_that_are_seen_in_turn_are_none_that_came_to_rest() {
        let (here, there) = ([0.0, 0.0], [0.9, 1.1]);
        for places in [
            vec![here, there, there, there],
            vec![here, there, here, here],
            vec![here, there, here, there, there, there],
        ] {
            let track = looked_at(&places, f64::NEG_INFINITY);
            assert!(track.may_set_out().is_none(), "{track:?}");
        }
    }

    #[test]
    fn what_still_stands_where_it_was_has_not_moved() {
        let places = [[0.0, 0.0], [0.8, 0.0], [1.6, 0.0]];
        let is_believed = |stood_at: f64| looked_at(&places, stood_at).is_confirmed;
        assert!(is_believed(f64::NEG_INFINITY) && is_believed(0.5), "it left");
        assert!(!is_believed(1.7), "its place is taken when it is elsewhere");
    }
}
