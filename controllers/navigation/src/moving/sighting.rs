//! What the lines of a few scans in a row show of one thing.

use nalgebra::{Point2, Vector2};
use robot_io::State;

use super::evidence::Stranger;
use super::profile::Profile;
use super::{Glimpse, MovingSettings};

/// The next line of the same thing comes within this time [s]: a scan or two may miss it.
const PAUSE: f64 = 0.11;
/// Nothing is thinner than this along the line of sight: what is behind its face is not seen [m].
const LEAST_DEPTH: f64 = 0.5;
/// Half of a thing's width lies within these [m].
const HALF: (f64, f64) = (0.2, 1.5);

/// Nearer than this all of a thing is met by many lines [m].
const NEAR: f64 = 2.5;
/// What is wider than this is a wall [m].
const WIDEST: f64 = 2.5;

/// One line on a thing: points of one scan.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(super) struct Line {
    pub time: f64,
    /// Where the scanner was [m].
    pub scanner: Vector2<f64>,
    /// Its point that is nearest to the scanner, and the farthest [m].
    pub near: Vector2<f64>,
    pub far: Vector2<f64>,
    /// When most of it had come to where it is, and the last of it [s].
    pub came: f64,
    pub last_came: f64,
    /// True if there was free ground all around it when it came.
    pub is_open: bool,
    /// True if something stood where most of it stands not long before.
    pub is_back: bool,
}

/// A thing, line by line, as long as lines are added.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub(super) struct Sighting {
    pub lines: Vec<Line>,
    /// True if the scan before its first line saw past it.
    pub is_free_before: bool,
    /// The same of the scan after its last line, once there is one.
    pub is_free_after: Option<bool>,
}

/// What a sighting comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, State)]
pub(super) struct Seen {
    /// The middle of the lines' times [s].
    pub time: f64,
    /// Where the scanner was at last [m].
    pub scanner: Vector2<f64>,
    /// The middle of the thing [m].
    #[state(part = "coords")]
    pub place: Point2<f64>,
    /// Half of its width [m].
    pub half: f64,
    /// Lines on it.
    pub lines: usize,
    /// True if it has come not long ago.
    pub is_new: bool,
    /// When most of it had come to where it is [s].
    pub came: f64,
    /// True if the scanner saw past it on both sides.
    pub is_alone: bool,
    /// True if there was free ground all around it when it came.
    pub is_open: bool,
    /// True if something stood where most of it stands not long before.
    pub is_back: bool,
    /// Standard deviation of its place [m].
    pub deviation: f64,
}

/// The lines of a scan.
pub(super) fn lines(glimpse: &Glimpse, strangers: &[Stranger], settings: &MovingSettings) -> Vec<Line> {
    let place = |stranger: &Stranger| glimpse.points[stranger.point].xy().coords;
    let together = |a: &Stranger, b: &Stranger| (place(a) - place(b)).norm() <= settings.gap;
    let scanner = glimpse.scanner.xy().coords;
    let line = |points: &[Stranger]| {
        let range = |stranger: &&Stranger| (place(stranger) - scanner).norm_squared();
        let near = points.iter().min_by(|a, b| range(a).total_cmp(&range(b))).map(place)?;
        let far = points.iter().max_by(|a, b| range(a).total_cmp(&range(b))).map(place)?;
        let came = middle(points.iter().map(|point| point.came));
        let last_came = points.iter().map(|point| point.came).fold(f64::NEG_INFINITY, f64::max);
        if (near - scanner).norm() < settings.nearest {
            return None;
        }
        let most = |of: &dyn Fn(&Stranger) -> bool| 2 * points.iter().filter(|point| of(point)).count() > points.len();
        let (is_open, is_back) = (most(&|point| point.is_open), most(&|point| point.is_back));
        Some(Line { time: glimpse.time.seconds(), scanner, near, far, came, last_came, is_open, is_back })
    };
    let groups = strangers.chunk_by(together).filter(|points| points.len() >= settings.points);
    groups.filter_map(line).collect()
}

impl Sighting {
    /// True if a line is of the same thing.
    pub fn goes_on_with(&self, line: &Line, settings: &MovingSettings) -> bool {
        let near = |own: &Line| (own.near - line.near).norm() < 1.5 * settings.gap;
        self.lines.last().is_some_and(|last| line.time - last.time <= PAUSE) && self.lines.iter().any(near)
    }

