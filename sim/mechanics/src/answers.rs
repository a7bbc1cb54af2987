//! The linear equations of a step of Newton's method over the wrenches between bodies.
//!
//! Each group's wrench answers as λ = c − E Q Δu: with all six rows (E = 1), or, where a single point presses, along its own axes. From Δu = W Δλ and
//! r = c − λ follows (1 + Q W E) x = −Q W r, and Δλ = r + E x.

use crate::blocks::{self, Block};
use crate::cone::{Point, Reply};
use crate::delassus::{Delassus, SIX, Six};
use crate::group::Group;

/// The groups' answers, with memory for solving.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// Of all points.
    replies: Vec<Option<Reply>>,
    /// r, six for each group.
    rests: Vec<f64>,
    unknowns: Vec<Three>,
    matrix: Vec<Block>,
    solution: Vec<[f64; 3]>,
    /// Working memory: a row of Q W.
    row: Vec<f64>,
}

/// Three rows of Q and columns of E, of a group.
#[derive(Clone, Copy, Debug)]
struct Three {
    group: usize,
    falls: [Six; 3],
    columns: Columns,
}

#[derive(Clone, Copy, Debug)]
enum Columns {
    /// Of the unit matrix, from this one on.
    Unit(usize),
    Wrenches([Six; 3]),
}

impl Answers {
    /// Makes room for so many groups.
    pub fn make_room(&mut self, groups: usize) {
        self.rests.reserve(SIX * groups);
        self.unknowns.reserve(2 * groups);
        self.matrix.reserve(4 * groups * groups);
        self.solution.reserve(2 * groups);
        self.row.reserve(SIX * groups);
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.replies.clear();
        self.rests.clear();
        self.unknowns.clear();
    }

    /// Takes up a group and its points.
    pub fn take(&mut self, group: &Group, points: &[Point]) {
        let (number, first) = (self.rests.len() / SIX, self.replies.len());
        let relative = group.relative.to_vector().into();
        let mut rest: Six = (group.held() - group.found).to_vector().into();
        self.replies.extend(points.iter().map(|point| point.reply(&relative)));
        let replies = points.iter().zip(&self.replies[first..]);
        let pressing = replies.filter_map(|(point, reply)| Some((point, reply.as_ref()?)));
        for (point, reply) in pressing.clone() {
            rest.iter_mut().zip(point.wrench(reply.rests())).for_each(|(rest, wrench)| *rest += wrench);
        }
        self.rests.extend_from_slice(&rest);
        match (pressing.clone().next(), pressing.clone().nth(1), group.hold) {
            (None, _, None) => {}
            (Some((point, reply)), None, None) => {
                for (axes, falls) in point.threes(reply) {
                    self.unknowns.push(Three { group: number, falls: *falls, columns: Columns::Wrenches(*axes) });
                }
            }
            _ => {
                let mut falls = group.hold.map_or([[0.0; SIX]; SIX], |hold| hold.resistance.transpose().into());
                for (axes, along) in pressing.flat_map(|(point, reply)| point.threes(reply)) {
                    add_products(&mut falls, axes, along);
                }
                let [a, b, c, d, e, f] = falls;
                for (place, falls) in [(0, [a, b, c]), (3, [d, e, f])] {
                    self.unknowns.push(Three { group: number, falls, columns: Columns::Unit(place) });
                }
            }
        }
    }

    /// The replies of all points, in their order.
    pub fn replies(&self) -> &[Option<Reply>] {
        &self.replies
    }

    /// Finds Δλ. False if there is none.
    pub fn solve(&mut self, delassus: &Delassus, change: &mut Vec<f64>) -> bool {
        let Answers { rests, unknowns, matrix, solution, row, .. } = self;
        let size = unknowns.len();
        matrix.clear();
        matrix.resize(size * size, Block::default());
        solution.clear();
        for (number, unknown) in unknowns.iter().enumerate() {
            let mut right = [0.0; 3];
            for (place, falls) in unknown.falls.iter().enumerate() {
                delassus.product(unknown.group, falls, row);
                right[place] = -row.iter().zip(rests.iter()).map(|(one, two)| one * two).sum::<f64>();
                for (block, other) in matrix[number * size..].iter_mut().zip(unknowns.iter()) {
                    block[place] = other.along(row);
                }
                matrix[number * size + number][place][place] += 1.0;
            }
            solution.push(right);
        }
        if !blocks::solve(matrix, solution) {
            return false;
        }
        change.clone_from(rests);
        for (unknown, x) in unknowns.iter().zip(solution) {
            unknown.add(x, change);
        }
        true
    }
}

impl Three {
    /// The products of a row over all groups' wrenches with its columns of E.
    fn along(&self, row: &[f64]) -> [f64; 3] {
        let row = &row[SIX * self.group..][..SIX];
        match &self.columns {
            Columns::Unit(place) => [row[*place], row[place + 1], row[place + 2]],
            Columns::Wrenches(wrenches) => {
                wrenches.map(|wrench| (0..SIX).map(|place| row[place] * wrench[place]).sum())
            }
        }
    }

    fn add(&self, x: &[f64; 3], wrenches: &mut [f64]) {
        let own = &mut wrenches[SIX * self.group..][..SIX];
        match &self.columns {
            Columns::Unit(place) => own[*place..].iter_mut().zip(x).for_each(|(value, x)| *value += x),
            Columns::Wrenches(columns) => {
                for (column, x) in columns.iter().zip(x) {
                    own.iter_mut().zip(column).for_each(|(value, wrench)| *value += x * wrench);
                }
            }
        }
    }
}

/// Adds the product of columns and rows to a matrix.
fn add_products(matrix: &mut [Six; SIX], columns: &[Six; 3], rows: &[Six; 3]) {
    for (place, sum) in matrix.iter_mut().enumerate() {
        for (column, row) in columns.iter().zip(rows) {
            (0..SIX).for_each(|other| sum[other] += column[place] * row[other]);
        }
    }
}
