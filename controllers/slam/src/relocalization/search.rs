//! Searches a whole map for the place from which the land looks as it does now.

use core::f64::consts::TAU;

use nalgebra::Point3;
use robot_io::math::{cos, sin};
use robot_io::{Pose2, Settings};
use serde::{Deserialize, Serialize};

use super::Relief;

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// Headings that are tried.
    #[setting(48, range = 1..=3600)]
    pub headings: usize,
    /// Cells of the present surroundings that are compared in the first pass, and in the second.
    #[setting([60, 300], range = 1..=1_000_000)]
    pub samples: [usize; 2],
    /// Hypotheses that survive the first pass.
    #[setting(400, range = 1..=1_000_000)]
    pub survivors: usize,
    /// Candidates that are handed on.
    #[setting(8, range = 1..=10_000)]
    pub candidates: usize,
    /// What lies farther away is not compared: too little was seen of it [m].
    #[setting(9.0, positive)]
    pub radius: f64,
    /// Heights that differ by more do not agree [m].
    #[setting(0.3, positive)]
    pub tolerance: f64,
    /// Candidates nearer to a better one than this are the same [m], [rad].
    #[setting([1.2, 0.5], not_negative)]
    pub separation: [f64; 2],
}

/// A place that looks right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Where the robot would be on the map.
    pub pose: Pose2,
    /// Height of the map there [m].
    pub ground: f64,
    /// How well heights agree, 0 to 1.
    pub score: f64,
}

/// Places on `map` where `around`, the relief of the robot's surroundings in a levelled frame at the robot, fits; best first.
/// Every place of the map on which something was seen is tried in all headings, first with few cells, then with more.
pub fn search(map: &Relief, around: &Relief, settings: &SearchSettings) -> Vec<Candidate> {
    let ground = lowest_near(around);
    let quick = samples(around, ground, settings.radius, settings.samples[0]);
    let yaws = (0..settings.headings).map(|heading| TAU * heading as f64 / settings.headings as f64);
    let turned: Vec<(f64, Vec<Turned>)> = yaws.map(|yaw| (yaw, Turned::all(&quick, yaw).collect())).collect();
    let mut found: Vec<Candidate> = Vec::new();
    for place in map.cells() {
        for (yaw, quick) in &turned {
            let pose = Pose2 { x: place.x, y: place.y, yaw: *yaw };
            let score = agreement(map, quick.iter().copied(), &pose, place.z, settings.tolerance);
            found.push(Candidate { pose, ground: place.z, score });
        }
        keep_best(&mut found, settings.survivors, 8 * settings.survivors);
    }
    let thorough = samples(around, ground, settings.radius, settings.samples[1]);
    for candidate in &mut found {
        let turned = Turned::all(&thorough, candidate.pose.yaw);
        candidate.score = agreement(map, turned, &candidate.pose, candidate.ground, settings.tolerance);
    }
    keep_best(&mut found, settings.survivors, 0);
    distinct(&found, settings)
}

/// Cuts a list back to its best once it has grown beyond `limit`.
fn keep_best(found: &mut Vec<Candidate>, count: usize, limit: usize) {
    if found.len() > limit {
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(count);
    }
}

/// The best, without those that are next to a better one.
fn distinct(sorted: &[Candidate], settings: &SearchSettings) -> Vec<Candidate> {
    let mut kept: Vec<Candidate> = Vec::new();
    for candidate in sorted {
        let same = kept.iter().any(|other| {
            let turn = robot_io::math::wrap_angle(other.pose.yaw - candidate.pose.yaw).abs();
            other.pose.distance(&candidate.pose) < settings.separation[0] && turn < settings.separation[1]
        });
        if !same {
            kept.push(*candidate);
        }
        if kept.len() >= settings.candidates {
            break;
        }
    }
    kept
}

/// The ground at the robot: the lowest cell near it.
fn lowest_near(around: &Relief) -> f64 {
    const NEAR: f64 = 1.5;
    let near = around.cells().filter(|cell| cell.x * cell.x + cell.y * cell.y < NEAR * NEAR);
    let lowest = near.map(|cell| cell.z).fold(f64::INFINITY, f64::min);
    if lowest.is_finite() { lowest } else { 0.0 }
}

