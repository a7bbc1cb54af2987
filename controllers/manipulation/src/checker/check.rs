//! Eight configurations against everything.

use core::ops::Range;

use super::hit::{Hit, Touching};
use super::obstacle::{Around, Obstacle};
use crate::collision::Excluded;
use crate::error::{ManipulationError, check_numbers};
use crate::lanes::{Fixed, Frame, Lanes, Point};

/// Looks whether configurations of some joints are free of collisions, eight at once, and whether the ways between them are.
///
/// Free means that all spheres of what moves are at least the margin away from everything that they have to be kept apart
/// from, and two margins from what moves too. Nothing is allocated.
#[derive(Clone, Debug)]
pub struct Checker {
    pub(super) joints: Vec<usize>,
    pub(super) limits: Vec<[f64; 2]>,
    pub(super) margin: f64,
    /// So much of the margin need not be kept in what is looked at now [m].
    pub(super) leave: f32,
    /// Pairs of links that overlap where the robot stands.
    pub(super) excluded: Vec<Excluded>,
    pub(super) steps: Vec<Step>,
    /// In their bodies' order.
    pub(super) pieces: Vec<Piece>,
    /// Of all pieces: centre in the body's frame, radius with the margin [m].
    pub(super) spheres: Vec<(Point, f32)>,
    pub(super) obstacles: Vec<Obstacle>,
    pub(super) around: Vec<Around>,
    /// The configurations that are looked at.
    pub(super) positions: Vec<Lanes>,
    pub(super) frames: Vec<Frame>,
    /// Where the pieces are, and their spheres where somebody has asked.
    pub(super) centers: Vec<[Lanes; 3]>,
    pub(super) points: Vec<[Lanes; 3]>,
    pub(super) is_ready: Vec<bool>,
}

/// How a body hangs on its parent.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub parent: usize,
    pub fixed: Fixed,
    pub variable: usize,
    pub multiplier: f32,
    pub offset: f32,
    pub slides: bool,
}

/// Spheres on one body that may meet the same things.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub what: Touching,
    pub body: usize,
    /// The sphere around it, with the margin.
    pub center: Point,
    pub radius: f32,
    pub spheres: Range<usize>,
    /// What it may meet that does not move, and what is on bodies before its own.
    pub obstacles: Vec<usize>,
    pub facing: Vec<Facing>,
    /// How far its points move at most per radian or metre of each joint.
    pub ways: Vec<f64>,
}

/// Solids on a body that moves, which a piece may meet.
#[derive(Clone, Debug)]
pub(super) struct Facing {
    pub body: usize,
    /// The sphere around them, in the body's frame.
    pub center: Point,
    pub radius: f32,
    /// At most [`MOST_FACING`].
    pub obstacles: Vec<usize>,
}

/// As many as a number of 128 bits has.
pub(super) const MOST_FACING: usize = 128;

impl Checker {
    /// The joints that move, as indices in the tree.
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// The lowest and the highest position of each [rad or m]; where it has no limits, half a turn each way.
    pub fn limits(&self) -> &[[f64; 2]] {
        &self.limits
    }

    /// Pairs of links that are not kept apart because they overlap where the robot stands.
    pub fn excluded(&self) -> &[Excluded] {
        &self.excluded
    }

    /// How many spheres move.
    pub fn spheres(&self) -> usize {
        self.spheres.len()
    }

    /// What is met where the group's joints are at `positions`, one for each in its order [rad or m]; `None` if that is free.
    pub fn hit(&mut self, positions: &[f64]) -> Result<Option<Hit>, ManipulationError> {
        check_numbers("a configuration", "positions", self.joints.len(), positions)?;
        Ok(self.hit_at(positions))
    }

    pub(crate) fn hit_at(&mut self, positions: &[f64]) -> Option<Hit> {
        for (lanes, position) in self.positions.iter_mut().zip(positions) {
            *lanes = Lanes::all(*position as f32);
        }
        self.leave = 0.0;
        self.look()
    }

    /// What any of the eight configurations meets. Bodies are looked at from the trunk outwards, and the rest is left out once
    /// something is met.
    pub(super) fn look(&mut self) -> Option<Hit> {
        self.is_ready.fill(false);
        let mut next = 0;
        for body in 1..self.frames.len() {
            let step = &self.steps[body - 1];
            let position = self.positions[step.variable] * step.multiplier + Lanes::all(step.offset);
            let parent = &self.frames[step.parent];
            self.frames[body] = match step.slides {
                false => parent.turned(&step.fixed, position),
                true => parent.slid(&step.fixed, position),
            };
            while let Some(piece) = self.pieces.get(next).filter(|piece| piece.body == body) {
                self.centers[next] = self.frames[body].at(&piece.center);
                if let Some(hit) = self.look_at(next) {
                    return Some(hit);
                }
                next += 1;
            }
        }
        None
    }

