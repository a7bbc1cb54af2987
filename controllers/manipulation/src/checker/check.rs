//! Eight configurations against everything.

use core::ops::Range;

use super::hit::{Hit, Touching};
use super::obstacle::{Around, Obstacle};
use crate::error::{ManipulationError, check_numbers};
use crate::lanes::{Fixed, Frame, Lanes, Point};

/// Looks whether configurations of some joints are free of collisions, eight at once, and whether the ways between them are.
///
/// Free means that all spheres of what moves are at least the margin away from everything that they have to be kept apart
/// from, and two margins from each other. Nothing is allocated.
#[derive(Clone, Debug)]
pub struct Checker {
    pub(super) joints: Vec<usize>,
    pub(super) limits: Vec<[f64; 2]>,
    pub(super) margin: f64,
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
    /// What it may meet that does not move, and pieces before it.
    pub obstacles: Vec<usize>,
    pub others: Vec<usize>,
    /// How far its points move at most per radian or metre of each joint.
    pub ways: Vec<f64>,
}

impl Checker {
    /// The joints that move, as indices in the tree.
    pub fn joints(&self) -> &[usize] {
        &self.joints
    }

    /// The lowest and the highest position of each [rad or m]; where it has no limits, half a turn each way.
    pub fn limits(&self) -> &[[f64; 2]] {
        &self.limits
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
        let (center, radius) = (self.centers[index], piece.radius);
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
        for place in 0..self.pieces[index].others.len() {
            let other = self.pieces[index].others[place];
            if self.pieces_meet(index, other) {
                return Some(Hit { one: self.pieces[index].what, other: self.pieces[other].what });
            }
        }
        for number in 0..self.around.len() {
            let meets = |checker: &Checker, point: &[Lanes; 3], radius: f32| checker.around[number].meets(point, radius);
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
        spheres.any(|sphere| meets(self, &self.points[sphere], self.spheres[sphere].1))
    }

    fn pieces_meet(&mut self, one: usize, other: usize) -> bool {
        let (first, second) = (&self.pieces[one], &self.pieces[other]);
        let (center, radius) = (self.centers[other], second.radius);
        if !are_near(&self.centers[one], &center, first.radius + radius) {
            return false;
        }
        self.make_ready(one);
        self.make_ready(other);
        let others = self.pieces[other].spheres.clone();
        for sphere in self.pieces[one].spheres.clone() {
            let (point, own) = (&self.points[sphere], self.spheres[sphere].1);
            if !are_near(point, &center, own + radius) {
                continue;
            }
            if others.clone().any(|other| are_near(point, &self.points[other], own + self.spheres[other].1)) {
                return true;
            }
        }
        false
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
