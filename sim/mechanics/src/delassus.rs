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

/// Six rows of six.
type Square = [Six; SIX];

/// The matrix of some groups, with memory for it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Delassus {
    /// The groups, by their numbers.
    groups: Vec<usize>,
    /// Row after row of blocks, one for each two groups.
    blocks: Vec<Square>,
    /// The dofs at which the columns of Y of each group have entries, ascending, and where those of the group end.
    dofs: Vec<usize>,
    ends: Vec<usize>,
    /// The entries of Y, and of D⁻¹ Y.
    entries: Vec<Six>,
    weighed: Vec<Six>,
    /// Working memory: for each dof a row of a group's columns, and whether it is in use.
    rows: Vec<Six>,
    reached: Vec<bool>,
}

impl Delassus {
    /// Room for so many groups of bodies that are moved by up to so many dofs.
    pub fn with_room(groups: usize, dofs: usize) -> Delassus {
        Delassus {
            groups: Vec::with_capacity(groups),
            blocks: Vec::with_capacity(groups * groups),
            dofs: Vec::with_capacity(groups * dofs),
            ends: Vec::with_capacity(groups),
            entries: Vec::with_capacity(groups * dofs),
            weighed: Vec::with_capacity(groups * dofs),
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
        self.weighed.clear();
        for number in groups.filter(|number| active.groups[*number].takes_part) {
            self.groups.push(number);
            self.add(&active.columns[active.groups[number].columns.clone()], pattern, factor);
        }
        self.multiply();
    }

    /// The groups.
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// What the wrenches of one group do to the twist of another, both by their places among the groups.
    fn block(&self, twist: usize, wrench: usize) -> &Square {
        &self.blocks[twist * self.groups.len() + wrench]
    }

    /// The twist of one group that a wrench in another amounts to, both by their places among the groups.
    #[inline]
    pub fn turned(&self, twist: usize, wrench: usize, by: &Six) -> Six {
        // the other way round the block has as rows what are its columns here
        combined(self.block(wrench, twist), by)
    }

    /// The same for a wrench that is a one at a place and zero elsewhere.
    #[inline]
    pub fn turned_by_unit(&self, twist: usize, wrench: usize, place: usize) -> &Six {
        &self.block(wrench, twist)[place]
    }

    /// The quadratic form of a wrench in a group, which is the `place`th of them: how fast it moves the bodies along itself.
    pub fn quadratic(&self, place: usize, wrench: &Six) -> f64 {
        dot(wrench, &self.turned(place, place, wrench))
    }

    /// The twists that wrenches of all groups amount to.
    pub fn multiply_by(&self, wrenches: &[Six], twists: &mut Vec<Six>) {
        twists.clear();
        for twist in 0..self.groups.len() {
            let mut sum = [0.0; SIX];
            for (place, wrench) in wrenches.iter().enumerate() {
                add(&mut sum, &self.turned(twist, place, wrench));
            }
            twists.push(sum);
        }
    }

    /// Adds Y times the groups' wrenches, of the dofs.
    pub fn add_eliminated(&self, wrenches: &[Six], sums: &mut [f64]) {
        for (place, wrench) in wrenches.iter().enumerate() {
            for (dof, entries) in self.own(place, &self.entries) {
                sums[*dof] += dot(entries, wrench);
            }
        }
    }

    /// Adds to the twist of a group what L⁻ᵀ b, of the dofs, amounts to: J A⁻¹ b = Yᵀ D⁻¹ L⁻ᵀ b.
    pub fn add_gained(&self, place: usize, eliminated: &[f64], twist: &mut Six) {
        for (dof, weighed) in self.own(place, &self.weighed) {
            add_scaled(twist, eliminated[*dof], weighed);
        }
    }

    fn own<'a>(&'a self, place: usize, entries: &'a [Six]) -> impl Iterator<Item = (&'a usize, &'a Six)> {
        let own = self.range(place);
        self.dofs[own.clone()].iter().zip(&entries[own])
    }

    fn range(&self, place: usize) -> Range<usize> {
        let start = if place == 0 { 0 } else { self.ends[place - 1] };
        start..self.ends[place]
    }

    /// The columns of Y of a group.
    fn add(&mut self, columns: &[(usize, Twist)], pattern: &Pattern, factor: &Sparse) {
        let Delassus { dofs, ends, entries, weighed, rows, reached, .. } = self;
        let first = dofs.len();
        for (dof, axis) in columns.iter().rev() {
            rows[*dof] = axis.to_vector().into();
            reach(*dof, pattern, reached, dofs);
        }
        dofs[first..].reverse();
        dofs[first..].sort_unstable();
        for dof in dofs[first..].iter().rev() {
            let known = rows[*dof];
            for (value, column) in factor.left(pattern, *dof) {
                add_scaled(&mut rows[*column], -value, &known);
            }
        }
        for dof in &dofs[first..] {
            let inverse = 1.0 / factor.diagonal(pattern, *dof);
            let row = core::mem::take(&mut rows[*dof]);
            entries.push(row);
            weighed.push(row.map(|value| value * inverse));
            reached[*dof] = false;
        }
        ends.push(dofs.len());
    }

    /// All blocks.
    fn multiply(&mut self) {
        let groups = self.groups.len();
        self.blocks.resize(groups * groups, Square::default());
        for one in 0..groups {
            for two in 0..=one {
                let block = self.meet(one, two);
                self.blocks[one * groups + two] = block;
                self.blocks[two * groups + one] = transposed(&block);
            }
        }
    }

