//! What hangs together in a step: trees between which there is something. Islands do not feel each other, so each is solved on its own.

use core::ops::Range;

use crate::model::Model;

/// Some trees, and what is between and at them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Island {
    /// Its groups of contacts and its constraints of joints, in the lists of all, which are sorted by islands.
    pub groups: Range<usize>,
    pub rows: Range<usize>,
    /// Its dofs that move what touches, and its others, both ascending, in the lists of all.
    pub touched: Range<usize>,
    pub free: Range<usize>,
}

/// Finds which trees hang together, by union and find.
#[derive(Clone, Debug, Default)]
pub(crate) struct Union {
    /// For each tree one of a lower or its own number in the same island.
    parents: Vec<usize>,
}

impl Union {
    /// All trees are by themselves.
    pub fn reset(&mut self, trees: usize) {
        self.parents.clear();
        self.parents.extend(0..trees);
    }

    /// The lowest tree in the island of a tree.
    pub fn find(&self, mut tree: usize) -> usize {
        while self.parents[tree] != tree {
            tree = self.parents[tree];
        }
        tree
    }

    /// Two trees hang together.
    pub fn join(&mut self, one: usize, two: usize) {
        let (one, two) = (self.find(one), self.find(two));
        self.parents[one.max(two)] = one.min(two);
    }

    /// Hands each dof of the island whose lowest tree this is to `each`, ascending.
    pub fn dofs(&self, model: &Model, lowest: usize, each: impl FnMut(usize)) {
        let trees = (lowest..model.trees()).filter(|tree| self.find(*tree) == lowest);
        trees.flat_map(|tree| model.tree_dofs(tree)).for_each(each);
    }
}
