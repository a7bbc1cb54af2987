//! A way driven in thought, past things that move meanwhile.

use robot_io::math::{atan2, cos, hypot, sin, wrap_angle};

use super::{GivingWaySettings, distance};
use crate::rollout::Movers;

/// Over so much of a way its direction at the beginning is taken [m].
const BEGINS: f64 = 0.3;
/// From one moment to the next [s].
const STEP: f64 = 0.1;
/// So much of what is kept clear of is only doubt [m].
const DOUBT: f64 = 0.5;
/// Time in which nothing happens yet: the answer has to arrive and wheels have to follow [s].
const REACTION: f64 = 0.2;
/// Wheel pairs turn by less than this while they roll [rad]; for more the robot stops.
const IN_PASSING: f64 = 0.5;
/// How fast they turn [rad/s], and what that takes at least [s].
const STEER_RATE: f64 = 1.7;
const STEER_PAUSE: f64 = 0.2;

/// How the robot moves when it sets out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Start {
    /// Where it is [m].
    pub place: [f64; 2],
    /// Its heading [rad].
    pub yaw: f64,
    /// Its velocity [m/s].
    pub velocity: [f64; 2],
    /// The direction in which its wheel pairs roll; they roll both ways [rad].
    pub rolls: f64,
}

/// A corner at which the robot stops to turn its wheel pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Corner {
    /// After so much of the way [m].
    pub after: f64,
    /// By so much [rad].
    pub turn: f64,
}

/// What became of a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Trial {
    /// When the robot is met [s]; infinite if it is not.
    pub met_in: f64,
    /// When it is touched, if what is assumed to be sure is wrong nowhere [s]; infinite if it is not.
    pub touched_in: f64,
    /// Smallest gap to anything that moves [m].
    pub least_gap: f64,
    /// Length of the way [m].
    pub length: f64,
}

/// Drives a way in thought and stands at its end until the horizon; `radius` is the robot's [m].
pub(super) fn drive_in_thought(
    start: &Start,
    points: &[[f64; 2]],
    corner: Option<Corner>,
    speed: f64,
    radius: f64,
    movers: &Movers,
    with: &GivingWaySettings,
) -> Trial {
    let way = Line::of(points);
    let going = hypot(start.velocity[0], start.velocity[1]);
    let (mut waits, mut velocity, brakes) = setting_out(start, &way, going);
    let brake_time = if brakes { going / with.acceleration } else { 0.0 };
    let gap_at = |x: f64, y: f64, time: f64| movers.gap(x, y, time) - radius;
    let here = gap_at(start.place[0], start.place[1], 0.0);
    // from what is too near already it is enough to get away
    let needed = with.room.min(here - 0.05);
    let mut trial = Trial { met_in: f64::INFINITY, touched_in: f64::INFINITY, least_gap: here, length: way.length };
    let (mut along, mut corner) = (0.0, corner);
    waits += REACTION + brake_time;
    for step in 1..=(with.horizon / STEP).round() as usize {
        let time = step as f64 * STEP;
        if waits > 0.0 {
            waits -= STEP;
        } else {
            let end = corner.map_or(way.length, |corner| corner.after);
            let brake = (2.0 * with.acceleration * (end - along).max(0.0)).sqrt();
            velocity = (velocity + with.acceleration * STEP).min(speed).min(brake);
            along = (along + velocity * STEP).min(end);
            if let Some(Corner { turn, .. }) = corner.filter(|corner| corner.after - along < 0.05) {
                (waits, velocity, corner) = (STEER_PAUSE + turn / STEER_RATE, 0.0, None);
            }
        }
        let rolled = if brakes { rolled(going, time, with.acceleration) / going } else { 0.0 };
        let [x, y] = way.at(along);
        let (x, y) = (x + rolled * start.velocity[0], y + rolled * start.velocity[1]);
        let gap = gap_at(x, y, time);
        trial.least_gap = trial.least_gap.min(gap);
        if gap < needed {
            trial.met_in = trial.met_in.min(time);
        }
        if gap < needed - DOUBT {
            trial.touched_in = time;
            break;
        }
    }
    trial
}

/// How far a robot that brakes has rolled after some time [m].
fn rolled(going: f64, time: f64, acceleration: f64) -> f64 {
    let braking = (time - REACTION).clamp(0.0, going / acceleration);
    going * (time.min(REACTION) + braking) - 0.5 * acceleration * braking * braking
}

/// Time in which the wheel pairs turn [s], the speed with which the way begins [m/s], and whether the robot brakes before.
fn setting_out(start: &Start, way: &Line, going: f64) -> (f64, f64, bool) {
    let Some(direction) = way.direction() else { return (0.0, 0.0, going > 0.0) };
    let (ux, uy) = (cos(direction), sin(direction));
    let forward = start.velocity[0] * ux + start.velocity[1] * uy;
    let turn = wrap_angle(direction - start.rolls).abs();
    let turn = turn.min(core::f64::consts::PI - turn);
    let steers = if turn > 0.1 { STEER_PAUSE + turn / STEER_RATE } else { 0.0 };
    match forward > cos(IN_PASSING) * going && going > 0.05 {
        true => (0.0, forward, false),
        false => (steers, 0.0, going > 0.0),
    }
}

/// A polygon with arc length.
struct Line<'a> {
    points: &'a [[f64; 2]],
    length: f64,
}

impl<'a> Line<'a> {
    fn of(points: &'a [[f64; 2]]) -> Line<'a> {
        Line { points, length: super::length(points) }
    }

    /// Direction in which it begins [rad], not that of the last few centimetres from beside the way onto it.
    fn direction(&self) -> Option<f64> {
        let first = self.points.first()?;
        let far = |least: f64| self.points.iter().find(move |point| distance(**point, *first) > least);
        let next = far(BEGINS).or_else(|| far(0.05))?;
        Some(atan2(next[1] - first[1], next[0] - first[0]))
    }

    fn at(&self, along: f64) -> [f64; 2] {
        let mut left = along;
        for pair in self.points.windows(2) {
            let length = distance(pair[0], pair[1]);
            if left < length {
                return [0, 1].map(|axis| pair[0][axis] + left / length * (pair[1][axis] - pair[0][axis]));
            }
            left -= length;
        }
        self.points.last().copied().unwrap_or_default()
    }
}
