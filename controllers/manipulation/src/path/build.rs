//! From configurations to a way.

use super::blend::Blend;
use super::joint_path::{JointPath, hit_on_piece};
use super::piece::Piece;
use super::spline::Spline;
use crate::checker::Checker;
use crate::error::{ManipulationError, check_number, check_numbers};

/// Configurations that are no farther from each other are one [rad or m].
const SAME: f64 = 1e-9;
/// How often a blend that meets something is made half as large before everything stops at the corner instead.
const SMALLER: u32 = 4;

/// How corners are rounded.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSettings {
    /// A blend begins so far before a corner at most, and ends so far behind it [rad or m].
    pub blend: f64,
    /// A blend is no farther from its corner than this [rad or m].
    pub deviation: f64,
}

impl Default for PathSettings {
    fn default() -> Self {
        PathSettings { blend: 0.5, deviation: 0.1 }
    }
}

impl JointPath {
    /// Straight from each configuration to the next, with rounded corners; everything stops at the corners for which `stops`
    /// says so, one entry for each configuration (the first and the last do not matter).
    ///
    /// With a checker a blend that meets something is made smaller, and where that does not help everything stops at the corner:
    /// the straight ways are not checked here. Refused are configurations of different lengths, none at all, and numbers that
    /// are not finite.
    pub fn through(
        waypoints: &[Vec<f64>],
        stops: &[bool],
        settings: &PathSettings,
        checker: Option<&mut Checker>,
    ) -> Result<JointPath, ManipulationError> {
        let part = "waypoints of a way";
        let Some(first) = waypoints.first().filter(|first| !first.is_empty()) else {
            return Err(ManipulationError::refused(part, "number", "at least one, of at least one joint", "none"));
        };
        waypoints.iter().try_for_each(|waypoint| check_numbers(part, "positions", first.len(), waypoint))?;
        if stops.len() != waypoints.len() {
            return Err(ManipulationError::refused(part, "stops", waypoints.len(), stops.len()));
        }
        check_number("settings of a way", "blend", (0.0, 1e3), "rad or m", settings.blend)?;
        check_number("settings of a way", "deviation", (0.0, 1e3), "rad or m", settings.deviation)?;
        if let Some(checker) = &checker
            && checker.joints().len() != first.len()
        {
            return Err(ManipulationError::refused("a checker", "joints", first.len(), checker.joints().len()));
        }
        let (corners, stops) = distinct(waypoints, stops);
        let lines: Vec<Line> = corners.windows(2).map(|ends| Line::new(ends[0], ends[1])).collect();
        let reaches = reaches(&corners, &lines, &stops, settings, checker);
        Ok(assemble(first, &corners, &lines, &reaches))
    }

    /// Smoothly through configurations that are near to each other, as those of a hand on a straight line are: a cubic spline.
    /// Refused are fewer than two, or configurations that do not fit together.
    pub fn along(waypoints: &[Vec<f64>]) -> Result<JointPath, ManipulationError> {
        let part = "waypoints of a curve";
        let Some(first) = waypoints.first().filter(|first| waypoints.len() > 1 && !first.is_empty()) else {
            return Err(ManipulationError::refused(
                part,
                "number",
                "at least two, of at least one joint",
                waypoints.len(),
            ));
        };
        waypoints.iter().try_for_each(|waypoint| check_numbers(part, "positions", first.len(), waypoint))?;
        let dof = first.len();
        let length: f64 = waypoints.windows(2).map(|ends| distance(&ends[0], &ends[1])).sum();
        let mut path = JointPath { dof, begin: first.clone(), pieces: Vec::new(), stops: Vec::new(), ends: Vec::new() };
        if length > SAME {
            let spline = Spline::new(waypoints.concat(), dof, length);
            path.push(Piece::Spline(spline), true);
        }
        Ok(path)
    }