    /// The lines of a thing of its own: all, if the scanner sees past it on both sides, else those that stand in the open: two, or half of
    /// them, and nearby most. And whether it sees past it.
    fn own(&self) -> (&[Line], bool) {
        if self.is_free_before && self.is_free_after == Some(true) {
            return (&self.lines, true);
        }
        let open = self.lines.chunk_by(|a, b| a.is_open == b.is_open).filter(|lines| lines[0].is_open);
        let least =
            if self.is_near() { self.lines.len().div_euclid(2) + 1 } else { self.lines.len().div_ceil(2).min(2) };
        let most = open.max_by_key(|lines| lines.len()).filter(|open| open.len() >= least);
        (most.unwrap_or(&self.lines), false)
    }

    /// True if it is so near that a part of it is no measure of the whole.
    fn is_near(&self) -> bool {
        self.lines.iter().any(|line| (line.near - line.scanner).norm() < NEAR)
    }

    /// Begins with a line; `before` is what the scan before saw.
    pub fn begin(line: Line, before: &Profile) -> Sighting {
        Sighting {
            is_free_before: before.sees_past(&(line.near - line.scanner)),
            is_free_after: None,
            lines: vec![line],
        }
    }

    /// Goes on with a line.
    pub fn push(&mut self, line: Line) {
        self.lines.push(line);
        self.is_free_after = None;
    }

    /// Takes note of what the scan at a time saw, if it is the first one beside the last line.
    pub fn note_beside(&mut self, time: f64, profile: &Profile) {
        if let Some(last) = self.lines.last().filter(|last| last.time < time) {
            self.is_free_after.get_or_insert(profile.sees_past(&(last.near - last.scanner)));
        }
    }

    /// True if no line is to come any more.
    pub fn is_over(&self, now: f64) -> bool {
        self.lines.last().is_none_or(|last| now - last.time > PAUSE)
    }

    /// What it comes to; `None` without a line.
    pub fn seen(&self, settings: &MovingSettings) -> Option<Seen> {
        let (lines, is_alone) = self.own();
        let (first, last) = (lines.first()?, lines.last()?);
        let count = lines.len();
        let mean = lines.iter().map(|line| line.near).sum::<Vector2<f64>>() / count as f64;
        let sight = mean - last.scanner;
        let along = sight.try_normalize(1e-6)?;
        let across = Vector2::new(-along.y, along.x);
        let ends = lines.iter().flat_map(|line| [line.near, line.far]);
        let span = |axis: &Vector2<f64>| {
            let places = ends.clone().map(|end| axis.dot(&(end - mean)));
            places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), place| (low.min(place), high.max(place)))
        };
        // the edges lie half the way to the lines that missed it
        let (left, right) = span(&across);
        let spacing = if count > 1 { (right - left) / (count - 1) as f64 } else { 0.0 };
        let (near, far) = span(&along);
        let depth = (far - near).max(LEAST_DEPTH);
        let half = 0.5 * (right - left + spacing).max(depth);
        Some(Seen {
            time: 0.5 * (first.time + last.time),
            scanner: last.scanner,
            place: Point2::from(mean + across * (0.5 * (left + right)) + along * (near + 0.5 * depth)),
            half: half.clamp(HALF.0, HALF.1),
            lines: count,
            is_new: lines.iter().any(|line| line.time - line.last_came < settings.settle),
            came: middle(lines.iter().map(|line| line.came)),
            is_open: right - left < WIDEST && lines.iter().all(|line| line.is_open),
            is_back: 2 * lines.iter().filter(|line| line.is_back).count() >= count,
            is_alone: is_alone && right - left < WIDEST,
            deviation: robot_io::math::hypot(settings.noise, if count > 1 { 0.3 * spacing } else { 0.2 }),
        })
    }
}

/// The middle one of some times [s].
fn middle(times: impl Iterator<Item = f64>) -> f64 {
    let mut times: Vec<f64> = times.collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NEG_INFINITY)
}

impl Seen {
    /// True if it is a thing of its own, no piece of a wall.
    pub fn is_own(&self) -> bool {
        self.is_alone || self.is_open
    }
}
