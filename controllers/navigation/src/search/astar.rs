//! A* over cells, and over headings as well where the robot does not fit at every one of them.

use core::cmp::Reverse;
use core::f64::consts::{FRAC_PI_4, TAU};
use std::collections::BinaryHeap;

use super::SearchSettings;
use super::field::{Field, Room};
use crate::cost::{HEADINGS, heading_of};

/// In a cell with room for every heading there is one node; in a narrow one there is a node per heading.
const SLOTS: usize = HEADINGS + 1;
/// The slot of a node whose heading does not matter.
pub(super) const ANY: usize = HEADINGS;

/// A node of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub cell: usize,
    /// Its heading, or [`ANY`].
    pub slot: usize,
}

impl Node {
    fn number(self) -> usize {
        self.cell * SLOTS + self.slot
    }

    fn from_number(number: usize) -> Node {
        Node { cell: number / SLOTS, slot: number % SLOTS }
    }
}

/// A way over an edge: from one cell to another, straight ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    pub from: usize,
    pub to: usize,
    pub heading: usize,
    pub cost: f64,
    /// Which of the map's edges.
    pub edge: usize,
}

/// What a search starts from and looks for.
pub(super) struct Query<'a> {
    pub start: Node,
    /// The robot stands where it must not, and may leave it.
    pub escape: bool,
    /// The goal, at any heading if that is [`ANY`]. `None` if the goal cannot be reached for a reason that is known; then the nearest place is looked for.
    pub goal: Option<Node>,
    /// Where the goal is [m], on the map or off it.
    pub toward: (f64, f64),
    /// Ways over edges, in order of the cell from which they lead.
    pub crossings: &'a [Crossing],
}

/// What a search has found.
pub(super) struct Found {
    /// From the start to the goal, or to the reachable node that is nearest to it; with the edge that was crossed to each node.
    pub way: Vec<(Node, Option<usize>)>,
    /// Whether it is the goal.
    pub is_goal: bool,
    /// What the way costs [m].
    pub cost: f64,
}

pub(super) struct Search<'a> {
    field: &'a Field<'a>,
    settings: &'a SearchSettings,
    query: &'a Query<'a>,
    cost_to: Vec<f64>,
    parent: Vec<u32>,
    closed: Vec<bool>,
    queue: BinaryHeap<Reverse<(u64, u32)>>,
}

/// So much nearer to the goal a place must be for each metre that the way there is longer.
const WAY_SHARE: f64 = 0.1;
const NO_PARENT: u32 = u32::MAX;
/// Steps to the eight neighbours, counter-clockwise from x.
const STEPS: [(i32, i32); 8] = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

