//! The ground before, on and behind an edge, in the frame of whoever crosses it.

use nalgebra::{Matrix3, Vector3};
use robot_io::Pose2;
use robot_io::math::{cos, sin};

use super::EdgeSettings;
use crate::height::{Ground, Heights};

/// Distance of the samples [m].
const SAMPLE: f64 = 0.1;
/// Distance of the samples along a line over an edge [m].
const FINE: f64 = 0.02;
/// So much of a patch must be known, and so many lines must show the edge.
const KNOWN_SHARE: f64 = 0.75;

/// A rectangle ahead of a pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Patch {
    pub at: Pose2,
    /// Where it begins and ends ahead of the pose [m].
    pub from: f64,
    pub to: f64,
    /// How far it reaches to the left and to the right [m].
    pub half_width: f64,
}

impl Patch {
    /// Its samples: ahead, left, and height [m]; the height is not-a-number where the ground is not known.
    fn samples<'a>(&'a self, heights: &'a Heights) -> impl Iterator<Item = [f64; 3]> + 'a {
        let steps = |length: f64| libm::ceil(length / SAMPLE - 1e-9).max(1.0) as usize;
        let (along, across) = (steps(self.to - self.from), steps(2.0 * self.half_width));
        let (s, c) = (sin(self.at.yaw), cos(self.at.yaw));
        (0..=along).flat_map(move |i| {
            let ahead = self.from + (self.to - self.from) * i as f64 / along as f64;
            (0..=across).map(move |j| {
                let left = self.half_width * (2.0 * j as f64 / across as f64 - 1.0);
                let (x, y) = (self.at.x + c * ahead - s * left, self.at.y + s * ahead + c * left);
                [ahead, left, height(heights, x, y)]
            })
        })
    }
}

/// The height of a cell that is measured or between measured ones [m]; not-a-number elsewhere.
pub(super) fn height(heights: &Heights, x: f64, y: f64) -> f64 {
    let cell = heights.frame.index_at(x, y).filter(|cell| heights.ground[*cell] > Ground::Assumed);
    cell.map_or(f64::NAN, |cell| heights.height[cell])
}

/// A plane in the frame of a pose: height = level + ahead·x + left·y.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub level: f64,
    pub ahead: f64,
    pub left: f64,
}

impl Plane {
    /// The plane with the least squares through a patch; `None` where too little is known.
    pub fn fit(heights: &Heights, patch: &Patch) -> Option<Plane> {
        let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
        let (mut known, mut all) = (0.0, 0.0);
        for [ahead, left, height] in patch.samples(heights) {
            all += 1.0;
            if !height.is_nan() {
                known += 1.0;
                let row = Vector3::new(1.0, ahead, left);
                normal += row * row.transpose();
                right += row * height;
            }
        }
        if known < KNOWN_SHARE * all || known < 6.0 {
            return None;
        }
        let solution = normal.try_inverse()? * right;
        Some(Plane { level: solution.x, ahead: solution.y, left: solution.z })
    }

    /// Its height ahead of the pose [m].
    pub fn height(&self, ahead: f64) -> f64 {
        self.level + self.ahead * ahead
    }

    /// The largest distance of the ground from it [m].
    pub fn largest_error(&self, heights: &Heights, patch: &Patch) -> f64 {
        let error =
            |[ahead, left, height]: [f64; 3]| (height - self.level - self.ahead * ahead - self.left * left).abs();
        // not-a-number is ignored
        patch.samples(heights).map(error).fold(0.0, f64::max)
    }
}

/// A gap, as seen from a pose before it.
pub(super) struct Gap {
    /// Where it begins straight ahead [m].
    pub offset: f64,
    /// How its rim runs: metres ahead per metre to the left.
    pub tilt: f64,
    /// How wide it is [m].
    pub width: f64,
}

/// Lines over an edge, side by side.
pub(super) struct Profile {
    at: Pose2,
    half_width: f64,
}

impl Profile {
    pub fn across(at: &Pose2, half_width: f64) -> Profile {
        Profile { at: *at, half_width }
    }

    /// Where the ground rises through the middle between low and high, straight ahead [m], and how that line runs: metres
    /// ahead per metre to the left.
    pub fn line(&self, heights: &Heights, reach: f64) -> Option<(f64, f64)> {
        fit_line(&self.crossings(heights, reach)?)
    }

    /// How far the edge is off a straight line at most [m].
    pub fn straightness(&self, heights: &Heights, reach: f64) -> Option<f64> {
        let crossings = self.crossings(heights, reach)?;
        let (offset, tilt) = fit_line(&crossings)?;
        Some(crossings.iter().map(|[left, ahead]| (ahead - offset - tilt * left).abs()).fold(0.0, f64::max))
    }

