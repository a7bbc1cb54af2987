//! A way of joints.

use robot_io::State;

use super::piece::Piece;
use crate::checker::{Checker, Hit};
use crate::error::{ManipulationError, check_numbers};

/// A way of some joints, in pieces that follow each other smoothly, or at which everything stops.
#[derive(Clone, Debug, Default, PartialEq, State)]
pub struct JointPath {
    pub(super) dof: usize,
    pub(super) begin: Vec<f64>,
    pub(super) pieces: Vec<Piece>,
    /// For each piece whether everything stops where it ends.
    pub(super) stops: Vec<bool>,
    /// Where each piece ends.
    pub(super) ends: Vec<f64>,
}

/// Something that is met on a way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collision {
    /// What meets what.
    pub hit: Hit,
    /// Where: between these places of the way [rad or m].
    pub between: [f64; 2],
}

impl JointPath {
    /// How many joints go this way.
    pub fn dof(&self) -> usize {
        self.dof
    }

    /// How long it is: the root of the summed squares of the joints' ways [rad or m], along the control points of its blends.
    pub fn length(&self) -> f64 {
        self.ends.last().copied().unwrap_or(0.0)
    }

    /// Where everything stops between its ends, by how far that is along the way.
    pub fn stops(&self) -> impl Iterator<Item = f64> {
        let inner = self.stops.iter().zip(&self.ends).take(self.stops.len().saturating_sub(1));
        inner.filter(|(stops, _)| **stops).map(|(_, end)| *end)
    }

    /// The configuration a way along, from 0 to the length, written to `positions`; refused if these are not as many as
    /// joints.
    pub fn at(&self, along: f64, positions: &mut [f64]) -> Result<(), ManipulationError> {
        check_numbers("a place on a way", "positions", self.dof, positions)?;
        self.write(along, positions);
        Ok(())
    }

    pub(super) fn write(&self, along: f64, positions: &mut [f64]) {
        positions.iter_mut().enumerate().for_each(|(joint, position)| *position = self.position(along, joint));
    }

    /// One joint's position a way along.
    pub(super) fn position(&self, along: f64, joint: usize) -> f64 {
        self.piece_at(along).map_or(self.begin[joint], |(piece, share)| self.pieces[piece].at(share, joint)[0])
    }

    /// The piece a way along, and the share of it from 0 to 1; `None` on a way without pieces.
    pub(super) fn piece_at(&self, along: f64) -> Option<(usize, f64)> {
        let last = self.pieces.len().checked_sub(1)?;
        let piece = self.ends.partition_point(|end| *end < along).min(last);
        Some((piece, self.share_of(piece, along)))
    }

    /// The share of a piece, from 0 to 1, at which a way along is.
    pub(super) fn share_of(&self, piece: usize, along: f64) -> f64 {
        ((along - self.begins(piece)) / self.pieces[piece].length()).clamp(0.0, 1.0)
    }

    fn begins(&self, piece: usize) -> f64 {
        if piece == 0 { 0.0 } else { self.ends[piece - 1] }
    }

    /// What is met first on the way, or on the part of it between two places; `None` if that is free.
    ///
    /// Half the margin has to be kept where it is looked at, and no point of the robot moves farther than a margin in between.
    /// So nothing is met on a way that is found free, and what was planned is found free again. The scene of the checker may be
    /// another than that in which the way was made: a way is checked again while it is gone.
    pub fn collision(
        &self,
        checker: &mut Checker,
        part: Option<[f64; 2]>,
    ) -> Result<Option<Collision>, ManipulationError> {
        if checker.joints().len() != self.dof {
            let expected = format!("{} joints, as the way has", self.dof);
            return Err(ManipulationError::refused("a checker", "joints", expected, checker.joints().len()));
        }
        let [from, to] = part.unwrap_or([0.0, self.length()]);
        if let Some(hit) = checker.hit_again_on_curve(0.0, |_, joint| self.position(from, joint)) {
            return Ok(Some(Collision { hit, between: [from, from] }));
        }
        for (index, piece) in self.pieces.iter().enumerate() {
            let (begins, ends) = (self.begins(index), self.ends[index]);
            let between = [begins.max(from), ends.min(to)];
            if between[0] >= between[1] {
                continue;
            }
            let shares = between.map(|along| (along - begins) / piece.length());
            if let Some(hit) = hit_again(piece, shares, checker) {
                return Ok(Some(Collision { hit, between }));
            }
        }
        Ok(None)
    }
}

/// What is met on a piece that is new: the whole margin has to be kept.
pub(super) fn hit_on_piece(piece: &Piece, checker: &mut Checker) -> Option<Hit> {
    let length = piece.length();
    let moved = checker.moved_by(|joint| piece.bounds(joint)[0] * length);
    checker.hit_on_curve(moved, |share, joint| piece.at(share, joint)[0])
}

/// What is met again on a piece between two shares of it: half the margin has to be kept.
fn hit_again(piece: &Piece, [from, to]: [f64; 2], checker: &mut Checker) -> Option<Hit> {
    let way = (to - from) * piece.length();
    let moved = checker.moved_by(|joint| piece.bounds(joint)[0] * way);
    checker.hit_again_on_curve(moved, |share, joint| piece.at(from + share * (to - from), joint)[0])
}
