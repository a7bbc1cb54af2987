//! The linear equations of a step of Newton's method over the wrenches between bodies.
//!
//! Each group's wrench answers as λ = c − F H Δu: with few columns F and rows H where few points press, or most of what presses slips, so that
//! it has little freedom to; else with all six rows (F = 1). From Δu = W Δλ and r = c − λ follows (1 + H W F) x = −H W r, and Δλ = r + F x.

use crate::cone::{Point, Reply};
use crate::delassus::{Delassus, SIX, Six, add, add_scaled, dot};
use crate::dense::Dense;
use crate::group::Group;

/// The groups' answers, with memory for solving.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// Of all points, by their numbers.
    replies: Vec<Reply>,
    /// For each group r, and W r.
    rests: Vec<Six>,
    answered: Vec<Six>,
    /// Group by group.
    unknowns: Vec<Unknown>,
    /// W F: for each group its twists by all unknowns.
    turned: Vec<Six>,
    equations: Dense,
    solution: Vec<f64>,
}

/// A column of F and its row of H, of a group.
#[derive(Clone, Copy, Debug)]
struct Unknown {
    group: usize,
    wrench: Six,
    /// Where the wrench has its only number that is not zero, a one, if it is such.
    unit: Option<usize>,
    falls: Six,
}

impl Answers {
    /// Makes room for so many groups.
    pub fn make_room(&mut self, groups: usize) {
        self.rests.reserve(groups);
        self.answered.reserve(groups);
        self.unknowns.reserve(SIX * groups);
        self.turned.reserve(SIX * groups * groups);
        self.equations.make_room(SIX * groups);
        self.solution.reserve(SIX * groups);
    }

    /// Begins anew, with so many points.
    pub fn begin(&mut self, points: usize) {
        self.replies.resize(points, Reply::default());
        self.rests.clear();
        self.unknowns.clear();
    }

    /// Takes up a group and its points, which are some of all and have [looked](Point::look) at its twist.
    pub fn take(&mut self, group: &Group, points: &[Point]) {
        let Answers { replies, rests, unknowns, .. } = self;
        let own = group.touches.clone();
        let number = rests.len();
        let mut rest: Six = (group.held() - group.found).to_vector().into();
        for (point, reply) in points[own.clone()].iter().zip(&mut replies[own.clone()]) {
            point.reply(reply);
            if reply.presses() {
                add(&mut rest, &point.wrench(reply.rests()));
            }
        }
        rests.push(rest);
        let answers = replies[own].iter().flat_map(Reply::answers);
        if group.hold.is_none() && answers.clone().count() <= SIX {
            unknowns.extend(answers.map(|answer| Unknown {
                group: number,
                wrench: answer.wrench,
                unit: None,
                falls: answer.falls,
            }));
            return;
        }
        let mut falls: [Six; SIX] = group.hold.map_or([[0.0; SIX]; SIX], |hold| hold.resistance.transpose().into());
        for answer in answers {
            (0..SIX).for_each(|row| add_scaled(&mut falls[row], answer.wrench[row], &answer.falls));
        }
        unknowns.extend(falls.into_iter().enumerate().map(|(row, falls)| {
            let mut wrench = [0.0; SIX];
            wrench[row] = 1.0;
            Unknown { group: number, wrench, unit: Some(row), falls }
        }));
    }

    /// The replies of all points.
    pub fn replies(&self) -> &[Reply] {
        &self.replies
    }

    /// Finds Δλ of each group. False if there is none.
    pub fn solve(&mut self, delassus: &Delassus, change: &mut Vec<Six>) -> bool {
        let Answers { rests, answered, unknowns, turned, equations, solution, .. } = self;
        let size = unknowns.len();
        delassus.multiply_by(rests, answered);
        turned.clear();
        for group in 0..rests.len() {
            turned.extend(unknowns.iter().map(|unknown| match unknown.unit {
                Some(row) => *delassus.turned_by_unit(group, unknown.group, row),
                None => delassus.turned(group, unknown.group, &unknown.wrench),
            }));
        }
        equations.begin(size);
        for (number, (row, Unknown { group, falls, .. })) in equations.rows().zip(&*unknowns).enumerate() {
            for (value, turned) in row.iter_mut().zip(&turned[group * size..(group + 1) * size]) {
                *value = product(falls, turned);
            }
            row[number] += 1.0;
            row[size] = -dot(falls, &answered[*group]);
        }
        if !equations.solve(solution) {
            return false;
        }
        change.clone_from(rests);
        for (Unknown { group, wrench, .. }, x) in unknowns.iter().zip(solution) {
            add_scaled(&mut change[*group], *x, wrench);
        }
        true
    }
}

/// The product of two in an order in which they go by pairs.
#[inline(always)]
fn product(one: &Six, two: &Six) -> f64 {
    let [p, q] = [0, 1].map(|k| one[k] * two[k] + one[k + 2] * two[k + 2] + one[k + 4] * two[k + 4]);
    p + q
}
