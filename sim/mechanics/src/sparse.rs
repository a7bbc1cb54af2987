//! Symmetric matrices over the dofs, most of whose entries are zero, and their factors.
//!
//! A joint feels only the joints above it, so the mass matrix of a tree has entries between a dof and its ancestors, and eliminating
//! from the leaves to the root makes no others: LᵀDL in place of LDLᵀ (Featherstone 2008, section 6.5). Contacts between branches or
//! trees couple dofs that are no ancestors of each other. Then the same elimination fills in further entries, which
//! [`Pattern::new`] finds once for as long as the same bodies touch.

use core::ops::Range;

/// How many dofs a free body has.
const BASE: usize = 6;

/// Where a row stands.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Row {
    start: usize,
    diagonal: usize,
    /// The first of six neighbouring rows that couple with nothing before them and whose columns this row begins with: a free body below the row's
    /// joint, as almost all rows have.
    base: Option<usize>,
}

/// Which entries there are: for each row the columns up to the diagonal.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pattern {
    /// Row `i` has the places `starts[i]..starts[i + 1]`, the last of which is its diagonal.
    starts: Vec<usize>,
    columns: Vec<usize>,
    rows: Vec<Row>,
    /// For each entry (k, i): what eliminating row `k` changes in row `i`.
    targets: Vec<Target>,
}

/// A part of a row.
#[derive(Clone, Debug, PartialEq)]
struct Target {
    /// Where the row stands.
    start: usize,
    /// Where in the row the part's columns are. `None` if they are its first ones and in the same order, as always in a tree.
    places: Option<Box<[usize]>>,
}

impl Pattern {
    /// The pattern in which dofs are coupled that stand together in one of `groups`, each ascending, with room for what elimination fills in.
    pub fn new<'a>(dofs: usize, groups: impl Iterator<Item = &'a [usize]>) -> Pattern {
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); dofs];
        for group in groups {
            for (place, dof) in group.iter().enumerate() {
                merge(&mut rows[*dof], &group[..place]);
            }
        }
        for dof in (1..dofs).rev() {
            let row = core::mem::take(&mut rows[dof]);
            if let Some((last, others)) = row.split_last() {
                merge(&mut rows[*last], others);
            }
            rows[dof] = row;
        }
        let mut pattern = Pattern { starts: vec![0], ..Pattern::default() };
        for (dof, row) in rows.iter().enumerate() {
            for (place, column) in row.iter().enumerate() {
                let start = pattern.starts[*column];
                pattern.targets.push(Target { start, places: places(&row[..=place], &rows[*column]) });
            }
            pattern.targets.push(Target { start: pattern.columns.len(), places: None });
            pattern.columns.extend_from_slice(row);
            pattern.columns.push(dof);
            pattern.starts.push(pattern.columns.len());
        }
        let row = |row: usize| Row {
            start: pattern.starts[row],
            diagonal: pattern.starts[row + 1] - 1,
            base: pattern.base(row),
        };
        pattern.rows = (0..dofs).map(row).collect();
        pattern
    }

    fn base(&self, row: usize) -> Option<usize> {
        let (_, left) = self.columns(row).split_last()?;
        let first = *left.first()?;
        let stands =
            |place: usize| left.get(place) == Some(&(first + place)) && self.columns(first + place).len() == place + 1;
        (0..BASE).all(stands).then_some(first)
    }

    /// How many rows there are.
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// The columns of a row, ascending; the last is the row itself.
    pub fn columns(&self, row: usize) -> &[usize] {
        &self.columns[self.starts[row]..self.starts[row + 1]]
    }

    fn range(&self, row: usize) -> Range<usize> {
        self.starts[row]..self.starts[row + 1]
    }
}

/// The numbers of a matrix that has some pattern.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sparse {
    values: Vec<f64>,
}

impl Sparse {
    /// Room for a pattern.
    pub fn resize(&mut self, pattern: &Pattern) {
        self.values.resize(pattern.columns.len(), 0.0);
    }