    /// The block of two groups: over all dofs that both have.
    fn meet(&self, one: usize, two: usize) -> Square {
        let mut block = Square::default();
        let mut add = |weighed: &Six, entries: &Six| {
            block.iter_mut().zip(weighed).for_each(|(row, weighed)| add_scaled(row, *weighed, entries));
        };
        if one == two {
            let both = self.range(one);
            self.weighed[both.clone()]
                .iter()
                .zip(&self.entries[both])
                .for_each(|(weighed, entries)| add(weighed, entries));
            return block;
        }
        let mut others = self.own(two, &self.entries).peekable();
        for (dof, weighed) in self.own(one, &self.weighed) {
            while others.next_if(|(other, _)| *other < dof).is_some() {}
            let Some((other, entries)) = others.peek() else { break };
            if *other == dof {
                add(weighed, entries);
            }
        }
        block
    }
}

/// Notes a dof and all that eliminating it reaches, one after the other: what a row couples to, the last of its columns couples to as well.
fn reach(dof: usize, pattern: &Pattern, reached: &mut [bool], dofs: &mut Vec<usize>) {
    let mut next = Some(dof);
    while let Some(dof) = next.filter(|dof| !core::mem::replace(&mut reached[*dof], true)) {
        dofs.push(dof);
        next = pattern.columns(dof).iter().rev().nth(1).copied();
    }
}

pub(crate) fn dot(one: &Six, two: &Six) -> f64 {
    one.iter().zip(two).map(|(one, two)| one * two).sum()
}

pub(crate) fn add(sum: &mut Six, six: &Six) {
    (0..SIX).for_each(|place| sum[place] += six[place]);
}

pub(crate) fn add_scaled(sum: &mut Six, factor: f64, six: &Six) {
    (0..SIX).for_each(|place| sum[place] += factor * six[place]);
}

/// The sum of rows, each so often.
#[inline(always)]
fn combined(rows: &Square, times: &Six) -> Six {
    let mut sum = [0.0; SIX];
    for (row, times) in rows.iter().zip(times) {
        add_scaled(&mut sum, *times, row);
    }
    sum
}

fn transposed(square: &Square) -> Square {
    core::array::from_fn(|row| square.map(|other| other[row]))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use nalgebra::{DMatrix, Matrix6, SMatrix};
    use robot_model::Wrench;

    use super::*;
    use crate::group::Group;

    const DOFS: usize = 5;

    /// A root, a branch of one dof and one of two; the last dof, on the first branch, is coupled with the one before it, which ends the other.
    const COUPLED: [&[usize]; 5] = [&[0, 1], &[0, 2], &[0, 2, 3], &[0, 1, 4], &[3, 4]];

    fn group(columns: Range<usize>) -> Group {
        let (zero, found) = (Twist::zero(), Wrench::zero());
        Group {
            body: 0,
            other: None,
            about: nalgebra::Vector3::zeros(),
            columns,
            touches: 0..0,
            hold: None,
            relative: zero,
            before: zero,
            along: zero,
            resistance: Matrix6::zeros(),
            found,
            is_found: false,
            takes_part: true,
        }
    }

    #[test]
    fn it_is_j_times_the_inverse_times_j_transposed_where_joints_of_two_branches_are_coupled() {
        let pattern = Pattern::new(DOFS, COUPLED.iter().copied());
        let (mut matrix, mut sparse) = (DMatrix::zeros(DOFS, DOFS), Sparse::default());
        sparse.resize(&pattern);
        for row in 0..DOFS {
            for (place, column) in pattern.columns(row).iter().enumerate() {
                let coupled = COUPLED.iter().any(|group| group.contains(&row) && group.contains(column));
                let value = if row == *column { 4.0 + row as f64 } else { f64::from(u8::from(coupled)) * 0.7 };
                sparse.row_mut(&pattern, row)[place] = value;
                (matrix[(row, *column)], matrix[(*column, row)]) = (value, value);
            }
        }
        let mut active = ActiveSet::default();
        let axis = |dof: usize, k: usize| {
            (dof, Twist::from_vector(&SMatrix::from_fn(|row, _| ((row * 5 + dof * 3 + k) % 7) as f64)))
        };
        active.columns = vec![axis(0, 0), axis(1, 0), axis(4, 0), axis(0, 1), axis(2, 1)];
        active.groups = vec![group(0..3), group(3..5)];
        sparse.factor(&pattern, &[0, 1, 2, 3, 4]);
        let mut found = Delassus::with_room(2, DOFS);
        found.find(&active, 0..2, &pattern, &sparse);

        let mut jacobian = DMatrix::zeros(2 * SIX, DOFS);
        for (place, group) in active.groups.iter().enumerate() {
            for (dof, axis) in &active.columns[group.columns.clone()] {
                jacobian.view_mut((SIX * place, *dof), (SIX, 1)).copy_from(&axis.to_vector());
            }
        }
        let wanted = &jacobian * matrix.try_inverse().unwrap() * jacobian.transpose();
        for (row, column) in (0..2 * SIX).flat_map(|row| (0..2 * SIX).map(move |column| (row, column))) {
            let value = found.block(row / SIX, column / SIX)[row % SIX][column % SIX];
            assert!(
                (value - wanted[(row, column)]).abs() < 1e-12,
                "{row}, {column}: {value} for {}",
                wanted[(row, column)]
            );
        }
    }
}
