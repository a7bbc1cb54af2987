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
    /// For each unknown its three rows of Q.
    falls: Vec<[Six; 3]>,
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
        self.falls.reserve(2 * groups);
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

    /// Takes up a group and its points, which are some of all and have [looked](Point::look) at its twist.
    pub fn take(&mut self, group: &Group, points: &[Point]) {
        let Answers { replies, rests, unknowns, sums, .. } = self;
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
    pub fn solve(&mut self, delassus: &Delassus, points: &[Point], change: &mut Vec<Six>) -> bool {
        let Answers { replies, rests, answered, unknowns, sums, falls, equations, solution } = self;
        let size = 3 * unknowns.len();
        delassus.multiply_by(rests, answered);
        falls.clear();
        falls.extend(unknowns.iter().map(|unknown| unknown.falls(replies, sums)));
        equations.begin(size);
        let mut first = 0;
        for together in unknowns.chunk_by(|one, two| one.group == two.group) {
            let columns = Columns::new(together, points);
            let mut rows = equations.rows();
            for (unknown, falls) in unknowns.iter().zip(&*falls) {
                let block = delassus.block(unknown.group, together[0].group);
                for (falls, row) in falls.iter().zip(&mut rows) {
                    columns.write(&product(falls, block), &mut row[first..]);
                }
            }
            first += 3 * together.len();
        }
        for (number, row) in equations.rows().enumerate() {
            row[number] += 1.0;
            row[size] = -dot(&falls[number / 3][number % 3], &answered[unknowns[number / 3].group]);
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

/// A row of a group's wrench times a square.
#[inline(always)]
fn product(row: &Six, square: &[Six; SIX]) -> Six {
    let mut product = [0.0; SIX];
    for place in 0..SIX {
        add_scaled(&mut product, row[place], &square[place]);
    }
    product
}

/// The columns of E of a group, row after row.
enum Columns {
    /// Of one point along its own axes.
    Three([[f64; 3]; SIX]),
    Six([Six; SIX]),
    /// All six of the group.
    All,
}

impl Columns {
    /// Of all unknowns of a group.
    fn new(together: &[Three], points: &[Point]) -> Columns {
        match together[0].source {
            Source::Sum(_) => Columns::All,
            Source::Point(point) => match *points[point].axes() {
                [a, b, c] => Columns::Three(core::array::from_fn(|row| [a[row], b[row], c[row]])),
                [a, b, c, d, e, f] => {
                    Columns::Six(core::array::from_fn(|row| [a[row], b[row], c[row], d[row], e[row], f[row]]))
                }
                _ => Columns::All,
            },
        }
    }

    /// Writes the products of a row over the group's wrench with them.
    #[inline(always)]
    fn write(&self, row: &Six, numbers: &mut [f64]) {
        match self {
            Columns::Three(columns) => numbers[..3].copy_from_slice(&along(row, columns)),
            Columns::Six(columns) => numbers[..SIX].copy_from_slice(&along(row, columns)),
            Columns::All => numbers[..SIX].copy_from_slice(row),
        }
    }
}

/// The products of a row with columns.
#[inline(always)]
fn along<const COUNT: usize>(row: &Six, columns: &[[f64; COUNT]; SIX]) -> [f64; COUNT] {
    let mut sums = columns[0].map(|column| row[0] * column);
    for place in 1..SIX {
        (0..COUNT).for_each(|column| sums[column] += row[place] * columns[place][column]);
    }
    sums
}

impl Three {
    /// Its rows of Q.
    fn falls(&self, replies: &[Reply], sums: &[[Six; SIX]]) -> [Six; 3] {
        let all = match self.source {
            Source::Point(point) => replies[point].falls(),
            Source::Sum(sum) => &sums[sum],
        };
        core::array::from_fn(|place| all[self.first + place])
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

/// Adds the product of three or six columns and as many rows to a matrix.
fn add_products(matrix: &mut [Six; SIX], columns: &[Six], rows: &[Six; SIX]) {
    match columns {
        [a, b, c] => add_product(matrix, &[*a, *b, *c], rows),
        _ => columns.first_chunk::<SIX>().into_iter().for_each(|columns| add_product(matrix, columns, rows)),
    }
}

fn add_product<const COUNT: usize>(matrix: &mut [Six; SIX], columns: &[Six; COUNT], rows: &[Six; SIX]) {
    for (place, sum) in matrix.iter_mut().enumerate() {
        let mut own = *sum;
        (0..COUNT).for_each(|number| add_scaled(&mut own, columns[number][place], &rows[number]));
        *sum = own;
    }
}