    /// Takes the numbers of another matrix in some rows, which has some of the entries.
    pub fn widen_rows(&mut self, pattern: &Pattern, rows: &[usize], other: &Sparse, narrow: &Pattern) {
        self.values.resize(pattern.columns.len(), 0.0);
        for row in rows {
            let values = &mut self.values[pattern.range(*row)];
            let mut entries = other.values[narrow.range(*row)].iter().zip(narrow.columns(*row)).peekable();
            for (value, column) in values.iter_mut().zip(pattern.columns(*row)) {
                *value = entries.next_if(|(_, narrow)| *narrow == column).map_or(0.0, |(value, _)| *value);
            }
        }
    }

    /// Takes another matrix's numbers in some rows.
    pub fn copy_rows(&mut self, pattern: &Pattern, rows: &[usize], other: &Sparse) {
        self.values.resize(other.values.len(), 0.0);
        for together in rows.chunk_by(|row, next| row + 1 == *next) {
            let range = pattern.starts[together[0]]..pattern.starts[together[together.len() - 1] + 1];
            self.values[range.clone()].copy_from_slice(&other.values[range]);
        }
    }

    /// A row's numbers, in the order of its columns.
    pub fn row_mut(&mut self, pattern: &Pattern, row: usize) -> &mut [f64] {
        &mut self.values[pattern.range(row)]
    }

    /// A row's numbers left of the diagonal, with their columns.
    pub fn left<'a>(&'a self, pattern: &'a Pattern, row: usize) -> impl Iterator<Item = (&'a f64, &'a usize)> {
        let range = pattern.starts[row]..pattern.starts[row + 1] - 1;
        self.values[range.clone()].iter().zip(&pattern.columns[range])
    }

    /// An entry of the diagonal.
    pub fn diagonal(&self, pattern: &Pattern, row: usize) -> f64 {
        self.values[pattern.starts[row + 1] - 1]
    }

    /// The quadratic form of a vector.
    pub fn quadratic(&self, pattern: &Pattern, x: &[f64]) -> f64 {
        let row = |row: usize| {
            let entries = self.values[pattern.range(row)].iter().zip(pattern.columns(row));
            let left: f64 =
                entries.take_while(|(_, column)| **column != row).map(|(value, column)| value * x[*column]).sum();
            x[row] * (2.0 * left + self.diagonal(pattern, row) * x[row])
        };
        (0..pattern.size()).map(row).sum()
    }

    /// The product with a vector.
    #[cfg(test)]
    pub fn multiply(&self, pattern: &Pattern, x: &[f64], product: &mut [f64]) {
        product.fill(0.0);
        for row in 0..pattern.size() {
            for (value, column) in self.values[pattern.range(row)].iter().zip(pattern.columns(row)) {
                product[row] += value * x[*column];
                if *column != row {
                    product[*column] += value * x[row];
                }
            }
        }
    }

    /// Replaces a positive definite matrix by its factors: D on the diagonal, L below it, so that it was LᵀDL. Only in `rows`, ascending, which
    /// no other row couples.
    pub fn factor(&mut self, pattern: &Pattern, rows: &[usize]) {
        for row in rows.iter().rev().copied() {
            let start = pattern.starts[row];
            let (before, own) = self.values.split_at_mut(start);
            let Some((diagonal, own)) = own[..pattern.starts[row + 1] - start].split_last_mut() else { continue };
            let inverse = 1.0 / *diagonal;
            let base = pattern.rows[row].base;
            let first = if base.is_some() { BASE } else { 0 };
            let targets = &pattern.targets[start..start + own.len()];
            for place in (first..own.len()).rev() {
                let entry = own[place] * inverse;
                let Target { start, places } = &targets[place];
                match places {
                    None => add(&mut before[*start..=start + place], -entry, &own[..=place]),
                    Some(places) => {
                        for (at, own) in places.iter().zip(&own[..=place]) {
                            before[start + at] -= entry * own;
                        }
                    }
                }
                own[place] = entry;
            }
            if let (Some(base), Some(own)) = (base, own.first_chunk_mut()) {
                subtract_square(&mut before[pattern.starts[base]..], inverse, own);
            }
        }
    }

    /// Solves with the factors, in place, in `rows`.
    pub fn solve(&self, pattern: &Pattern, rows: &[usize], x: &mut [f64]) {
        self.eliminate(pattern, rows, x);
        self.substitute(pattern, rows, x);
    }

    /// The first half: takes what the factored `rows` are of the right side out of the rows before them.
    pub fn eliminate(&self, pattern: &Pattern, rows: &[usize], x: &mut [f64]) {
        for row in rows.iter().rev().copied() {
            let known = x[row];
            let Parts { base, values, columns, .. } = self.parts(pattern, row);
            if let Some((values, x)) = base.and_then(|(first, values)| Some((values, x[first..].first_chunk_mut()?))) {
                add_six(x, -known, values);
            }
            for (value, column) in values.iter().zip(columns) {
                x[*column] -= known * value;
            }
        }
    }

    /// The second half: finds the factored `rows` when those before them are known.
    pub fn substitute(&self, pattern: &Pattern, rows: &[usize], x: &mut [f64]) {
        for row in rows.iter().copied() {
            let Parts { base, values, columns, diagonal } = self.parts(pattern, row);
            let known = base.and_then(|(first, values)| Some(dot_six(values, x[first..].first_chunk()?)));
            let mut sum = known.unwrap_or(0.0);
            for (value, column) in values.iter().zip(columns) {
                sum += value * x[*column];
            }
            x[row] = x[row] / diagonal - sum;
        }
    }

    #[inline(always)]
    fn parts<'a>(&'a self, pattern: &'a Pattern, row: usize) -> Parts<'a> {
        let Row { start, diagonal, base } = pattern.rows[row];
        let own = &self.values[start..=diagonal];
        let (values, columns) = (&own[..diagonal - start], &pattern.columns[start..diagonal]);
        match (base, values.split_first_chunk()) {
            (Some(first), Some((base, values))) => {
                Parts { base: Some((first, base)), values, columns: &columns[BASE..], diagonal: own[diagonal - start] }
            }
            _ => Parts { base: None, values, columns, diagonal: own[diagonal - start] },
        }
    }
}