/// Cells to compare, with heights above the ground at the robot: two thirds of them not flat, where there are enough.
fn samples(around: &Relief, ground: f64, radius: f64, count: usize) -> Vec<Point3<f64>> {
    const FLAT: f64 = 0.2;
    let within = around.cells().filter(|cell| cell.x * cell.x + cell.y * cell.y < radius * radius);
    let above = within.map(|cell| Point3::new(cell.x, cell.y, cell.z - ground));
    let (flat, steep): (Vec<_>, Vec<_>) = above.partition(|cell| cell.z.abs() < FLAT);
    let of_steep = (2 * count / 3).max(count.saturating_sub(flat.len())).min(steep.len());
    let mut chosen = spread(&steep, of_steep);
    chosen.extend(spread(&flat, count.saturating_sub(of_steep)));
    chosen
}

/// `count` of the cells, evenly spread over the list.
fn spread(cells: &[Point3<f64>], count: usize) -> Vec<Point3<f64>> {
    let count = count.min(cells.len());
    (0..count).map(|k| cells[k * cells.len() / count]).collect()
}

/// A cell of the present surroundings, turned by a heading: what it adds to the robot's place, and its height.
#[derive(Clone, Copy)]
struct Turned {
    ahead: [f64; 2],
    aside: [f64; 2],
    height: f64,
}

impl Turned {
    fn all(cells: &[Point3<f64>], yaw: f64) -> impl ExactSizeIterator<Item = Turned> {
        let (s, c) = (sin(yaw), cos(yaw));
        cells.iter().map(move |cell| Turned {
            ahead: [c * cell.x, s * cell.x],
            aside: [-s * cell.y, c * cell.y],
            height: cell.z,
        })
    }
}

/// How well heights agree if the robot is at `pose`, with the cells turned to its heading: the mean over those that the map knows; if it
/// knows less than half of them, the rest counts as wrong.
fn agreement(
    map: &Relief,
    turned: impl ExactSizeIterator<Item = Turned>,
    pose: &Pose2,
    ground: f64,
    tolerance: f64,
) -> f64 {
    const LEAST_KNOWN: f64 = 0.5;
    let least = LEAST_KNOWN * turned.len() as f64;
    let (mut sum, mut known) = (0.0, 0.0_f64);
    for Turned { ahead, aside, height: expected } in turned {
        let height = map.at(pose.x + ahead[0] + aside[0], pose.y + ahead[1] + aside[1]);
        if !height.is_nan() {
            known += 1.0;
            let off = (f64::from(height) - ground - expected) / tolerance;
            sum += (1.0 - off * off).max(0.0);
        }
    }
    sum / known.max(least).max(1.0)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    /// An arena with walls and hills that look the same from nowhere else.
    fn arena() -> Vec<Point3<f64>> {
        let height = |x: f64, y: f64| {
            let bump = |at: [f64; 2], width: f64, high: f64| {
                let square = (x - at[0]) * (x - at[0]) + (y - at[1]) * (y - at[1]);
                high * robot_io::math::exp(-square / (width * width))
            };
            let wall = if x.abs() > 9.5 || y.abs() > 7.5 { 1.5 } else { 0.0 };
            wall + bump([3.0, 2.0], 1.0, 0.8) + bump([-4.0, -3.0], 1.5, 0.6) + bump([-6.0, 4.0], 0.8, 1.0)
        };
        let axis = |half: i32| (-half..=half).map(|k| f64::from(k) * 0.2);
        axis(50).flat_map(|x| axis(40).map(move |y| Point3::new(x, y, height(x, y)))).collect()
    }

    #[test]
    fn a_robot_finds_its_place_on_the_map_whatever_its_heading() {
        let map = Relief::of(&arena(), 0.5, 3.0);
        for (k, truth) in [(1.0, 1.0, 0.7), (-5.0, 1.0, -2.0), (6.0, -4.0, 3.0)].into_iter().enumerate() {
            let truth = Pose2 { x: truth.0, y: truth.1, yaw: truth.2 };
            let seen = arena().into_iter().map(|point| {
                let place = Pose2 { x: point.x, y: point.y, yaw: 0.0 }.seen_from(&truth);
                Point3::new(place.x, place.y, point.z - 0.9)
            });
            let around = Relief::of(&seen.collect::<Vec<_>>(), 0.5, 3.0);
            let found = search(&map, &around, &SearchSettings::default());
            let best = found.first().unwrap();
            let turn = robot_io::math::wrap_angle(best.pose.yaw - truth.yaw).abs();
            assert!(best.pose.distance(&truth) < 0.8 && turn < 0.15, "case {k}: {best:?}, expected {truth:?}");
        }
    }
}
