//! The linear equations of a step of Newton's method over the wrenches between bodies.
//!
//! Each group's wrench answers as λ = c − E Q Δu: with all six rows (E = 1), or, where a single point presses, along its own axes. From Δu = W Δλ and
//! r = c − λ follows (1 + Q W E) x = −Q W r, and Δλ = r + E x.

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
    unknowns: Vec<Three>,
    /// Q of groups in which more than a point presses.
    sums: Vec<[Six; SIX]>,
    equations: Dense,
    solution: Vec<f64>,
}

/// Three rows of Q and columns of E, of a group.
#[derive(Clone, Copy, Debug)]
struct Three {
    group: usize,
    source: Source,
    /// The first of the three.
    first: usize,
}

/// Whose rows and columns they are.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// A point's along its own axes.
    Point(usize),
    /// A group's along all six.
    Sum(usize),
}

impl Answers {
    /// Makes room for so many groups.
    pub fn make_room(&mut self, groups: usize) {
        self.rests.reserve(groups);
        self.answered.reserve(groups);
        self.unknowns.reserve(2 * groups);
        self.sums.reserve(groups);
        self.equations.make_room(SIX * groups);
        self.solution.reserve(SIX * groups);
    }

    /// Begins anew, with so many points.
    pub fn begin(&mut self, points: usize) {
        self.replies.resize(points, Reply::default());
        self.rests.clear();
        self.unknowns.clear();
        self.sums.clear();
    }

    /// Takes up a group and its points, which are some of all.
    #[inline(never)]
    pub fn take(&mut self, group: &Group, points: &[Point]) {
        let Answers { replies, rests, unknowns, sums, .. } = self;
        let own = group.touches.clone();
        let (number, relative) = (rests.len(), group.relative.to_vector().into());
        let mut rest: Six = (group.held() - group.found).to_vector().into();
        for (point, reply) in points[own.clone()].iter().zip(&mut replies[own.clone()]) {
            point.reply(&relative, reply);
            if reply.presses() {
                add(&mut rest, &point.wrench(reply.rests()));
            }
        }
        rests.push(rest);
        let pressing = own.filter(|point| replies[*point].presses());
        let (source, size) = match (pressing.clone().next(), pressing.clone().nth(1), group.hold) {
            (None, _, None) => return,
            (Some(point), None, None) => (Source::Point(point), points[point].axes().len()),
            _ => {
                let mut falls = group.hold.map_or([[0.0; SIX]; SIX], |hold| hold.resistance.transpose().into());
                pressing.for_each(|point| add_products(&mut falls, points[point].axes(), replies[point].falls()));
                sums.push(falls);
                (Source::Sum(sums.len() - 1), SIX)
            }
        };
        unknowns.extend((0..size).step_by(3).map(|first| Three { group: number, source, first }));
    }

    /// The replies of all points.
    pub fn replies(&self) -> &[Reply] {
        &self.replies
    }

    /// Finds Δλ of each group. False if there is none.
    #[inline(never)]
    pub fn solve(&mut self, delassus: &Delassus, points: &[Point], change: &mut Vec<Six>) -> bool {
        let Answers { replies, rests, answered, unknowns, sums, equations, solution } = self;
        let size = 3 * unknowns.len();
        delassus.multiply_by(rests, answered);
        equations.begin(size);
        for (number, row) in equations.rows().enumerate() {
            let unknown = &unknowns[number / 3];
            let falls = unknown.falls(number % 3, replies, sums);
            write(unknown.group, falls, (unknowns, points), delassus, &mut row[..size]);
            row[number] += 1.0;
            row[size] = -dot(falls, &answered[unknown.group]);
        }
        if !equations.solve(solution) {
            return false;
        }
        change.clone_from(rests);
        for (unknown, x) in unknowns.iter().zip(solution.chunks_exact(3)) {
            unknown.add(x, points, &mut change[unknown.group]);
        }
        true
    }
}

/// Writes a row of Q W E, of the row of Q that falls in a group.
#[inline(never)]
fn write(group: usize, falls: &Six, (unknowns, points): (&[Three], &[Point]), delassus: &Delassus, row: &mut [f64]) {
    let mut numbers = row.chunks_exact_mut(3);
    for together in unknowns.chunk_by(|one, two| one.group == two.group) {
        let block = delassus.block(group, together[0].group);
        let mut across = [0.0; SIX];
        falls.iter().zip(block).for_each(|(fall, row)| add_scaled(&mut across, *fall, row));
        for (other, numbers) in together.iter().zip(&mut numbers) {
            numbers.copy_from_slice(&other.along(&across, points));
        }
    }
}

impl Three {
    /// One of its rows of Q.
    fn falls<'a>(&self, place: usize, replies: &'a [Reply], sums: &'a [[Six; SIX]]) -> &'a Six {
        match self.source {
            Source::Point(point) => &replies[point].falls()[self.first + place],
            Source::Sum(sum) => &sums[sum][self.first + place],
        }
    }

    /// The products of a row over a group's wrench with its columns of E.
    fn along(&self, row: &Six, points: &[Point]) -> [f64; 3] {
        match self.source {
            Source::Point(point) => {
                let columns = &points[point].axes()[self.first..];
                core::array::from_fn(|place| dot(row, &columns[place]))
            }
            Source::Sum(_) => core::array::from_fn(|place| row[self.first + place]),
        }
    }

    /// Adds its columns of E, so often, to its group's wrench.
    fn add(&self, x: &[f64], points: &[Point], wrench: &mut Six) {
        match self.source {
            Source::Point(point) => {
                let columns = &points[point].axes()[self.first..];
                columns.iter().zip(x).for_each(|(column, x)| add_scaled(wrench, *x, column));
            }
            Source::Sum(_) => wrench[self.first..].iter_mut().zip(x).for_each(|(value, x)| *value += x),
        }
    }
}

/// Adds the product of columns and rows to a matrix.
#[inline(never)]
fn add_products(matrix: &mut [Six; SIX], columns: &[Six], rows: &[Six; SIX]) {
    for (columns, rows) in columns.chunks_exact(3).zip(rows.chunks_exact(3)) {
        for (place, sum) in matrix.iter_mut().enumerate() {
            for (column, row) in columns.iter().zip(rows) {
                add_scaled(sum, column[place], row);
            }
        }
    }
}