    /// (left, ahead) of where each line crosses the middle height; `None` if too few do.
    fn crossings(&self, heights: &Heights, reach: f64) -> Option<Vec<[f64; 2]>> {
        let crossings = self.collect(|left| {
            let (low, high) = (self.height(heights, -reach, left), self.height(heights, reach, left));
            let middle = 0.5 * (low + high);
            let (mut before, mut ahead) = (low, -reach);
            while ahead < reach {
                let next = self.height(heights, ahead + FINE, left);
                if before < middle && next >= middle {
                    return Some(ahead + FINE * (middle - before) / (next - before));
                }
                before = if next.is_nan() { before } else { next };
                ahead += FINE;
            }
            None
        })?;
        Some(crossings.into_iter().map(|(left, ahead)| [left, ahead]).collect())
    }

    /// The gap ahead of flat ground: where all lines fall off, and rise again.
    pub fn gap(&self, heights: &Heights, before: &Plane, settings: &EdgeSettings) -> Option<Gap> {
        let lines = self.collect(|left| self.gap_on_line(left, heights, before, settings))?;
        let near: Vec<[f64; 2]> = lines.iter().map(|(left, [begin, _])| [*left, *begin]).collect();
        let far: Vec<[f64; 2]> = lines.iter().map(|(left, [_, end])| [*left, *end]).collect();
        let ((offset, tilt), (end, _)) = (fit_line(&near)?, fit_line(&far)?);
        let straight = near.iter().all(|[left, ahead]| (ahead - offset - tilt * left).abs() <= super::STRAIGHTNESS);
        straight.then_some(Gap { offset, tilt, width: end - offset })
    }

    /// Where the ground falls off on a line [m], and where it rises again, each half way down.
    fn gap_on_line(&self, left: f64, heights: &Heights, before: &Plane, settings: &EdgeSettings) -> Option<[f64; 2]> {
        let places =
            |from: f64, to: f64| (0..=((to - from) / FINE) as usize).map(move |step| from + step as f64 * FINE);
        let (first, latest, widest) = (-0.15, 0.2, settings.widest_gap + SAMPLE);
        let depth = |ahead: f64| before.height(ahead) + before.left * left - self.height(heights, ahead, left);
        let deepest = places(first, latest + widest).map(depth).fold(settings.gap_depth, f64::max);
        // a place that nobody knows is a hole into which nobody sees
        let is_down = |ahead: f64| depth(ahead).is_nan() || depth(ahead) > 0.5 * deepest;
        let begin = places(first, latest).find(|ahead| is_down(*ahead))?;
        let end = places(begin, begin + widest).find(|ahead| !is_down(*ahead))?;
        let is_deep = places(begin, end).any(|ahead| depth(ahead).is_nan() || depth(ahead) >= settings.gap_depth);
        is_deep.then_some([begin, end])
    }

    /// What is found on each line that shows something, with the line's place to the left; `None` if too few do.
    fn collect<T>(&self, mut look: impl FnMut(f64) -> Option<T>) -> Option<Vec<(f64, T)>> {
        let lines = libm::ceil(2.0 * self.half_width / SAMPLE - 1e-9).max(1.0) as usize;
        let left = |line: usize| self.half_width * (2.0 * line as f64 / lines as f64 - 1.0);
        let needed = libm::ceil(KNOWN_SHARE * (lines + 1) as f64) as usize;
        let mut found = Vec::new();
        for line in 0..=lines {
            found.extend(look(left(line)).map(|seen| (left(line), seen)));
            let still_possible = found.len() + lines - line;
            if still_possible < needed {
                return None;
            }
        }
        Some(found)
    }

    /// The height at a place ahead and to the left, between the cells' middles where they are known [m].
    fn height(&self, heights: &Heights, ahead: f64, left: f64) -> f64 {
        let (s, c) = (sin(self.at.yaw), cos(self.at.yaw));
        let (x, y) = (self.at.x + c * ahead - s * left, self.at.y + s * ahead + c * left);
        let frame = &heights.frame;
        let (u, v) = ((x - frame.origin_x) / frame.cell, (y - frame.origin_y) / frame.cell);
        let (column, row) = (libm::floor(u), libm::floor(v));
        let at = |across: f64, along: f64| {
            let (x, y) = (frame.origin_x + (column + across) * frame.cell, frame.origin_y + (row + along) * frame.cell);
            height(heights, x, y)
        };
        let (across, along) = (u - column, v - row);
        let near = at(0.0, 0.0) * (1.0 - across) + at(1.0, 0.0) * across;
        let far = at(0.0, 1.0) * (1.0 - across) + at(1.0, 1.0) * across;
        let between = near * (1.0 - along) + far * along;
        if between.is_nan() { height(heights, x, y) } else { between }
    }
}

/// The straight line ahead = offset + tilt·left with the least squares.
fn fit_line(points: &[[f64; 2]]) -> Option<(f64, f64)> {
    let count = points.len() as f64;
    let mean = |axis: usize| points.iter().map(|point| point[axis]).sum::<f64>() / count;
    let (left, ahead) = (mean(0), mean(1));
    let spread: f64 = points.iter().map(|point| (point[0] - left) * (point[0] - left)).sum();
    let together: f64 = points.iter().map(|point| (point[0] - left) * (point[1] - ahead)).sum();
    (spread > 1e-6).then(|| (ahead - together / spread * left, together / spread))
}
