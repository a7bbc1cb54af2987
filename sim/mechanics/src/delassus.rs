//! How wrenches between bodies move them against each other through all that hangs on them: Delassus' matrix.
//!
//! With A = LᵀDL and J the relative twists of the bodies for the velocities of the dofs, W = J A⁻¹ Jᵀ = Yᵀ D⁻¹ Y with Y = L⁻ᵀ Jᵀ. A
//! column of Y has entries only on the way from a body to the root, so that a few bodies that touch cost little, however many there are.

use core::ops::Range;

use robot_model::Twist;

use crate::active::ActiveSet;
use crate::sparse::{Pattern, Sparse};

/// What a group adds: its relative twist.
pub(crate) const SIX: usize = 6;

/// A relative twist, or a wrench, linear part first.
pub(crate) type Six = [f64; SIX];

/// The matrix of some groups, with memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delassus {
    /// The groups, by their numbers.
    groups: Vec<usize>,
    /// Row after row.
    matrix: Vec<f64>,
    size: usize,
    /// The dofs at which the columns of Y of each group have entries, ascending, and where those of the group end.
    dofs: Vec<usize>,
    ends: Vec<usize>,
    /// The entries.
    entries: Vec<Six>,
    /// Working memory: for each dof a row of a group's columns, and whether it is in use.
    rows: Vec<Six>,
    reached: Vec<bool>,
}

impl Delassus {
    /// Room for so many groups of bodies that are moved by up to so many dofs.
    pub fn with_room(groups: usize, dofs: usize) -> Delassus {
        Delassus {
            groups: Vec::with_capacity(groups),
            matrix: Vec::with_capacity(SIX * groups * SIX * groups),
            size: 0,
            dofs: Vec::with_capacity(groups * dofs),
            ends: Vec::with_capacity(groups),
            entries: Vec::with_capacity(groups * dofs),
            rows: vec![[0.0; SIX]; dofs],
            reached: vec![false; dofs],
        }
    }

    /// Of those of some groups that take part, where `factor` has L and D.
    pub fn find(&mut self, active: &ActiveSet, groups: Range<usize>, pattern: &Pattern, factor: &Sparse) {
        self.groups.clear();
        self.dofs.clear();
        self.ends.clear();
        self.entries.clear();
        for number in groups.filter(|number| active.groups[*number].takes_part) {
            self.groups.push(number);
            self.add(&active.columns[active.groups[number].columns.clone()], pattern, factor);
        }
        self.multiply(pattern, factor);
    }

    /// The groups.
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// The quadratic form of a wrench in a group, which is the `place`th of them: how fast it moves the bodies along itself.
    pub fn quadratic(&self, place: usize, wrench: &Six) -> f64 {
        let own = SIX * place..SIX * (place + 1);
        let along = |row: &[f64]| row.iter().zip(wrench).map(|(value, two)| value * two).sum::<f64>();
        own.clone().zip(wrench).map(|(row, one)| one * along(&self.row(row)[own.clone()])).sum()
    }

    /// The product of a row of six, which stand at a group's place, with the matrix.
    pub fn product(&self, place: usize, six: &Six, product: &mut Vec<f64>) {
        product.clear();
        product.resize(self.size, 0.0);
        let [a, b, c, d, e, f] = [0, 1, 2, 3, 4, 5].map(|row| self.row(SIX * place + row));
        for (column, value) in product.iter_mut().enumerate() {
            *value = six[0] * a[column] + six[1] * b[column] + six[2] * c[column];
            *value += six[3] * d[column] + six[4] * e[column] + six[5] * f[column];
        }
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f64] {
        &self.matrix[row * self.size..(row + 1) * self.size]
    }

    /// Adds the product with a vector.
    pub fn add_product(&self, vector: &[f64], product: &mut [f64]) {
        for (row, product) in product.iter_mut().enumerate() {
            *product += self.row(row).iter().zip(vector).map(|(one, two)| one * two).sum::<f64>();
        }
    }

    /// Adds Y times the groups' wrenches, of the dofs.
    pub fn add_eliminated(&self, wrenches: &[f64], sums: &mut [f64]) {
        let mut start = 0;
        for (wrench, end) in wrenches.chunks_exact(SIX).zip(&self.ends) {
            for (dof, entries) in self.dofs[start..*end].iter().zip(&self.entries[start..*end]) {
                sums[*dof] += entries.iter().zip(wrench).map(|(entry, wrench)| entry * wrench).sum::<f64>();
            }
            start = *end;
        }
    }

    /// The columns of Y of a group.
    fn add(&mut self, columns: &[(usize, Twist)], pattern: &Pattern, factor: &Sparse) {
        let Delassus { dofs, ends, entries, rows, reached, .. } = self;
        let first = dofs.len();
        for (dof, axis) in columns {
            rows[*dof] = axis.to_vector().into();
            reach(*dof, pattern, reached, dofs);
        }
        dofs[first..].sort_unstable();
        for dof in dofs[first..].iter().rev() {
            let known = rows[*dof];
            for (value, column) in factor.left(pattern, *dof) {
                let row = &mut rows[*column];
                (0..SIX).for_each(|k| row[k] -= value * known[k]);
            }
        }
        for dof in &dofs[first..] {
            entries.push(core::mem::take(&mut rows[*dof]));
            reached[*dof] = false;
        }
        ends.push(dofs.len());
    }

    fn multiply(&mut self, pattern: &Pattern, factor: &Sparse) {
        let groups = self.groups.len();
        self.size = SIX * groups;
        self.matrix.clear();
        self.matrix.resize(self.size * self.size, 0.0);
        for one in 0..groups {
            for two in 0..=one {
                let block = self.block(one, two, pattern, factor);
                for (row, values) in block.iter().enumerate() {
                    for (column, value) in values.iter().enumerate() {
                        let (row, column) = (SIX * one + row, SIX * two + column);
                        self.matrix[row * self.size + column] = *value;
                        self.matrix[column * self.size + row] = *value;
                    }
                }
            }
        }
    }

    fn block(&self, one: usize, two: usize, pattern: &Pattern, factor: &Sparse) -> [Six; SIX] {
        let mut block = [[0.0; SIX]; SIX];
        let start = |group: usize| if group == 0 { 0 } else { self.ends[group - 1] };
        let (mut other, end) = (start(two), self.ends[two]);
        for place in start(one)..self.ends[one] {
            let dof = self.dofs[place];
            while other < end && self.dofs[other] < dof {
                other += 1;
            }
            if other == end {
                break;
            }
            if self.dofs[other] == dof {
                let inverse = 1.0 / factor.diagonal(pattern, dof);
                let (left, right) = (&self.entries[place], &self.entries[other]);
                for (row, left) in block.iter_mut().zip(left) {
                    let left = left * inverse;
                    row.iter_mut().zip(right).for_each(|(sum, right)| *sum += left * right);
                }
            }
        }
        block
    }
}

/// Notes a dof and all that its row couples to.
fn reach(dof: usize, pattern: &Pattern, reached: &mut [bool], dofs: &mut Vec<usize>) {
    for column in pattern.columns(dof) {
        if !core::mem::replace(&mut reached[*column], true) {
            dofs.push(*column);
        }
    }
}
