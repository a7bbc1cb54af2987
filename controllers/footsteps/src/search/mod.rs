//! ARA*: a search that has a way soon and makes it better as long as it may: Likhachev, Gordon, Thrun, "ARA*: Anytime A* with
//! provable bounds on sub-optimality" (2003).
//!
//! Unlike there, the estimate by which nodes are chosen may be wrong in either direction (it knows walls and stairs from a coarse map);
//! another one, the bound, never says too much, and from it alone follow how much better a way there may be and which nodes
//! are not worth a look. That works since some node of the best way always waits with its best cost (Hart, Nilsson and
//! Raphael, 1968), in whatever order nodes are taken. The last round takes them by the bound, and ends with the best way.

mod settings;
#[cfg(test)]
mod tests;

pub use settings::SearchSettings;

use core::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is searched: nodes are numbers from 0 on, as small as can be.
pub trait Graph {
    /// Adds the nodes to which an edge leads, and what it costs; nothing costs less than nothing. `before` is the node from which the
    /// way came. An edge that costs at least so much can be left out if it is not `useful`.
    fn expand(&mut self, node: u32, before: Option<u32>, useful: &dyn Fn(u32, f64) -> bool, out: &mut Vec<(u32, f64)>);

    /// What is left to the goal, as well as it is known.
    fn guess(&self, node: u32) -> f64;

    /// What is left at least, and 0 at the goal.
    fn bound(&self, node: u32) -> f64;
}

/// Why a search has come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// It has expanded as many nodes as it may.
    Spent,
    /// A round is over: there is a way, and its bound is known.
    Round,
    /// There is no better way.
    Best,
    /// There is no way.
    NoWay,
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    cost: f64,
    guess: f64,
    bound: f64,
    parent: u32,
    /// What the edge from there costs.
    edge: f64,
    /// The round in which it was expanded last.
    closed: u32,
    /// The key with which it is in the queue; not-a-number if it is not.
    key: f64,
    waits: bool,
}

impl Node {
    const NEW: Node = Node {
        cost: f64::INFINITY,
        guess: f64::NAN,
        bound: 0.0,
        parent: NONE,
        edge: 0.0,
        closed: 0,
        key: f64::NAN,
        waits: false,
    };
}

/// A search that goes on where it stopped.
#[derive(Clone, Debug)]
pub struct Search {
    goal: u32,
    /// How much more than the cost the guess counts, round by round.
    inflations: Vec<f64>,
    round: u32,
    nodes: Vec<Node>,
    queue: BinaryHeap<Reverse<(u64, u64, u32)>>,
    /// Nodes that have become cheaper after they were expanded in this round.
    waiting: Vec<u32>,
    expanded: usize,
    /// The node with the smallest guess that was expanded.
    nearest: (f64, u32),
    successors: Vec<(u32, f64)>,
}

/// The bits of numbers that are not negative are in the same order as the numbers.
fn bits(value: f64) -> u64 {
    value.max(0.0).to_bits()
}

impl Search {
    /// From any of `starts` to `goal`. The guess is inflated by each of `inflations` in turn, and at last the bound alone counts.
    pub fn new(graph: &dyn Graph, starts: &[u32], goal: u32, inflations: &[f64]) -> Search {
        let mut search = Search {
            goal,
            inflations: inflations.to_vec(),
            round: 1,
            nodes: Vec::new(),
            queue: BinaryHeap::new(),
            waiting: Vec::new(),
            expanded: 0,
            nearest: (f64::INFINITY, NONE),
            successors: Vec::new(),
        };
        for start in starts {
            search.meet(graph, *start);
            search.nodes[*start as usize].cost = 0.0;
            search.push(*start);
        }
        search.meet(graph, goal);
        search
    }

    /// How many nodes were expanded.
    pub fn expanded(&self) -> usize {
        self.expanded
    }

    /// What the way to the goal costs, as far as one is known.
    pub fn cost(&self) -> f64 {
        self.nodes[self.goal as usize].cost
    }

    /// The node with the smallest guess that was expanded.
    pub fn nearest(&self) -> Option<u32> {
        Some(self.nearest.1).filter(|node| *node != NONE)
    }

    /// The node from which the way to a node comes.
    pub fn before(&self, node: u32) -> Option<u32> {
        self.nodes.get(node as usize).map(|node| node.parent).filter(|node| *node != NONE)
    }

    /// What the best way costs at least.
    pub fn least(&self) -> f64 {
        let open = self.nodes.iter().filter(|node| !node.key.is_nan() || node.waits);
        open.map(|node| node.cost + node.bound).fold(self.cost(), f64::min)
    }

