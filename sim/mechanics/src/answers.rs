//! The linear equations of a step of Newton's method over the wrenches between bodies.
//!
//! Each group's wrench answers as λ = c − E Q Δu: with all six rows (E = 1), or, where a single point presses without resisting a turn on the spot, with
//! the three of its force. From Δu = W Δλ and r = c − λ follows (1 + Q W E) x = −Q W r, and Δλ = r + E x.

use nalgebra::{Matrix6, Vector3};

use crate::cone::Reply;
use crate::delassus::{Delassus, SIX};
use crate::dense;
use crate::group::Group;
use crate::touch::Touch;

/// The groups' answers, with memory for solving.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answers {
    /// r, six for each group.
    rests: Vec<f64>,
    /// For each unknown its group, its row of Q and its column of E.
    unknowns: Vec<Unknown>,
    matrix: Vec<f64>,
    solution: Vec<f64>,
    /// Working memory: a row of Q W.
    row: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Unknown {
    group: usize,
    falls: [f64; SIX],
    column: Column,
}

/// A column of E: a unit vector, or the wrench of a force.
#[derive(Clone, Copy, Debug)]
enum Column {
    Unit(usize),
    Wrench([f64; SIX]),
}

impl Answers {
    /// Begins anew.
    pub fn clear(&mut self) {
        self.rests.clear();
        self.unknowns.clear();
    }

    /// Takes up a group, and appends the replies of its touches.
    pub fn take(&mut self, group: &Group, touches: &[Touch], replies: &mut Vec<Reply>) {
        let touches = &touches[group.touches.clone()];
        let first = replies.len();
        replies.extend(touches.iter().map(|touch| touch.reply(&group.relative, &touch.tried)));
        let pairs = || touches.iter().zip(&replies[first..]).filter(|(_, reply)| reply.presses());
        let straight = pairs().fold(group.held(), |sum, (touch, reply)| sum + touch.straight(reply));
        let number = self.rests.len() / SIX;
        self.rests.extend_from_slice((straight - group.found).to_vector().as_slice());
        match (pairs().next(), group.hold) {
            (None, None) => {}
            (Some((touch, reply)), None) if pairs().count() == 1 && !touch.grips_turns() => {
                self.add_point(number, touch, reply);
            }
            (_, hold) => {
                let mut falls = hold.map_or(Matrix6::zeros(), |hold| hold.resistance);
                pairs().for_each(|(touch, reply)| touch.resist_as(reply, &mut falls));
                for row in 0..SIX {
                    let falls = falls.row(row).transpose().into();
                    self.unknowns.push(Unknown { group: number, falls, column: Column::Unit(row) });
                }
            }
        }
    }

    fn add_point(&mut self, group: usize, touch: &Touch, reply: &Reply) {
        let [falls, _] = touch.falls(reply);
        for (row, axis) in [Vector3::x(), Vector3::y(), Vector3::z()].iter().enumerate() {
            let column = Column::Wrench(touch.wrench_of_force(axis).to_vector().into());
            self.unknowns.push(Unknown { group, falls: falls.row(row).transpose().into(), column });
        }
    }

    /// Finds Δλ. False if there is none.
    pub fn solve(&mut self, delassus: &Delassus, change: &mut Vec<f64>) -> bool {
        let Answers { rests, unknowns, matrix, solution, row, .. } = self;
        let size = unknowns.len();
        matrix.clear();
        solution.clear();
        for (number, unknown) in unknowns.iter().enumerate() {
            row.clear();
            row.resize(rests.len(), 0.0);
            for (place, falls) in unknown.falls.iter().enumerate() {
                let other = delassus.row(SIX * unknown.group + place);
                row.iter_mut().zip(other).for_each(|(value, other)| *value += falls * other);
            }
            solution.push(-row.iter().zip(rests.iter()).map(|(one, two)| one * two).sum::<f64>());
            matrix.extend(unknowns.iter().map(|other| other.along(row)));
            matrix[number * size + number] += 1.0;
        }
        if !dense::solve(matrix, solution) {
            return false;
        }
        change.clone_from(rests);
        for (unknown, x) in unknowns.iter().zip(solution) {
            unknown.add(*x, change);
        }
        true
    }
}

impl Unknown {
    /// The product of a row over all groups' wrenches with its column of E.
    fn along(&self, row: &[f64]) -> f64 {
        let row = &row[SIX * self.group..][..SIX];
        match &self.column {
            Column::Unit(place) => row[*place],
            Column::Wrench(wrench) => row.iter().zip(wrench).map(|(one, two)| one * two).sum(),
        }
    }

    fn add(&self, x: f64, wrenches: &mut [f64]) {
        let own = &mut wrenches[SIX * self.group..][..SIX];
        match &self.column {
            Column::Unit(place) => own[*place] += x,
            Column::Wrench(wrench) => own.iter_mut().zip(wrench).for_each(|(value, wrench)| *value += x * wrench),
        }
    }
}
