//! One thing over time: a Kalman filter with constant velocity.

use nalgebra::{Point2, Vector2};
use robot_io::State;
use robot_io::math::ln;

use super::evidence::CELL;
use super::sighting::Seen;
use super::{MovingSettings, TURN};

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
/// … and what may do so, as far as two looks tell [m].
const DOUBTFUL: f64 = 1.8;
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
    /// The velocity of the last even way on which it was followed [m/s]; zero before.
    pub(super) went: Vector2<f64>,
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
            went: Vector2::zeros(),
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
        (self.still_since.is_some() && self.went != Vector2::zeros()).then_some(self.went)
    }

    /// True if it has been seen on its way so often that it is one thing.
    fn was_followed(&self) -> bool {
        self.is_confirmed && self.looks >= FOLLOWED
    }

    /// True if it was seen once only: nobody knows whether it moves.
    pub fn is_suspect(&self) -> bool {
        self.looks == 1 && !self.is_confirmed
    }

    /// True if it was seen twice in the open and would come at the robot fast, from which place [m], if it is one thing.
    pub fn may_come_at(&self, place: &Point2<f64>) -> bool {
        !self.is_confirmed && self.looks == 2 && self.open_looks == 2 && self.comes_within(DOUBTFUL, &place.coords)
    }

    /// True if two things that are not known to move go the same way, as far as that is known of both or of none.
    pub(super) fn may_be(&self, other: &Track) -> bool {
        let is_known = |track: &Track| track.looks > 1;
        is_known(self) == is_known(other) && (self.velocity - other.velocity).norm() < FAST
    }

    /// True if it was ever seen with free ground all around.
    pub(super) fn is_open(&self) -> bool {
        self.open_looks > 0
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
        let reach = self.fastest(dt, settings) * dt.max(0.0) + self.half + SLACK;
        let surprise = off / self.innovation_variance(seen, settings).sqrt();
        // what moves may stop, turn and set out; what is only suspected to move must do so evenly
        let possible = surprise <= if self.is_confirmed { 2.0 * SURPRISE } else { SURPRISE };
        (moved <= reach && (possible || self.is_confirmed && moved <= 0.6 * reach)).then_some(surprise)
    }

    /// Minus twice the logarithm of a sighting's likelihood, but for a constant. What could be anywhere by now, as it was seen once a while
    /// ago, is surprised by nothing, and yet nothing is likely of it.
    pub(super) fn misfit(&self, seen: &Seen, settings: &MovingSettings) -> f64 {
        let (off, variance) = (seen.place - self.place_at(seen.time), self.innovation_variance(seen, settings));
        off.norm_squared() / variance + 2.0 * ln(variance)
    }

    /// Variance of where a sighting of this thing is, along x or y [m²].
    fn innovation_variance(&self, seen: &Seen, settings: &MovingSettings) -> f64 {
        self.covariance_at(seen.time, settings).place + seen.deviation * seen.deviation
    }

    /// How fast it may have gone since it was last seen, `dt` [s] ago [m/s]: what is known to be slow is not twice as fast all at once, other than
    /// by how much velocities change.
    fn fastest(&self, dt: f64, settings: &MovingSettings) -> f64 {
        if !self.is_confirmed {
            return settings.speed;
        }
        let known = self.speed().max(self.went.norm());
        settings.speed.min(2.0 * known + SURPRISE * settings.agility * dt.max(0.0))
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
        if self.is_uneven() && (moves || !self.is_confirmed) {
            // it stood, or was something else
            (self.first, self.first_time) = (before.position, before.time);
            self.looks = if self.was_followed() { self.looks } else { 2 };
            self.wide_looks = u32::from(seen.lines > 1);
            self.open_looks = u32::from(seen.is_open);
        }
        let moved = self.has_moved(&seen.scanner, settings);
        let is_at_rest = seen.is_back || self.is_left_behind(seen, hit_at(&self.first)) || self.stood_there(seen);
        self.is_confirmed |= moved && !is_at_rest;
        let way = self.position - self.first;
        if moves && self.was_followed() && way.norm() > self.half && !self.is_uneven() {
            self.went = way / (self.time - self.first_time);
        }
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

    /// True if most of what is seen now stood where it stands when the thing, if it moves, was still elsewhere: these are two ends of one
    /// thing at rest.
    pub(super) fn stood_there(&self, seen: &Seen) -> bool {
        let then = self.place_at(seen.came.max(self.first_time));
        (seen.place - then).norm() > self.half + CELL
    }

    /// True if it comes fast, and passes the scanner within a distance [m].
    fn comes_within(&self, distance: f64, scanner: &Vector2<f64>) -> bool {
        let (ahead, speed) = (scanner - self.position, self.speed());
        speed > FAST && ahead.dot(&self.velocity) > 0.0 && ahead.perp(&self.velocity).abs() < distance * speed
    }

    /// True if it has moved beyond doubt, and evenly. What is seen by single lines may be several thin things that are hit in turn: the
    /// farther it goes the less likely, and the less if every turn of the scanner met it, half of the times in the open. Of what comes
    /// fast and was seen in the open, and so is no piece of a wall, two looks must be enough, if both were in the open or no turn of the
    /// scanner missed it between them.
    fn has_moved(&self, scanner: &Vector2<f64>, settings: &MovingSettings) -> bool {
        let moved = (self.position - self.first).norm();
        let doubt = settings.displacement + 2.0 * self.covariance.place.sqrt();
        let is_seen_each_turn = self.time - self.first_time < TURN * f64::from(self.looks - 1);
        let is_clear = self.open_looks == self.looks || self.is_open() && is_seen_each_turn;
        let is_urgent = is_clear && self.comes_within(NEAR, scanner);
        let times = match 2 * self.wide_looks {
            wide if wide > self.looks => 1.0,
            wide if wide == self.looks && is_urgent => 1.5,
            _ if is_urgent || self.wide_looks > 0 && self.looks > 2 => 2.0,
            _ if 2 * self.open_looks >= self.looks && self.looks >= FOLLOWED && is_seen_each_turn => 2.0,
            _ => f64::INFINITY,
        };
        let goes = self.speed() > STILL && self.speed() < settings.speed;
        goes && !self.is_uneven() && moved > times * doubt
    }
}

#[cfg(test)]
mod tests;
