//! Coulomb's limits brought in line with the normal impulses that were found for them.
//!
//! The limits follow from the normal impulses, and those from the limits: what slides is braked, and the brake presses one point and lifts
//! another. So the limits are a fixed point. To take the found ones again and again comes a third or so nearer each time; Anderson's
//! mixing ("Iterative procedures for nonlinear integral equations", 1965; Walker and Ni 2011) takes of the last few the combination whose
//! errors cancel best, and is there after a few times.

use crate::active::ActiveSet;
use crate::island::Island;

/// So many of the last changes are combined.
const DEPTH: usize = 3;

/// What was tried and what came of it, of one island's touches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    /// The limits' loads of the last time, and by how much the found ones differed.
    tried: Vec<f64>,
    error: Vec<f64>,
    /// The changes of both from time to time, the newest first.
    changes: [Change; DEPTH],
    /// How many of them there are.
    count: usize,
}

#[derive(Clone, Debug, Default)]
struct Change {
    tried: Vec<f64>,
    error: Vec<f64>,
}

impl Limits {
    /// Forgets what was tried.
    pub fn begin(&mut self) {
        self.tried.clear();
        self.count = 0;
    }

    /// Puts limits that follow from those that were tried, in place of those that were found.
    pub fn put(&self, active: &mut ActiveSet, island: &Island) {
        if self.count == 0 {
            return;
        }
        let shares = self.shares();
        let Limits { tried, error, changes, count } = self;
        let mut place = 0;
        active.visit_in(island, |_, touch, _| {
            let change = |(change, share): (&Change, &f64)| share * (change.tried[place] + change.error[place]);
            let mixed: f64 = changes[..*count].iter().zip(&shares).map(change).sum();
            touch.loaded = (tried[place] + error[place] - mixed).max(0.0);
            place += 1;
        });
    }

    /// Takes up the limits that were tried and what was found.
    pub fn note(&mut self, active: &mut ActiveSet, island: &Island) {
        let is_first = self.tried.is_empty();
        if !is_first {
            self.count = (self.count + 1).min(DEPTH);
            self.changes.rotate_right(1);
            self.changes[0].tried.clear();
            self.changes[0].error.clear();
        }
        let Limits { tried, error, changes, .. } = self;
        if is_first {
            error.clear();
        }
        let newest = &mut changes[0];
        let mut place = 0;
        active.visit_in(island, |_, touch, relative| {
            let found = touch.normal_impulse(relative) - touch.loaded;
            if is_first {
                tried.push(touch.loaded);
                error.push(found);
            } else {
                newest.tried.push(touch.loaded - tried[place]);
                newest.error.push(found - error[place]);
                (tried[place], error[place]) = (touch.loaded, found);
            }
            place += 1;
        });
    }

    /// The shares of the changes with which the error would be least, by the method of least squares.
    fn shares(&self) -> [f64; DEPTH] {
        let changes = &self.changes[..self.count];
        let dot = |one: &[f64], two: &[f64]| one.iter().zip(two).map(|(one, two)| one * two).sum::<f64>();
        let mut squares = [[0.0; DEPTH]; DEPTH];
        let mut right = [0.0; DEPTH];
        for (row, one) in changes.iter().enumerate() {
            right[row] = dot(&one.error, &self.error);
            for (column, two) in changes.iter().enumerate() {
                squares[row][column] = dot(&one.error, &two.error);
            }
        }
        solved(squares, right, self.count)
    }
}

/// The solution of a few normal equations. Changes that say nothing new get no share.
fn solved(mut squares: [[f64; DEPTH]; DEPTH], mut right: [f64; DEPTH], count: usize) -> [f64; DEPTH] {
    /// What is left of a change's square beside the newer ones, so that it counts.
    const NEW: f64 = 1e-8;
    let mut counts = [false; DEPTH];
    for pivot in 0..count {
        let (before, rest) = squares.split_at_mut(pivot + 1);
        let own = before[pivot];
        let whole = own[pivot];
        counts[pivot] = whole > f64::MIN_POSITIVE && (pivot == 0 || whole > NEW * before[0][0].abs());
        if !counts[pivot] {
            continue;
        }
        for (offset, row) in rest.iter_mut().enumerate().take(count - pivot - 1) {
            let factor = row[pivot] / whole;
            row.iter_mut().zip(&own).for_each(|(entry, own)| *entry -= factor * own);
            right[pivot + 1 + offset] -= factor * right[pivot];
        }
    }
    let mut shares = [0.0; DEPTH];
    for row in (0..count).rev().filter(|row| counts[*row]) {
        let known: f64 = (row + 1..count).map(|column| squares[row][column] * shares[column]).sum();
        shares[row] = (right[row] - known) / squares[row][row];
    }
    shares
}
