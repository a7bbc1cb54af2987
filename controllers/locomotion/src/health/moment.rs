//! When in a cycle a drive measures its effort, found by what it gives while the joint moves.
//!
//! A wheel that keeps up is asked for more at a cycle's beginning, when its target has just moved on, than at its end, by as much as holds
//! it. What a drive tells lies somewhere between the two, and so does a dead motor's nothing; but a drive always measures at the same moment.

use robot_io::State;

/// What is asked at a cycle's beginning and end, and what is given in between.
#[derive(Clone, Copy, Debug, Default, State)]
pub(super) struct Moment {
    /// Averages of what is asked at a cycle's beginning and at its end [N·m].
    pub begin: f64,
    pub end: f64,
    /// Averages over a longer time: of the square of their difference, and of its product with what is given more than at the beginning.
    square: f64,
    product: f64,
    /// For how long there was a difference [s].
    learnt: f64,
}

impl Moment {
    /// Over what time the moment is averaged [s], and for how long there must have been a difference.
    const AVERAGE: f64 = 5.0;
    const ENOUGH: f64 = 1.5;
    /// How sure the moment is, as a share of the cycle.
    const UNSURE: f64 = 0.04;

    /// Takes up what was asked; `share` is the new part of the averages.
    pub fn ask(&mut self, begin: f64, end: f64, share: f64) {
        self.begin += share * (begin - self.begin);
        self.end += share * (end - self.end);
    }

    /// Learns from what was given, as an average; differences below a floor [N·m] tell nothing.
    pub fn learn(&mut self, given: f64, floor: f64, dt: f64) {
        let way = self.end - self.begin;
        if way.abs() > floor {
            let share = dt / (Self::AVERAGE.min(self.learnt) + dt);
            self.square += share * (way * way - self.square);
            self.product += share * (way * (given - self.begin) - self.product);
            self.learnt += dt;
        }
    }

    /// What is to be expected [N·m], and by how much that may be wrong for the moment; `None` as long as it is not known.
    pub fn expected(&self) -> Option<(f64, f64)> {
        let way = self.end - self.begin;
        let known = self.learnt > Self::ENOUGH;
        known.then(|| (self.begin + (self.product / self.square).clamp(0.0, 1.0) * way, Self::UNSURE * way.abs()))
    }
}
