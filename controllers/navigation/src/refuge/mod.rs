//! Where to go when something that moves comes: nowhere, aside, or back the way that was driven.
//!
//! A few hundred ways out are tried against where the things will be: straight lines in all directions, the trail, and the trail with
//! a step aside at its end. Each is driven in thought with the robot's own accelerations, the time in which it brakes and turns its wheel
//! pairs included. Of those that stay clear the shortest is taken; if none does, the one on which the thing is met last.

mod settings;
mod thought;

pub use settings::GivingWaySettings;

use core::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};
use robot_io::math::{cos, sin};
use robot_io::{Path, Pose2, Sealed, State};

use crate::NavigationMap;
use crate::rollout::Movers;
pub(crate) use thought::Start;
use thought::{Corner, Trial, drive_in_thought};

/// Lengths of straight ways out [m].
const LENGTHS: [f64; 8] = [0.6, 1.0, 1.4, 1.8, 2.4, 3.2, 4.5, 6.0];
/// Steps aside from the trail [m].
const ASIDE: [f64; 3] = [1.2, 1.8, 2.6];
/// Directions of straight ways out.
const DIRECTIONS: u32 = 16;
/// From one look at the ground to the next [m].
const STEP: f64 = 0.15;
/// Ground this near to where the robot stands is where it stands [m].
const HERE: f64 = 0.7;
/// Places this near to the trail have been driven over [m].
const DRIVEN: f64 = 0.2;
/// A way out that is already driven is left only for one that is shorter by this [m], or longer free by this [s].
const FAITH: f64 = 0.6;
/// Room that is kept on a way out once it is driven, where there is so much [m]: less than what it was chosen for, so that a map that
/// changes by a hand's breadth changes no mind.
pub(crate) const KEPT: f64 = 0.05;
/// A way that is shorter than this leads nowhere [m].
const NO_WAY: f64 = 0.3;
/// What passes may turn: to stay as far as this from it [m] is worth so many times as much of a longer way.
const COMFORT: f64 = 1.2;
const CARE: f64 = 2.0;
/// To come closer by this to what cannot be avoided [m] is as bad as to be met so many times as much earlier [s].
const CLOSENESS: f64 = 10.0;
/// Not to move is worth as much of a way [m].
const REST: f64 = 0.5;

/// All that the answer depends on; lengths and places on the map.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    pub start: Start,
    /// Radii of the circles that hold the robot, and that it holds [m].
    pub outer: f64,
    pub inner: f64,
    pub movers: Movers,
    pub map: Sealed<NavigationMap>,
    /// The way that was driven, from here backwards.
    pub trail: Path,
    /// The way ahead, from here.
    pub way: Path,
    /// How fast it would be driven [m/s].
    pub speed: f64,
    /// The way out that is driven already, from here.
    pub present: Option<Path>,
    /// Whether it gives way already.
    pub gives_way: bool,
    pub settings: GivingWaySettings,
}

/// What to do.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(crate) struct Answer {
    /// What.
    pub advice: Advice,
    /// The way out, if there is one to drive.
    pub path: Path,
    /// When the robot would be met if it went on, or stood still [s]; infinite if never.
    pub met_in: f64,
}

/// What to do about things that move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, State)]
pub(crate) enum Advice {
    /// Go on as if there were none.
    #[default]
    GoOn,
    /// Stand still until they have passed.
    Stand,
    /// Go out of their way.
    Leave,
}

/// A way out and what became of it.
struct Tried {
    points: Vec<[f64; 2]>,
    trial: Trial,
    bonus: f64,
}

impl Question {
    /// Looks for what to do.
    pub fn answer(&self) -> Answer {
        let with = &self.settings;
        let ahead = self.try_way(line(&self.way), None, self.speed, 0.0);
        // on the way out, or with no way to go on, what passes closely is not over before it has passed
        let stays = self.present.is_some() || self.gives_way && length(&ahead.points) < NO_WAY;
        if ahead.trial.met_in >= with.ahead && !(stays && ahead.trial.least_gap < COMFORT) {
            return Answer { met_in: f64::INFINITY, ..Answer::default() };
        }
        let stands = self.try_way(vec![self.start.place], None, with.speed, 0.0);
        let met_in = stands.trial.met_in.min(ahead.trial.met_in);
        let mut tried = self.ways_out();
        tried.push(stands);
        let is_safe = |tried: &&Tried| tried.trial.met_in.is_infinite();
        let rest = |tried: &Tried| if tried.points.len() > 1 { 0.0 } else { REST };
        let care = |tried: &Tried| CARE * (COMFORT - tried.trial.least_gap).max(0.0);
        let cost = |tried: &Tried| tried.trial.length + care(tried) - tried.bonus - rest(tried);
        let safest = tried.iter().filter(is_safe).min_by(|a, b| cost(a).total_cmp(&cost(b)));
        // what cannot be avoided may be put off, and may not come; the more room is left to it the better
        let time = |tried: &Tried| {
            let (trial, horizon) = (tried.trial, self.settings.horizon);
            trial.touched_in.min(horizon)
                + 0.1 * trial.met_in.min(horizon)
                + CLOSENESS * trial.least_gap.min(0.0)
                + tried.bonus
        };
        let best = safest.or_else(|| tried.iter().max_by(|a, b| time(a).total_cmp(&time(b))));
        match best.filter(|best| best.points.len() > 1) {
            Some(best) => {
                let pose = |point: &[f64; 2]| Pose2 { x: point[0], y: point[1], yaw: self.start.yaw };
                Answer { advice: Advice::Leave, path: Path { poses: best.points.iter().map(pose).collect() }, met_in }
            }
            None => Answer { advice: Advice::Stand, path: Path::default(), met_in },
        }
    }