    fn look_at(&mut self, index: usize) -> Option<Hit> {
        let piece = &self.pieces[index];
        let (center, radius) = (self.centers[index], piece.radius - self.leave);
        for place in 0..piece.obstacles.len() {
            let obstacle = &self.obstacles[self.pieces[index].obstacles[place]];
            if !obstacle.is_near(&center, radius) || !obstacle.meets(&center, radius) {
                continue;
            }
            let what = obstacle.what;
            let number = self.pieces[index].obstacles[place];
            if self.any_sphere(index, |checker, point, radius| checker.obstacles[number].meets(point, radius)) {
                return Some(Hit { one: self.pieces[index].what, other: what });
            }
        }
        for place in 0..self.pieces[index].facing.len() {
            if let Some(obstacle) = self.meets_facing(index, place) {
                return Some(Hit { one: self.pieces[index].what, other: self.obstacles[obstacle].what });
            }
        }
        for number in 0..self.around.len() {
            let meets =
                |checker: &Checker, point: &[Lanes; 3], radius: f32| checker.around[number].meets(point, radius);
            if self.around[number].meets(&center, radius) && self.any_sphere(index, meets) {
                return Some(Hit { one: self.pieces[index].what, other: self.around[number].what });
            }
        }
        None
    }

    /// Whether something holds for any sphere of a piece.
    fn any_sphere(&mut self, piece: usize, meets: impl Fn(&Checker, &[Lanes; 3], f32) -> bool) -> bool {
        self.make_ready(piece);
        let mut spheres = self.pieces[piece].spheres.clone();
        spheres.any(|sphere| meets(self, &self.points[sphere], self.spheres[sphere].1 - self.leave))
    }

    /// Which of the solids on a body that moves a piece meets. Both may come nearer by a margin between two looks.
    fn meets_facing(&mut self, index: usize, place: usize) -> Option<usize> {
        let (piece, more) = (&self.pieces[index], self.margin as f32 - 2.0 * self.leave);
        let facing = &piece.facing[place];
        let (frame, reach) = (&self.frames[facing.body], piece.radius + more);
        let middle = frame.at(&facing.center);
        if !are_near(&self.centers[index], &middle, reach + facing.radius) {
            return None;
        }
        let center = frame.take_in(&self.centers[index]);
        let mut near = 0_u128;
        for (bit, obstacle) in facing.obstacles.iter().enumerate() {
            let obstacle = &self.obstacles[*obstacle];
            let is_near = obstacle.is_near(&center, reach) && obstacle.meets(&center, reach);
            near |= u128::from(is_near) << bit;
        }
        if near == 0 {
            return None;
        }
        self.make_ready(index);
        let piece = &self.pieces[index];
        let facing = &piece.facing[place];
        let frame = &self.frames[facing.body];
        for sphere in piece.spheres.clone() {
            let reach = self.spheres[sphere].1 + more;
            if !are_near(&self.points[sphere], &middle, reach + facing.radius) {
                continue;
            }
            let point = frame.take_in(&self.points[sphere]);
            for (bit, number) in facing.obstacles.iter().enumerate() {
                let obstacle = &self.obstacles[*number];
                if near >> bit & 1 == 1 && obstacle.is_near(&point, reach) && obstacle.meets(&point, reach) {
                    return Some(*number);
                }
            }
        }
        None
    }

    fn make_ready(&mut self, piece: usize) {
        if core::mem::replace(&mut self.is_ready[piece], true) {
            return;
        }
        let Piece { body, spheres, .. } = &self.pieces[piece];
        let frame = &self.frames[*body];
        for sphere in spheres.clone() {
            self.points[sphere] = frame.at(&self.spheres[sphere].0);
        }
    }
}

#[inline(always)]
fn are_near(one: &[Lanes; 3], other: &[Lanes; 3], reach: f32) -> bool {
    let away: [Lanes; 3] = core::array::from_fn(|axis| one[axis] - other[axis]);
    let squared = away[0] * away[0] + away[1] * away[1] + away[2] * away[2];
    squared.any_less(Lanes::all(reach * reach))
}
