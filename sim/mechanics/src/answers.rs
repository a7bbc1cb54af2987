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
    /// Of all points.
    replies: Vec<Option<Reply>>,
    /// For each group r, and W r.
    rests: Vec<Six>,
    answered: Vec<Six>,
    unknowns: Vec<Three>,
    equations: Dense,
    solution: Vec<f64>,
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
        self.rests.reserve(groups);
        self.answered.reserve(groups);
        self.unknowns.reserve(2 * groups);
        self.equations.make_room(SIX * groups);
        self.solution.reserve(SIX * groups);
    }

    /// Begins anew.
    pub fn clear(&mut self) {
        self.replies.clear();
        self.rests.clear();
        self.unknowns.clear();
    }

    /// Takes up a group and its points.
    pub fn take(&mut self, group: &Group, points: &[Point]) {
        let (number, first) = (self.rests.len(), self.replies.len());
        let relative = group.relative.to_vector().into();
        let mut rest: Six = (group.held() - group.found).to_vector().into();
        self.replies.extend(points.iter().map(|point| point.reply(&relative)));
        let replies = points.iter().zip(&self.replies[first..]);
        let pressing = replies.filter_map(|(point, reply)| Some((point, reply.as_ref()?)));
        for (point, reply) in pressing.clone() {
            add(&mut rest, &point.wrench(reply.rests()));
        }
        self.rests.push(rest);
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

    /// Finds Δλ of each group. False if there is none.
    pub fn solve(&mut self, delassus: &Delassus, change: &mut Vec<Six>) -> bool {
        let Answers { rests, answered, unknowns, equations, solution, .. } = self;
        let size = 3 * unknowns.len();
        delassus.multiply_by(rests, answered);
        equations.begin(size);
        let places = (0..size).map(|number| (number, &unknowns[number / 3], number % 3));
        for (row, (number, unknown, place)) in equations.rows().zip(places) {
            unknown.write(place, unknowns, delassus, &mut row[..size]);
            row[number] += 1.0;
            row[size] = -dot(&unknown.falls[place], &answered[unknown.group]);
        }
        if !equations.solve(solution) {
            return false;
        }
        change.clone_from(rests);
        for (unknown, x) in unknowns.iter().zip(solution.chunks_exact(3)) {
            unknown.add(x, change);
        }
        true
    }
}

impl Three {
    /// Writes one of its rows of Q W E.
    fn write(&self, place: usize, unknowns: &[Three], delassus: &Delassus, row: &mut [f64]) {
        let mut numbers = row.chunks_exact_mut(3);
        for together in unknowns.chunk_by(|one, two| one.group == two.group) {
            let block = delassus.block(self.group, together[0].group);
            let mut across = [0.0; SIX];
            self.falls[place].iter().zip(block).for_each(|(fall, row)| add_scaled(&mut across, *fall, row));
            for (other, numbers) in together.iter().zip(&mut numbers) {
                numbers.copy_from_slice(&other.along(&across));
            }
        }
    }

    /// The products of a row over a group's wrench with its columns of E.
    fn along(&self, row: &Six) -> [f64; 3] {
        match &self.columns {
            Columns::Unit(place) => [row[*place], row[place + 1], row[place + 2]],
            Columns::Wrenches(wrenches) => wrenches.map(|wrench| dot(row, &wrench)),
        }
    }

    fn add(&self, x: &[f64], wrenches: &mut [Six]) {
        let own = &mut wrenches[self.group];
        match &self.columns {
            Columns::Unit(place) => own[*place..].iter_mut().zip(x).for_each(|(value, x)| *value += x),
            Columns::Wrenches(columns) => columns.iter().zip(x).for_each(|(column, x)| add_scaled(own, *x, column)),
        }
    }
}

/// Adds the product of columns and rows to a matrix.
fn add_products(matrix: &mut [Six; SIX], columns: &[Six; 3], rows: &[Six; 3]) {
    for (place, sum) in matrix.iter_mut().enumerate() {
        for (column, row) in columns.iter().zip(rows) {
            add_scaled(sum, column[place], row);
        }
    }
}