    fn try_way(&self, points: Vec<[f64; 2]>, corner: Option<Corner>, speed: f64, bonus: f64) -> Tried {
        let trial = drive_in_thought(&self.start, &points, corner, speed, self.outer, &self.movers, &self.settings);
        Tried { points, trial, bonus }
    }

    fn ways_out(&self) -> Vec<Tried> {
        let speed = self.settings.speed;
        let mut tried = Vec::new();
        let trail = line(&self.trail);
        if let Some(present) = self.present.as_ref().map(line).filter(|present| self.is_still_free(present, &trail)) {
            tried.push(self.try_way(present, None, speed, FAITH));
        }
        let place = self.start.place;
        for direction in 0..DIRECTIONS {
            let angle = self.start.yaw + 2.0 * PI * f64::from(direction) / f64::from(DIRECTIONS);
            for end in LENGTHS.map(|length| beyond(place, angle, length)) {
                if !self.is_free(place, end, self.settings.room) {
                    break;
                }
                tried.push(self.try_way(vec![place, end], None, speed, 0.0));
            }
        }
        for index in (10..trail.len()).step_by(10).chain(trail.len().checked_sub(1)).filter(|index| *index > 0) {
            let back = trail[..=index].to_vec();
            let (last, end) = (trail[index - 1], trail[index]);
            let heading = robot_io::math::atan2(end[1] - last[1], end[0] - last[0]);
            for turn in [FRAC_PI_2, -FRAC_PI_2, FRAC_PI_4, -FRAC_PI_4] {
                for aside in ASIDE.map(|length| beyond(end, heading + turn, length)) {
                    if !self.is_free(end, aside, self.settings.room) {
                        break;
                    }
                    let mut points = back.clone();
                    points.push(aside);
                    let corner = Some(Corner { after: length(&back), turn: turn.abs() });
                    tried.push(self.try_way(points, corner, speed, 0.0));
                }
            }
            tried.push(self.try_way(back, None, speed, 0.0));
        }
        tried
    }

    /// True if a way that was free before is free on this map; where the robot has driven it can drive.
    fn is_still_free(&self, way: &[[f64; 2]], trail: &[[f64; 2]]) -> bool {
        let is_driven = |place: [f64; 2]| trail.iter().any(|other| distance(*other, place) < DRIVEN);
        way.windows(2).all(|pair| is_driven(pair[1]) || self.is_free(pair[0], pair[1], KEPT))
    }

    /// True if the robot can drive from one place straight to another with so much room [m] beside it, or as much as it has at the
    /// beginning.
    fn is_free(&self, from: [f64; 2], to: [f64; 2], kept: f64) -> bool {
        let length = distance(from, to);
        let steps = (length / STEP).ceil() as usize;
        let clear = |[x, y]: [f64; 2]| self.map.clearance_at(x, y).unwrap_or(f64::INFINITY);
        let needed = (self.inner + kept).min(clear(from) - 0.02);
        // it keeps its heading, and has corners
        let discs = self.map.discs();
        let room = |[x, y]: [f64; 2]| self.map.room(&discs, &Pose2 { x, y, yaw: self.start.yaw }, kept);
        let here = room(from);
        let least = kept.min(here - 0.02).max(0.0);
        (1..=steps).all(|step| {
            let share = step as f64 / steps as f64;
            let place = [0, 1].map(|axis| from[axis] + share * (to[axis] - from[axis]));
            let is_known = self.map.ground_cost_at(place[0], place[1]).is_some();
            clear(place) >= needed
                && (room(place) >= least || here < 0.0 && distance(place, from) < HERE)
                && (is_known || distance(place, self.start.place) < HERE)
        })
    }
}

fn line(path: &Path) -> Vec<[f64; 2]> {
    path.poses.iter().map(|pose| [pose.x, pose.y]).collect()
}

fn beyond(place: [f64; 2], angle: f64, length: f64) -> [f64; 2] {
    [place[0] + length * cos(angle), place[1] + length * sin(angle)]
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    robot_io::math::hypot(a[0] - b[0], a[1] - b[1])
}

fn length(points: &[[f64; 2]]) -> f64 {
    points.windows(2).map(|pair| distance(pair[0], pair[1])).sum()
}

#[cfg(test)]
mod tests;
