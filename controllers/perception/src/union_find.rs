//! Sets that are joined: what belongs together (Tarjan 1975). Pixels of one colour and points of one cluster are found with the same
//! few lines.

/// Disjoint sets of the numbers from 0 on.
#[derive(Clone, Debug, Default)]
pub(crate) struct UnionFind {
    parents: Vec<u32>,
}

impl UnionFind {
    /// So many numbers, each a set of its own. Keeps its memory.
    pub fn reset(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend(0..count as u32);
    }

    /// Adds one more number, a set of its own, and says which it is.
    pub fn add(&mut self) -> u32 {
        let number = self.parents.len() as u32;
        self.parents.push(number);
        number
    }

    /// The smallest number of a number's set.
    pub fn root(&mut self, number: u32) -> u32 {
        let mut at = number;
        while self.parents[at as usize] != at {
            let grandparent = self.parents[self.parents[at as usize] as usize];
            self.parents[at as usize] = grandparent;
            at = grandparent;
        }
        at
    }

    /// Joins the sets of two numbers; the smaller root stays, so that the order of joining does not show.
    pub fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.root(one), self.root(other));
        let (low, high) = (one.min(other), one.max(other));
        self.parents[high as usize] = low;
    }
}
