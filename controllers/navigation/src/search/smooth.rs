//! From cells to poses: corners cut where that costs nothing, and headings along the way.

use robot_io::math::{atan2, wrap_angle};
use robot_io::{Path, Pose2};

use super::SearchSettings;
use super::astar::{ANY, Node};
use super::field::Field;
use crate::cost::heading_of;

/// Corners are cut over at most this many cells.
const LONGEST_CUT: usize = 100;
/// A cut may cost this much more than the corner [m]: rounding, and cells that it crosses at their edges.
const SLACK: f64 = 0.02;

/// A corner of the way.
#[derive(Clone, Copy)]
struct Corner {
    x: f64,
    y: f64,
    /// The heading that the search found, where it matters.
    yaw: Option<f64>,
}

/// A part of the way as poses, evenly spaced, from a pose to the middle of its last cell, or exactly to another pose.
pub(super) fn smooth(
    field: &Field<'_>,
    way: &[(Node, Option<usize>)],
    from: &Pose2,
    to: Option<&Pose2>,
    settings: &SearchSettings,
) -> Path {
    let mut corners: Vec<Corner> = way.iter().map(|(node, _)| corner(field, *node)).collect();
    if let Some(first) = corners.first_mut() {
        (first.x, first.y) = (from.x, from.y);
    }
    if let (Some(to), true) = (to, corners.len() == 1) {
        corners.push(Corner { x: to.x, y: to.y, yaw: None });
    }
    if let (Some(to), Some(last)) = (to, corners.last_mut()) {
        (last.x, last.y) = (to.x, to.y);
    }
    let corners = cut(field, &corners, settings);
    let mut poses = resample(field, &corners, from, settings.spacing);
    if let (Some(to), Some(last)) = (to, poses.last_mut()) {
        *last = *to;
    }
    Path { poses }
}

fn corner(field: &Field<'_>, node: Node) -> Corner {
    let (x, y) = field.frame().center(node.cell);
    Corner { x, y, yaw: (node.slot != ANY).then(|| heading_of(node.slot)) }
}

/// Leaves out corners where the straight line is drivable, facing forwards, and costs no more than the way around them.
fn cut(field: &Field<'_>, corners: &[Corner], settings: &SearchSettings) -> Vec<Corner> {
    let price = |pair: &[Corner]| line_cost(field, &pair[0], &pair[1], settings);
    let mut before = vec![0.0];
    for pair in corners.windows(2) {
        before.push(before[before.len() - 1] + price(pair));
    }
    let mut kept: Vec<Corner> = corners.first().copied().into_iter().collect();
    let mut here = 0;
    while here + 1 < corners.len() {
        let farthest = (here + LONGEST_CUT).min(corners.len() - 1);
        let fits = |there: &usize| {
            let line = [corners[here], Corner { yaw: None, ..corners[*there] }];
            is_drivable(field, &line[0], &line[1]) && price(&line) <= before[*there] - before[here] + SLACK
        };
        let next = (here + 2..=farthest).rev().find(fits).unwrap_or(here + 1);
        kept.push(corners[next]);
        here = next;
    }
    kept
}

/// The points of a line, half a cell apart.
fn points(field: &Field<'_>, from: &Corner, to: &Corner) -> impl Iterator<Item = (f64, f64)> + use<> {
    let (from, to) = (*from, *to);
    let steps = libm::ceil(2.0 * libm::hypot(to.x - from.x, to.y - from.y) / field.frame().cell).max(1.0) as usize;
    (0..=steps).map(move |step| {
        let t = step as f64 / steps as f64;
        (from.x + t * (to.x - from.x), from.y + t * (to.y - from.y))
    })
}

/// True if the robot fits everywhere on a line, facing along it.
fn is_drivable(field: &Field<'_>, from: &Corner, to: &Corner) -> bool {
    let yaw = atan2(to.y - from.y, to.x - from.x);
    points(field, from, to).all(|(x, y)| field.lack_at(&Pose2 { x, y, yaw }).is_some())
}

/// What a line costs [m], without what turning and driving sideways cost.
fn line_cost(field: &Field<'_>, from: &Corner, to: &Corner, settings: &SearchSettings) -> f64 {
    let length = libm::hypot(to.x - from.x, to.y - from.y);
    let travel = atan2(to.y - from.y, to.x - from.x);
    let yaw = to.yaw.unwrap_or(travel);
    let (mut sum, mut count) = (0.0, 0.0);
    for (x, y) in points(field, from, to) {
        sum += settings.caution * field.frame().index_at(x, y).map_or(1.0, |cell| field.cost(cell));
        sum += settings.squeezing * field.lack_at(&Pose2 { x, y, yaw }).unwrap_or(0.0);
        count += 1.0;
    }
    length * (1.0 + sum / count)
}

/// Poses along the corners, `spacing` [m] apart, that face the direction of travel where there is room for it.
fn resample(field: &Field<'_>, corners: &[Corner], from: &Pose2, spacing: f64) -> Vec<Pose2> {
    let mut poses = vec![*from];
    for pair in corners.windows(2) {
        let (dx, dy) = (pair[1].x - pair[0].x, pair[1].y - pair[0].y);
        let length = libm::hypot(dx, dy);
        if length < 1e-9 {
            turn(&mut poses, pair[1].yaw);
            continue;
        }
        let forced = if is_drivable(field, &pair[0], &pair[1]) { None } else { pair[1].yaw.or(pair[0].yaw) };
        let yaw = wrap_angle(forced.unwrap_or_else(|| atan2(dy, dx)));
        let steps = libm::ceil(length / spacing - 1e-9).max(1.0) as usize;
        for step in 1..=steps {
            let t = step as f64 / steps as f64;
            let (x, y) = (pair[0].x + t * dx, pair[0].y + t * dy);
            poses.push(Pose2 { x, y, yaw });
        }
    }
    poses
}

/// A turn in place.
fn turn(poses: &mut Vec<Pose2>, yaw: Option<f64>) {
    if let (Some(last), Some(yaw)) = (poses.last().copied(), yaw) {
        poses.push(Pose2 { yaw, ..last });
    }
}
