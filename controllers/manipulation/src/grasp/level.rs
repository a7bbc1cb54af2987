//! A hand at one share of its way from open to closed.

use super::probe::Probe;

/// At so many shares the fingers are looked at beforehand, from open to closed.
pub(super) const LEVELS: usize = 65;

/// Where the fingers are at a share. Sides are those along the opening direction and against it.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub share: f64,
    /// The fingers of each side, in the frame in which grasps are planned.
    pub sides: [Vec<Probe>; 2],
    /// Where the innermost point of the last links of each side is along the opening direction [m].
    pub reach: [f64; 2],
    /// For each side how far each joint moves the innermost points inwards, the mean of that side's fingers [m/rad or m/m].
    pub inward: [Vec<f64>; 2],
}

impl Level {
    /// How far a point of the fingers is from where it is at another level, at most [m].
    pub fn farthest(&self, other: &Level) -> f64 {
        let pairs = self.sides.iter().flatten().zip(other.sides.iter().flatten());
        pairs.map(|(one, other)| (one.center - other.center).norm()).fold(0.0, f64::max)
    }

    /// The effort of a joint at which the fingers of each side press with 1 N, by virtual work [N·m/N].
    pub fn effort(&self, place: usize) -> f64 {
        self.inward[0][place] + self.inward[1][place]
    }

    /// How far the fingers of a side go inwards per share [m], with joints that go from open to closed so.
    pub fn closing(&self, side: usize, ends: &[[f64; 2]]) -> f64 {
        ends.iter().zip(&self.inward[side]).map(|([open, closed], inward)| inward * (closed - open)).sum()
    }
}
