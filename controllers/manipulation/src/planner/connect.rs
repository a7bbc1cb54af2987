//! Two trees that grow towards each other.

use super::grown::Grown;
use super::random::Random;
use super::settings::PlannerSettings;
use crate::checker::Checker;

/// A joint counts at least so much [m/rad or m/m]: also what turns a hand on the spot is a way.
const LEAST_WEIGHT: f64 = 0.1;

/// Both trees, and the memory of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Growth {
    /// From the start, and from the goals.
    trees: [Grown; 2],
    sample: Vec<f64>,
    next: Vec<f64>,
    /// What was found: one configuration after the other.
    pub corners: Vec<f64>,
}

/// What became of a step of a tree.
enum Step {
    Blocked,
    /// The tree has a new configuration, on the way.
    Advanced(usize),
    /// And that is where it was to go.
    Arrived(usize),
}

impl Growth {
    pub fn begin<'g>(&mut self, checker: &Checker, start: &[f64], goals: impl Iterator<Item = &'g [f64]>) {
        let weights: Vec<f64> = checker.farthest_of_each().into_iter().map(|way| way.max(LEAST_WEIGHT)).collect();
        self.trees.iter_mut().for_each(|tree| tree.clear(&weights));
        self.trees[0].add(start, None);
        for goal in goals {
            self.trees[1].add(goal, None);
        }
        self.sample.resize(start.len(), 0.0);
        self.next.resize(start.len(), 0.0);
    }

    pub fn nodes(&self) -> usize {
        self.trees.iter().map(Grown::len).sum()
    }

    /// A step of a tree from its nearest configuration towards another one, at most the range.
    fn extend(&mut self, tree: usize, towards: &[f64], checker: &mut Checker, range: f64) -> Step {
        let grown = &mut self.trees[tree];
        let nearest = grown.nearest(towards);
        let from = grown.at(nearest);
        let distance = grown.distance(from, towards);
        let share = if distance > range { range / distance } else { 1.0 };
        for ((next, from), towards) in self.next.iter_mut().zip(from).zip(towards) {
            *next = if share < 1.0 { from + share * (towards - from) } else { *towards };
        }
        if checker.hit_on_way(from, &self.next).is_some() {
            return Step::Blocked;
        }
        let index = grown.add(&self.next, Some(nearest));
        if share < 1.0 { Step::Advanced(index) } else { Step::Arrived(index) }
    }

    /// Writes the way over two configurations at which the trees meet; which goal it leads to.
    fn join(&mut self, from_start: usize, from_goal: usize, dof: usize) -> usize {
        self.corners.clear();
        let mut at = Some(from_start);
        while let Some(index) = at {
            self.corners.extend_from_slice(self.trees[0].at(index));
            at = self.trees[0].parent(index);
        }
        reverse(&mut self.corners, dof);
        // where they meet is a configuration of both
        let (mut at, mut root) = (self.trees[1].parent(from_goal), from_goal);
        while let Some(index) = at {
            self.corners.extend_from_slice(self.trees[1].at(index));
            root = index;
            at = self.trees[1].parent(index);
        }
        root
    }
}

fn reverse(corners: &mut [f64], dof: usize) {
    let number = corners.len() / dof;
    for index in 0..number / 2 {
        for joint in 0..dof {
            corners.swap(index * dof + joint, (number - 1 - index) * dof + joint);
        }
    }
}

/// Grows the trees until they meet, with so many samples at most: how many that took, and which of the goals was reached;
/// `None` if they do not meet.
pub(super) fn grow(
    growth: &mut Growth,
    checker: &mut Checker,
    settings: &PlannerSettings,
    random: &mut Random,
    most: u32,
) -> Option<(u32, usize)> {
    let dof = checker.joints().len();
    let mut sample = core::mem::take(&mut growth.sample);
    let mut found = None;
    for iteration in 1..=most {
        // the smaller tree goes first
        let tree = usize::from(growth.trees[1].len() < growth.trees[0].len());
        for (position, [low, high]) in sample.iter_mut().zip(checker.limits()) {
            *position = low + (high - low) * random.share();
        }
        let (Step::Advanced(reached) | Step::Arrived(reached)) = growth.extend(tree, &sample, checker, settings.range)
        else {
            continue;
        };
        sample.copy_from_slice(growth.trees[tree].at(reached));
        let met = loop {
            match growth.extend(1 - tree, &sample, checker, settings.range) {
                Step::Blocked => break None,
                Step::Advanced(_) => {}
                Step::Arrived(index) => break Some(index),
            }
        };
        if let Some(other) = met {
            let (from_start, from_goal) = if tree == 0 { (reached, other) } else { (other, reached) };
            found = Some((iteration, growth.join(from_start, from_goal, dof)));
            break;
        }
    }
    growth.sample = sample;
    found
}
