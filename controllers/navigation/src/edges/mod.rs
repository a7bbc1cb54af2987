//! Edges that a wheel cannot roll over, but a leg can step over: straight steps and gaps with flat ground on both sides.

mod ground;
mod settings;

pub use settings::EdgeSettings;

use robot_io::math::{atan2, cos, sin, wrap_angle};
use robot_io::{Pose2, StepEdge};

use crate::RobotFootprint;
use crate::cost::Shape;
use crate::height::Heights;
use ground::{Patch, Plane, Profile};

/// Edges of the same direction that are nearer to each other than this are one [m].
const APART: f64 = 0.3;
/// Edges within this angle have the same direction [rad].
const SAME_DIRECTION: f64 = 0.35;
/// The ground within this distance of an edge is not asked to be flat: the edge lies somewhere in a cell, and a median filter
/// rounds it [m].
const BLURRED: f64 = 0.2;
/// Half side of the window in which an edge's direction is looked for [m].
const DIRECTION_WINDOW: f64 = 0.3;
/// A step is looked for so far ahead and behind [m].
const REACH: f64 = BLURRED + 0.1;
/// An edge may be off a straight line by so much [m].
const STRAIGHTNESS: f64 = 0.08;
/// How often the direction is put right.
const ROUNDS: usize = 3;
/// A step looks a little lower or higher than it is [m].
const HEIGHT_ERROR: f64 = 0.02;

/// The edges that the robot can step over, one for each place and direction.
pub(crate) fn find_edges(
    heights: &Heights,
    shape: &Shape,
    robot: &RobotFootprint,
    settings: &EdgeSettings,
) -> Vec<StepEdge> {
    let (ahead, behind) = robot.reach();
    let finder = Finder { heights, settings, length: ahead + behind + settings.extra_length };
    let lowest = settings.lowest_rise.min(settings.gap_depth) - HEIGHT_ERROR;
    let mut edges: Vec<StepEdge> = Vec::new();
    if !settings.enabled || robot.polygon.len() < 3 {
        return edges;
    }
    for cell in (0..heights.frame.len()).filter(|cell| shape.step[*cell] > lowest) {
        let Some(uphill) = finder.uphill(cell) else { continue };
        for found in [finder.step(&uphill), finder.gap(&uphill)].into_iter().flatten() {
            for edge in [found, finder.reversed(&found)] {
                if !edges.iter().any(|known| is_same(known, &edge)) {
                    edges.push(edge);
                }
            }
        }
    }
    edges
}

fn is_same(a: &StepEdge, b: &StepEdge) -> bool {
    a.pose.distance(&b.pose) < APART && wrap_angle(a.pose.yaw - b.pose.yaw).abs() < SAME_DIRECTION
}

struct Finder<'a> {
    heights: &'a Heights,
    settings: &'a EdgeSettings,
    /// Length of the flat ground before and behind [m].
    length: f64,
}