    /// Another way behind this one, with a stop between them. Refused unless it begins where this one ends.
    pub fn then(mut self, next: JointPath) -> Result<JointPath, ManipulationError> {
        let part = "a way behind another";
        if next.dof != self.dof {
            return Err(ManipulationError::refused(part, "joints", self.dof, next.dof));
        }
        let mut end = vec![0.0; self.dof];
        self.write(self.length(), &mut end);
        let gap = distance(&end, &next.begin);
        if gap > 1e-6 {
            return Err(ManipulationError::refused(part, "begin", "where the other ends", format!("{gap} away")));
        }
        if let Some(stop) = self.stops.last_mut() {
            *stop = true;
        }
        for (piece, stop) in next.pieces.into_iter().zip(next.stops) {
            self.push(piece, stop);
        }
        Ok(self)
    }

    fn push(&mut self, piece: Piece, stops: bool) {
        self.ends.push(self.length() + piece.length());
        self.pieces.push(piece);
        self.stops.push(stops);
    }
}

/// A straight way between two corners.
struct Line {
    along: Vec<f64>,
    length: f64,
}

impl Line {
    fn new(from: &[f64], to: &[f64]) -> Line {
        let length = distance(from, to);
        Line { along: from.iter().zip(to).map(|(from, to)| (to - from) / length).collect(), length }
    }
}

/// The waypoints without those that are where the one before is.
fn distinct<'w>(waypoints: &'w [Vec<f64>], stops: &[bool]) -> (Vec<&'w [f64]>, Vec<bool>) {
    let (mut corners, mut kept): (Vec<&[f64]>, Vec<bool>) = (Vec::new(), Vec::new());
    for (waypoint, stop) in waypoints.iter().zip(stops) {
        match corners.last().filter(|last| distance(last, waypoint) <= SAME) {
            Some(_) => kept.iter_mut().last().into_iter().for_each(|last| *last |= *stop),
            None => {
                corners.push(waypoint);
                kept.push(*stop);
            }
        }
    }
    (corners, kept)
}

/// How far before each corner its blend begins; zero where everything stops, and at the ends.
fn reaches(
    corners: &[&[f64]],
    lines: &[Line],
    stops: &[bool],
    settings: &PathSettings,
    mut checker: Option<&mut Checker>,
) -> Vec<f64> {
    let mut reaches = vec![0.0; corners.len()];
    for index in 1..corners.len().saturating_sub(1) {
        if stops[index] {
            continue;
        }
        let (before, behind) = (&lines[index - 1], &lines[index]);
        let turn = distance(&before.along, &behind.along);
        // the middle of a blend is 3/16 of its reach times the change of direction away from the corner
        let near = if turn > 0.0 { settings.deviation * 16.0 / (3.0 * turn) } else { f64::INFINITY };
        let mut reach = settings.blend.min(near).min(0.5 * before.length).min(0.5 * behind.length);
        for halved in 0..=SMALLER {
            let blend = blend(corners[index], before, behind, reach);
            let meets = |checker: &mut &mut Checker| hit_on_piece(&blend, checker).is_some();
            if reach <= SAME || !checker.as_mut().is_some_and(meets) {
                break;
            }
            reach = if halved == SMALLER { 0.0 } else { 0.5 * reach };
        }
        reaches[index] = if reach > SAME { reach } else { 0.0 };
    }
    reaches
}

fn blend(corner: &[f64], before: &Line, behind: &Line, reach: f64) -> Piece {
    Piece::Blend(Blend { corner: corner.to_vec(), from: before.along.clone(), to: behind.along.clone(), reach })
}

fn assemble(begin: &[f64], corners: &[&[f64]], lines: &[Line], reaches: &[f64]) -> JointPath {
    let mut path =
        JointPath { dof: begin.len(), begin: begin.to_vec(), pieces: Vec::new(), stops: Vec::new(), ends: Vec::new() };
    for (index, line) in lines.iter().enumerate() {
        let (first, last) = (reaches[index], reaches[index + 1]);
        let length = line.length - first - last;
        let stops = last <= 0.0;
        if length > SAME {
            let from = corners[index].iter().zip(&line.along).map(|(corner, along)| corner + along * first).collect();
            path.push(Piece::Line { from, along: line.along.clone(), length }, stops);
        }
        if let Some(behind) = lines.get(index + 1).filter(|_| !stops) {
            path.push(blend(corners[index + 1], line, behind, last), false);
        }
    }
    path
}

fn distance(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| (one - other) * (one - other)).sum::<f64>().sqrt()
}
