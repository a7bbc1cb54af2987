//! Where things that move will be: discs that grow with what is not known. What has just come to rest may set out again at any time, on
//! or back: it is anywhere on a line that grows.

use robot_io::math::{cos, hypot, sin};
use robot_io::{Pose2, Side, State, Time};

use crate::{Approaching, MotionCovariance, MovingSettings, Track};

/// A disc reaches so far beyond half of the width that was seen: things have corners [m].
const CORNER: f64 = 0.1;
/// No thing is smaller than this [m].
const LEAST_HALF: f64 = 0.35;
/// A disc grows by so many standard deviations of the place, up to this [m]: beyond that nothing would be free.
const DEVIATIONS: f64 = 1.5;
const MOST_GROWTH: f64 = 0.4;
/// Most things that are looked at.
const MOST: usize = 16;

/// Things that move, on the map.
#[derive(Clone, Debug, PartialEq, State)]
pub(crate) struct Movers {
    list: Vec<Mover>,
    agility: f64,
    /// What may set out again, where that is asked.
    #[state(scratch)]
    resting: Vec<Resting>,
}

/// A thing that has come to rest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Resting {
    place: [f64; 2],
    /// Its velocity if it goes on; it may go back as well.
    velocity: [f64; 2],
    radius: f64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
struct Mover {
    place: [f64; 2],
    velocity: [f64; 2],
    radius: f64,
    covariance: MotionCovariance,
}

impl Default for Movers {
    fn default() -> Self {
        let agility = MovingSettings::default().agility;
        Movers { list: Vec::with_capacity(MOST), agility, resting: Vec::new() }
    }
}

impl Movers {
    /// Takes up those of some tracks that move now; allocates nothing.
    pub fn set(&mut self, tracks: &[Track], odom_in_map: &Pose2, now: Time, settings: &MovingSettings) {
        let turned = turned_by(odom_in_map.yaw);
        let moving = tracks.iter().filter(|track| track.is_confirmed && track.still_since.is_none());
        self.agility = settings.agility;
        self.list.clear();
        self.list.extend(moving.take(MOST).map(|track| {
            let place = track.place_at(now.seconds());
            let [x, y] = turned(place.x, place.y);
            Mover {
                place: [odom_in_map.x + x, odom_in_map.y + y],
                velocity: turned(track.velocity.x, track.velocity.y),
                radius: track.half.max(LEAST_HALF) + CORNER,
                covariance: track.covariance_at(now.seconds(), settings),
            }
        }));
    }

    /// The same with what has come to rest not so long ago that it is a part of the world.
    #[must_use]
    pub fn with_resting(&self, tracks: &[Track], odom_in_map: &Pose2, now: Time, settings: &MovingSettings) -> Movers {
        let turned = turned_by(odom_in_map.yaw);
        let resting = tracks.iter().filter(|track| rests(track, now, settings)).filter_map(|track| {
            let (velocity, [x, y]) = (track.may_set_out()?, turned(track.position.x, track.position.y));
            let radius = track.half.max(LEAST_HALF) + CORNER;
            let place = [odom_in_map.x + x, odom_in_map.y + y];
            Some(Resting { place, velocity: turned(velocity.x, velocity.y), radius })
        });
        Movers { resting: resting.collect(), ..self.clone() }
    }

    /// True if nothing moves.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The one that is nearest to the robot now.
    pub fn nearest(&self, base: &Pose2) -> Option<Approaching> {
        let seen = |mover: &Mover| Pose2 { x: mover.place[0], y: mover.place[1], yaw: 0.0 }.seen_from(base);
        let distance = |mover: &Mover| hypot(mover.place[0] - base.x, mover.place[1] - base.y);
        let nearest = self.list.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let (place, [vx, vy]) = (seen(nearest), nearest.velocity);
        Some(Approaching { speed: hypot(vx, vy), side: Side::of(place.x, place.y) })
    }

    /// How far a place will be from the nearest of them in so many seconds [m]; negative within one, infinite without one.
    pub fn gap(&self, x: f64, y: f64, after: f64) -> f64 {
        let gap = |mover: &Mover| {
            let [dx, dy] = [0, 1].map(|axis| mover.place[axis] + after * mover.velocity[axis]);
            let growth = DEVIATIONS * mover.covariance.after(after, self.agility).place.max(0.0).sqrt();
            hypot(dx - x, dy - y) - mover.radius - growth.min(MOST_GROWTH)
        };
        let moving = self.list.iter().map(gap).fold(f64::INFINITY, f64::min);
        self.resting.iter().map(|resting| resting.gap(x, y, after)).fold(moving, f64::min)
    }
}

impl Resting {
    /// How far a place is from wherever it may be in so many seconds [m].
    fn gap(&self, x: f64, y: f64, after: f64) -> f64 {
        let ([px, py], [vx, vy]) = (self.place, self.velocity);
        let speed = hypot(vx, vy).max(1e-9);
        let along = ((x - px) * vx + (y - py) * vy) / speed;
        let along = along.clamp(-speed * after, speed * after) / speed;
        hypot(px + along * vx - x, py + along * vy - y) - self.radius
    }
}

/// True for what moved and has not stood still for so long that it is a part of the world.
pub(crate) fn rests(track: &Track, now: Time, settings: &MovingSettings) -> bool {
    let is_recent = |since: f64| now.seconds() - since < settings.settle;
    track.may_set_out().is_some() && track.still_since.is_some_and(is_recent)
}

fn turned_by(yaw: f64) -> impl Fn(f64, f64) -> [f64; 2] {
    let (s, c) = (sin(yaw), cos(yaw));
    move |x, y| [c * x - s * y, s * x + c * y]
}

#[cfg(test)]
impl Movers {
    /// One that goes straight, sure of its motion.
    pub fn one(place: [f64; 2], velocity: [f64; 2], radius: f64) -> Movers {
        let mover = Mover { place, velocity, radius, covariance: MotionCovariance::default() };
        Movers { list: vec![mover], agility: 0.05, resting: Vec::new() }
    }

    /// One that has come to rest.
    pub fn one_at_rest(place: [f64; 2], velocity: [f64; 2], radius: f64) -> Movers {
        Movers { resting: vec![Resting { place, velocity, radius }], ..Movers::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gap_is_that_to_where_it_will_be() {
        let movers = Movers::one([4.0, 0.0], [-1.0, 0.0], 0.5);
        assert!((movers.gap(0.0, 0.0, 0.0) - 3.5).abs() < 1e-9);
        let near = movers.gap(0.0, 0.0, 3.0);
        assert!((0.2..0.5).contains(&near), "nearer, and less sure: {near}");
        assert!(movers.gap(0.0, 0.0, 9.0) > 4.0, "it has passed");
        let behind =
            movers.nearest(&Pose2 { x: 0.0, y: 0.0, yaw: 3.1 }).map(|thing| (thing.speed, thing.side.to_string()));
        assert_eq!(behind, Some((1.0, "behind".to_owned())));
        assert_eq!(Movers::default().gap(0.0, 0.0, 1.0), f64::INFINITY);
    }
}