    /// The way to a node, and what it costs.
    pub fn way(&self, node: u32) -> (Vec<u32>, f64) {
        let (mut way, mut cost, mut at) = (vec![node], 0.0, node);
        while let Some(parent) = self.nodes.get(at as usize).filter(|node| node.parent != NONE) {
            cost += parent.edge;
            at = parent.parent;
            way.push(at);
        }
        way.reverse();
        (way, cost)
    }

    /// Goes on, and expands no more than `expansions` nodes.
    pub fn advance(&mut self, graph: &mut dyn Graph, expansions: usize) -> Event {
        let last = self.expanded.saturating_add(expansions);
        loop {
            let Some(node) = self.next() else { return self.end_round() };
            if self.expanded >= last {
                self.push(node);
                return Event::Spent;
            }
            self.expand(graph, node);
        }
    }

    /// The node to expand next; `None` if the round is over.
    fn next(&mut self) -> Option<u32> {
        while let Some(Reverse((key, guess, number))) = self.queue.pop() {
            let goal = self.cost();
            let node = &mut self.nodes[number as usize];
            if node.key.is_nan() || bits(node.key) != key {
                continue;
            }
            if goal <= node.key {
                self.queue.push(Reverse((key, guess, number)));
                return None;
            }
            node.key = f64::NAN;
            if node.cost + node.bound < goal {
                return Some(number);
            }
        }
        None
    }

    fn expand(&mut self, graph: &mut dyn Graph, number: u32) {
        self.expanded += 1;
        let node = &mut self.nodes[number as usize];
        node.closed = self.round;
        let (cost, guess, before) = (node.cost, node.guess, Some(node.parent).filter(|node| *node != NONE));
        if guess < self.nearest.0 {
            self.nearest = (guess, number);
        }
        let mut successors = core::mem::take(&mut self.successors);
        successors.clear();
        let (nodes, goal) = (&self.nodes, self.cost());
        let useful = |to: u32, edge: f64| {
            let node = nodes.get(to as usize).filter(|node| !node.guess.is_nan());
            node.is_none_or(|node| cost + edge < node.cost && cost + edge + node.bound < goal)
        };
        graph.expand(number, before, &useful, &mut successors);
        for (to, edge) in &successors {
            self.meet(graph, *to);
            let (goal, total) = (self.cost(), cost + edge);
            let node = &mut self.nodes[*to as usize];
            if total >= node.cost || total + node.bound >= goal {
                continue;
            }
            (node.cost, node.parent, node.edge) = (total, number, *edge);
            if *to == self.goal {
                continue;
            }
            if node.closed == self.round && !self.is_last() {
                if !core::mem::replace(&mut self.nodes[*to as usize].waits, true) {
                    self.waiting.push(*to);
                }
            } else {
                self.push(*to);
            }
        }
        self.successors = successors;
    }

    /// Whether the bound alone counts.
    fn is_last(&self) -> bool {
        self.round as usize > self.inflations.len()
    }

    fn meet(&mut self, graph: &dyn Graph, number: u32) {
        if self.nodes.len() <= number as usize {
            self.nodes.resize(number as usize + 1, Node::NEW);
        }
        let node = &mut self.nodes[number as usize];
        if node.guess.is_nan() {
            (node.guess, node.bound) = (graph.guess(number), graph.bound(number));
        }
    }

    fn push(&mut self, number: u32) {
        let inflation = self.inflations.get(self.round as usize - 1).copied();
        let node = &mut self.nodes[number as usize];
        node.key = inflation.map_or(node.cost + node.bound, |inflation| node.cost + inflation * node.guess);
        self.queue.push(Reverse((bits(node.key), bits(node.guess), number)));
    }

    fn end_round(&mut self) -> Event {
        if self.is_last() || (self.queue.is_empty() && self.waiting.is_empty()) {
            return if self.cost().is_finite() { Event::Best } else { Event::NoWay };
        }
        self.round += 1;
        self.waiting.clear();
        self.queue.clear();
        let goal = self.cost();
        for number in 0..self.nodes.len() as u32 {
            let node = &mut self.nodes[number as usize];
            let open = !node.key.is_nan() || node.waits;
            (node.key, node.waits) = (f64::NAN, false);
            if open && node.cost + node.bound < goal {
                self.push(number);
            }
        }
        if goal.is_finite() { Event::Round } else { Event::Spent }
    }
}