impl<'a> Search<'a> {
    pub fn new(field: &'a Field<'a>, settings: &'a SearchSettings, query: &'a Query<'a>) -> Search<'a> {
        let nodes = field.frame().len() * SLOTS;
        Search {
            field,
            settings,
            query,
            cost_to: vec![f64::INFINITY; nodes],
            parent: vec![NO_PARENT; nodes],
            closed: vec![false; nodes],
            queue: BinaryHeap::new(),
        }
    }

    /// Searches until the goal is reached or nothing is left.
    pub fn run(mut self) -> Found {
        let start = self.query.start;
        let mut nearest = (self.distance_left(start.cell), start);
        // around what is in the way many places are about as near: the robot goes to one on its own side
        self.cost_to[start.number()] = 0.0;
        self.queue.push(Reverse((0, start.number() as u32)));
        while let Some(Reverse((_, number))) = self.queue.pop() {
            let node = Node::from_number(number as usize);
            if core::mem::replace(&mut self.closed[node.number()], true) {
                continue;
            }
            if self.query.goal.is_some_and(|goal| self.is_at(node, goal)) {
                return self.found(node, true);
            }
            let left = self.distance_left(node.cell) + WAY_SHARE * self.cost_to[node.number()];
            if left < nearest.0 && self.is_a_place(node) {
                nearest = (left, node);
            }
            self.expand(node);
        }
        self.found(nearest.1, false)
    }

    fn is_at(&self, node: Node, goal: Node) -> bool {
        node.cell == goal.cell && (goal.slot == ANY || node.slot == goal.slot) && self.is_a_place(node)
    }

    /// Straight distance to the goal [m]: no metre costs less than one.
    fn distance_left(&self, cell: usize) -> f64 {
        let (x, y) = self.field.frame().center(cell);
        libm::hypot(x - self.query.toward.0, y - self.query.toward.1)
    }

    /// True if the robot may stay there.
    fn is_a_place(&self, node: Node) -> bool {
        match self.field.room(node.cell) {
            Room::None => false,
            Room::Some(_) => node.slot != ANY,
            Room::Any => true,
        }
    }

    fn expand(&mut self, node: Node) {
        for (direction, (across, along)) in STEPS.into_iter().enumerate() {
            if let Some(cell) = self.field.frame().neighbour(node.cell, across, along) {
                self.step(node, cell, direction);
            }
        }
        if node.slot != ANY {
            for slot in [(node.slot + 1) % HEADINGS, (node.slot + HEADINGS - 1) % HEADINGS] {
                if self.field.room(node.cell).fits(slot) {
                    self.reach(node, Node { cell: node.cell, slot }, self.turning(node.slot, slot));
                }
            }
        }
        let first = self.query.crossings.partition_point(|crossing| crossing.from < node.cell);
        for crossing in self.query.crossings[first..].iter().take_while(|crossing| crossing.from == node.cell) {
            self.cross(node, crossing);
        }
    }

    fn step(&mut self, node: Node, cell: usize, direction: usize) {
        let length = if direction.is_multiple_of(2) { 1.0 } else { core::f64::consts::SQRT_2 };
        let ground = 0.5 * (self.field.cost(node.cell) + self.field.cost(cell));
        let length = length * self.field.frame().cell;
        let cost = length * (1.0 + self.settings.caution * ground);
        let room = self.field.room(cell);
        match room {
            Room::Any => self.reach(node, Node { cell, slot: ANY }, cost),
            Room::Some(_) => {
                for slot in (0..HEADINGS).filter(|slot| room.fits(*slot)) {
                    let turn = self.turning(node.slot, slot);
                    let squeezing = self.settings.squeezing * room.lack(slot) * length;
                    // it turns before it moves or afterwards, and fits meanwhile
                    let turns = node.slot == ANY || room.fits(node.slot) || self.field.room(node.cell).fits(slot);
                    if node.slot == ANY || bins_between(node.slot, slot) <= 1 && turns {
                        self.reach(node, Node { cell, slot }, cost * self.facing(slot, direction) + turn + squeezing);
                    }
                }
                self.escape(node, cell, cost);
            }
            Room::None => self.escape(node, cell, cost),
        }
    }

    /// A robot that stands where it must not may drive a little way through what is too near to an obstacle.
    fn escape(&mut self, node: Node, cell: usize, cost: f64) {
        let escaping = node.slot == ANY && self.query.escape && self.field.room(node.cell) != Room::Any;
        if !escaping || self.field.is_obstacle(cell) {
            return;
        }
        let ((x, y), (u, v)) = (self.field.frame().center(self.query.start.cell), self.field.frame().center(cell));
        if libm::hypot(x - u, y - v) <= self.settings.escape {
            // the nearer to the obstacle, the dearer
            let nearness = 1.0 / (0.2 + f64::from(self.field.costs.clearance[cell]));
            self.reach(node, Node { cell, slot: ANY }, cost * (1.0 + self.settings.escape_cost * nearness));
        }
    }

    fn cross(&mut self, node: Node, crossing: &Crossing) {
        let lined_up = node.slot == ANY || node.slot == crossing.heading;
        let slot = match self.field.room(crossing.to) {
            Room::Any => ANY,
            room if room.fits(crossing.heading) => crossing.heading,
            _ => return,
        };
        if lined_up && self.field.room(node.cell).fits(crossing.heading) {
            self.reach(node, Node { cell: crossing.to, slot }, crossing.cost);
        }
    }

    /// What driving in one of the eight directions costs at a heading, relative to driving forwards.
    fn facing(&self, slot: usize, direction: usize) -> f64 {
        let angle = heading_of(slot) - direction as f64 * FRAC_PI_4;
        let (s, c) = (robot_io::math::sin(angle), robot_io::math::cos(angle));
        1.0 + self.settings.sideways * s * s + self.settings.backwards * (-c).max(0.0)
    }

    fn turning(&self, from: usize, to: usize) -> f64 {
        if from == ANY { 0.0 } else { self.settings.turning * bins_between(from, to) as f64 * TAU / HEADINGS as f64 }
    }

    fn reach(&mut self, from: Node, to: Node, cost: f64) {
        let number = to.number();
        let total = self.cost_to[from.number()] + cost;
        if self.closed[number] || total >= self.cost_to[number] {
            return;
        }
        self.cost_to[number] = total;
        self.parent[number] = from.number() as u32;
        // the bits of numbers that are not negative are in the same order as the numbers
        let estimate = (total + self.distance_left(to.cell)).to_bits();
        self.queue.push(Reverse((estimate, number as u32)));
    }

    fn found(&self, last: Node, is_goal: bool) -> Found {
        let mut way = Vec::new();
        let mut number = last.number();
        while self.parent[number] != NO_PARENT {
            let (node, parent) = (Node::from_number(number), Node::from_number(self.parent[number] as usize));
            way.push((node, self.crossing_between(parent, node)));
            number = parent.number();
        }
        way.push((Node::from_number(number), None));
        way.reverse();
        Found { way, is_goal, cost: self.cost_to[last.number()] }
    }

    /// The crossing that leads from one node to another; nothing else leads farther than to a neighbour.
    fn crossing_between(&self, from: Node, to: Node) -> Option<usize> {
        let crossings = self.query.crossings;
        let leads = |crossing: &&Crossing| crossing.from == from.cell && crossing.to == to.cell;
        crossings.iter().filter(leads).min_by(|a, b| a.cost.total_cmp(&b.cost)).map(|crossing| crossing.edge)
    }
}

fn bins_between(a: usize, b: usize) -> usize {
    let apart = a.abs_diff(b);
    apart.min(HEADINGS - apart)
}