/// A row's numbers left of the diagonal.
struct Parts<'a> {
    /// Those of a free body, with the first of its rows.
    base: Option<(usize, &'a [f64; BASE])>,
    /// The others, with their columns.
    values: &'a [f64],
    columns: &'a [usize],
    diagonal: f64,
}

/// Takes the square of `own` times `factor` from a triangle, row after row, and multiplies `own` by it.
fn subtract_square(triangle: &mut [f64], factor: f64, own: &mut [f64; BASE]) {
    let Some(triangle) = triangle.first_chunk_mut::<{ BASE * (BASE + 1) / 2 }>() else { return };
    let scaled = own.map(|own| own * factor);
    let mut at = 0;
    for (row, scaled) in scaled.iter().enumerate() {
        for own in &own[..=row] {
            triangle[at] -= scaled * own;
            at += 1;
        }
    }
    *own = scaled;
}

/// a += factor · b. Nearly all rows begin with six entries of a free body, so six at once; what is left are few, which are added in one piece: a
/// loop over them would cost more than what it does.
fn add(a: &mut [f64], factor: f64, b: &[f64]) {
    let (a, a_rest) = a.split_at_mut(if a.len() < BASE { 0 } else { BASE });
    let (b, b_rest) = b.split_at(a.len().min(b.len()));
    if let (Some(a), Some(b)) = (a.first_chunk_mut(), b.first_chunk()) {
        add_six(a, factor, b);
    }
    match a_rest.len() {
        0 => {}
        1 => add_few::<1>(a_rest, factor, b_rest),
        2 => add_few::<2>(a_rest, factor, b_rest),
        3 => add_few::<3>(a_rest, factor, b_rest),
        4 => add_few::<4>(a_rest, factor, b_rest),
        5 => add_few::<5>(a_rest, factor, b_rest),
        6 => add_few::<6>(a_rest, factor, b_rest),
        7 => add_few::<7>(a_rest, factor, b_rest),
        8 => add_few::<8>(a_rest, factor, b_rest),
        9 => add_few::<9>(a_rest, factor, b_rest),
        _ => a_rest.iter_mut().zip(b_rest).for_each(|(a, b)| *a += factor * b),
    }
}

