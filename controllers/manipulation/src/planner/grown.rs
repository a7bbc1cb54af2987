//! A tree of configurations, and which of them is nearest to another.

use crate::lanes::{LANES, Lanes};

/// Where no configuration is: farther away than any, and its square is still a number.
const NOWHERE: f32 = 1e15;

/// Configurations, each with the one it was reached from.
#[derive(Clone, Debug, Default)]
pub(super) struct Grown {
    dof: usize,
    /// How much each joint counts.
    weights: Vec<f32>,
    /// One configuration after the other.
    positions: Vec<f64>,
    /// A root is its own.
    parents: Vec<usize>,
    /// The same configurations, eight at once, one joint after the other, and weighed.
    blocks: Vec<Lanes>,
    wanted: Vec<f32>,
}

impl Grown {
    pub fn clear(&mut self, weights: &[f64]) {
        self.dof = weights.len();
        self.weights.clear();
        self.weights.extend(weights.iter().map(|weight| *weight as f32));
        self.positions.clear();
        self.parents.clear();
        self.blocks.clear();
        self.wanted.resize(self.dof, 0.0);
    }

    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Adds a configuration; without a parent it is a root.
    pub fn add(&mut self, positions: &[f64], parent: Option<usize>) -> usize {
        let index = self.parents.len();
        let (block, lane) = (index / LANES * self.dof, index % LANES);
        if lane == 0 {
            self.blocks.resize(block + self.dof, Lanes::all(NOWHERE));
        }
        for ((lanes, position), weight) in self.blocks[block..].iter_mut().zip(positions).zip(&self.weights) {
            lanes.0[lane] = *position as f32 * weight;
        }
        self.positions.extend_from_slice(positions);
        self.parents.push(parent.unwrap_or(index));
        index
    }

    pub fn at(&self, index: usize) -> &[f64] {
        &self.positions[index * self.dof..(index + 1) * self.dof]
    }

    pub fn parent(&self, index: usize) -> Option<usize> {
        self.parents.get(index).copied().filter(|parent| *parent != index)
    }

    /// The nearest configuration, of equally near ones the oldest.
    pub fn nearest(&mut self, positions: &[f64]) -> usize {
        for ((wanted, position), weight) in self.wanted.iter_mut().zip(positions).zip(&self.weights) {
            *wanted = *position as f32 * weight;
        }
        let (mut best, mut nearest) = (f32::INFINITY, 0);
        for (block, joints) in self.blocks.chunks_exact(self.dof).enumerate() {
            let mut squared = Lanes::ZERO;
            for (lanes, wanted) in joints.iter().zip(&self.wanted) {
                let away = *lanes - Lanes::all(*wanted);
                squared = squared + away * away;
            }
            for (lane, squared) in squared.0.into_iter().enumerate() {
                if squared < best {
                    (best, nearest) = (squared, block * LANES + lane);
                }
            }
        }
        nearest
    }

    /// The root of the summed squares of how far the joints are from each other, weighed.
    pub fn distance(&self, one: &[f64], other: &[f64]) -> f64 {
        let ways = one.iter().zip(other).zip(&self.weights);
        let squared = ways.map(|((one, other), weight)| {
            let way = (one - other) * f64::from(*weight);
            way * way
        });
        squared.sum::<f64>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_found_among_many_and_weights_count() {
        let mut tree = Grown::default();
        tree.clear(&[1.0, 0.1]);
        for index in 0..37 {
            tree.add(&[f64::from(index), f64::from(index % 5)], (index > 0).then_some(0));
        }
        assert_eq!(tree.nearest(&[17.2, 2.0]), 17);
        assert_eq!(tree.nearest(&[-3.0, 0.0]), 0);
        assert_eq!((tree.parent(0), tree.parent(20), tree.len()), (None, Some(0), 37));
    }
}