impl Finder<'_> {
    /// The middle of a cell, facing uphill; `None` where it is level.
    fn uphill(&self, cell: usize) -> Option<Pose2> {
        let frame = &self.heights.frame;
        let reach = (DIRECTION_WINDOW / frame.cell) as i32;
        let (mut along_x, mut along_y, mut weight) = (0.0, 0.0, 0.0);
        for (across, along) in (-reach..=reach).flat_map(|row| (-reach..=reach).map(move |column| (column, row))) {
            let Some(other) = frame.neighbour(cell, across, along) else { continue };
            let rise = self.heights.height[other] - self.heights.height[cell];
            if !rise.is_nan() {
                along_x += f64::from(across) * rise;
                along_y += f64::from(along) * rise;
                weight += f64::from(across * across) * frame.cell;
            }
        }
        let level = libm::hypot(along_x, along_y) < 0.05 * weight;
        let (x, y) = frame.center(cell);
        (!level).then(|| Pose2 { x, y, yaw: atan2(along_y, along_x) })
    }

    /// How much higher the ground is at one place ahead than at another, each [m] ahead; not-a-number where it is not known.
    fn rise_between(&self, pose: &Pose2, near: f64, far: f64) -> f64 {
        let at = |ahead: f64| {
            let place = advanced(pose, ahead, pose.yaw);
            ground::height(self.heights, place.x, place.y)
        };
        at(far) - at(near)
    }

    /// False if the ground cannot be level between two places ahead [m]: most cells are found out at once.
    fn may_be_level(&self, pose: &Pose2, near: f64, far: f64) -> bool {
        let steepest = robot_io::math::tan(self.settings.steepest_slope_deg.to_radians());
        let rise = self.rise_between(pose, near, far);
        rise.is_nan() || rise.abs() <= steepest * (far - near).abs() + 2.0 * self.settings.flatness
    }

    /// False if there cannot be a step up at a pose.
    fn may_be_step(&self, pose: &Pose2) -> bool {
        let far = REACH + 0.8 * self.length;
        let rise = self.rise_between(pose, -REACH, REACH);
        let climbable = 0.5 * self.settings.lowest_rise..=1.5 * self.settings.highest_rise;
        let right_height = rise.is_nan() || climbable.contains(&rise);
        right_height && self.may_be_level(pose, -REACH, -far) && self.may_be_level(pose, REACH, far)
    }

    /// False if there cannot be a gap ahead of a pose.
    fn may_be_gap(&self, pose: &Pose2) -> bool {
        let (behind, length) = (self.settings.widest_gap + REACH, 0.8 * self.length);
        let levels = [(-REACH, -REACH - length), (-REACH, behind), (behind, behind + length)];
        levels.into_iter().all(|(near, far)| self.may_be_level(pose, near, far))
    }

    /// The step up that begins about there, if it is one.
    fn step(&self, uphill: &Pose2) -> Option<StepEdge> {
        let mut pose = *uphill;
        if !self.may_be_step(&pose) {
            return None;
        }
        for _ in 0..ROUNDS {
            let profile = Profile::across(&pose, 0.5 * self.settings.width);
            let (offset, tilt) = profile.line(self.heights, REACH)?;
            pose = advanced(&pose, offset, wrap_angle(pose.yaw - libm::atan(tilt)));
        }
        let rise = self.rise_at(&pose)?;
        let profile = Profile::across(&pose, 0.5 * self.settings.width);
        let straight = profile.straightness(self.heights, REACH)? <= STRAIGHTNESS;
        let climbable = (self.settings.lowest_rise..=self.settings.highest_rise).contains(&rise);
        (straight && climbable).then_some(StepEdge { pose, rise, gap: 0.0 })
    }

    /// The gap that lies behind a rim, if it is one.
    fn gap(&self, uphill: &Pose2) -> Option<StepEdge> {
        // from the rim back over the gap
        let rim = Pose2 { yaw: wrap_angle(uphill.yaw + core::f64::consts::PI), ..*uphill };
        let mut pose = rim;
        let mut gap = 0.0;
        if !self.may_be_gap(&pose) {
            return None;
        }
        for _ in 0..ROUNDS {
            let before = self.flat(&pose, -BLURRED - self.length, -BLURRED)?;
            let profile = Profile::across(&pose, 0.5 * self.settings.width);
            let found = profile.gap(self.heights, &before, self.settings)?;
            pose = advanced(&pose, found.offset, wrap_angle(pose.yaw - libm::atan(found.tilt)));
            gap = found.width;
        }
        let before = self.flat(&pose, -BLURRED - self.length, -BLURRED)?;
        let behind = self.flat(&pose, gap + BLURRED, gap + BLURRED + self.length)?;
        let rise = behind.height(gap) - before.height(0.0);
        let fits = gap <= self.settings.widest_gap && rise.abs() <= self.settings.flatness;
        fits.then_some(StepEdge { pose, rise: 0.0, gap })
    }

    /// How much higher the ground is behind the edge [m]; `None` where the ground before or behind it is not flat.
    fn rise_at(&self, pose: &Pose2) -> Option<f64> {
        let before = self.flat(pose, -BLURRED - self.length, -BLURRED)?;
        let behind = self.flat(pose, BLURRED, BLURRED + self.length)?;
        Some(behind.height(0.0) - before.height(0.0))
    }

    /// The plane of the ground from `from` to `to` [m] ahead of a pose, if it is one and not steep.
    fn flat(&self, pose: &Pose2, from: f64, to: f64) -> Option<Plane> {
        let patch = Patch { at: *pose, from, to, half_width: 0.5 * self.settings.width };
        let plane = Plane::fit(self.heights, &patch)?;
        let steepest = robot_io::math::tan(self.settings.steepest_slope_deg.to_radians());
        let gentle = libm::hypot(plane.ahead, plane.left) <= steepest;
        (gentle && plane.largest_error(self.heights, &patch) <= self.settings.flatness).then_some(plane)
    }

    /// The same edge, crossed from the other side.
    fn reversed(&self, edge: &StepEdge) -> StepEdge {
        let yaw = wrap_angle(edge.pose.yaw + core::f64::consts::PI);
        StepEdge { pose: advanced(&edge.pose, edge.gap, yaw), rise: -edge.rise, gap: edge.gap }
    }
}

/// A place `distance` [m] ahead of a pose, with a heading.
pub(crate) fn advanced(pose: &Pose2, distance: f64, yaw: f64) -> Pose2 {
    Pose2 { x: pose.x + distance * cos(pose.yaw), y: pose.y + distance * sin(pose.yaw), yaw }
}