#[inline(always)]
fn add_few<const COUNT: usize>(a: &mut [f64], factor: f64, b: &[f64]) {
    if let (Some(a), Some(b)) = (a.first_chunk_mut::<COUNT>(), b.first_chunk::<COUNT>()) {
        for k in 0..COUNT {
            a[k] += factor * b[k];
        }
    }
}

fn add_six(a: &mut [f64; BASE], factor: f64, b: &[f64; BASE]) {
    for k in 0..BASE {
        a[k] += factor * b[k];
    }
}

fn dot_six(a: &[f64; BASE], b: &[f64; BASE]) -> f64 {
    let [p, q] = [0, 1].map(|k| a[k] * b[k] + a[k + 2] * b[k + 2] + a[k + 4] * b[k + 4]);
    p + q
}

/// Adds to an ascending list what it does not have of another.
fn merge(list: &mut Vec<usize>, other: &[usize]) {
    for item in other {
        if let Err(place) = list.binary_search(item) {
            list.insert(place, *item);
        }
    }
}

/// Where `columns`, the last of which is the row `below` itself, stand in that row.
fn places(columns: &[usize], below: &[usize]) -> Option<Box<[usize]>> {
    let before = &columns[..columns.len() - 1];
    if before == below {
        return None;
    }
    let place = |column: &usize| below.binary_search(column).unwrap_or(below.len());
    Some(columns.iter().map(place).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, DVector};
    use proptest::prelude::*;

    fn dense(pattern: &Pattern, matrix: &mut Sparse) -> DMatrix<f64> {
        let mut full = DMatrix::zeros(pattern.size(), pattern.size());
        for row in 0..pattern.size() {
            for (column, value) in pattern.columns(row).iter().zip(matrix.row_mut(pattern, row).iter()) {
                full[(row, *column)] = *value;
                full[(*column, row)] = *value;
            }
        }
        full
    }

    proptest! {
        #[test]
        fn it_solves_as_a_dense_matrix_does(
            groups in proptest::collection::vec(proptest::collection::btree_set(0_usize..12, 1..5), 1..8),
            seed in proptest::collection::vec(-1.0_f64..1.0, 200),
        ) {
            let groups: Vec<Vec<usize>> = groups.into_iter().map(|group| group.into_iter().collect()).collect();
            let pattern = Pattern::new(12, groups.iter().map(Vec::as_slice));
            let mut numbers = seed.iter().cycle();
            let mut matrix = Sparse::default();
            matrix.resize(&pattern);
            // only the entries that were asked for, and a diagonal that makes it positive definite
            for group in &groups {
                for (place, row) in group.iter().enumerate() {
                    for column in &group[..place] {
                        let at = pattern.columns(*row).binary_search(column).unwrap();
                        matrix.row_mut(&pattern, *row)[at] = *numbers.next().unwrap();
                    }
                }
            }
            for row in 0..12 {
                *matrix.row_mut(&pattern, row).last_mut().unwrap() = 12.0;
            }
            let full = dense(&pattern, &mut matrix);
            let wanted: Vec<f64> = seed[..12].to_vec();
            let mut product = vec![0.0; 12];
            matrix.multiply(&pattern, &wanted, &mut product);
            prop_assert!((&full * DVector::from_column_slice(&wanted) - DVector::from_column_slice(&product)).norm() < 1e-12);
            let rows: Vec<usize> = (0..12).collect();
            matrix.factor(&pattern, &rows);
            matrix.solve(&pattern, &rows, &mut product);
            for (found, wanted) in product.iter().zip(&wanted) {
                prop_assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
            }
        }
    }
}
