//! Pairs of solids that need not be looked at yet.
//!
//! The pairs of two bodies wait in a queue for the way that they have room for. No two bodies have come to each other by more than a certain way
//! since the first step, and a queue is looked at only when that is as far as its first pair may go; sixteen queues stand together, so that most
//! of them are passed by at once.

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use super::ways::{Between, Ways};

/// So many queues stand together.
const TOGETHER: usize = 16;

/// Parts with so much room between them are far apart [m].
const MUCH: f64 = 0.02;

/// All of them.
#[derive(Default)]
pub(super) struct Queues {
    queues: Vec<Queue>,
    /// For each queue how far joints may have moved anything before it is looked at, see [`Ways::most`] [m].
    due: Vec<f64>,
    /// The least of those of each sixteen.
    first_due: Vec<f64>,
}

/// The pairs of two bodies that need not be looked at yet.
#[derive(Clone, Debug)]
struct Queue {
    between: Between,
    /// The parts of the two bodies that the pairs' solids are of.
    parts: (usize, usize),
    /// The way of the two bodies to each other up to which a pair is apart, and which pair.
    waiting: BinaryHeap<Reverse<(Way, usize)>>,
    /// None of them need be looked at before this way [m].
    first: f64,
}

/// A way, which is never negative: such numbers are ordered as their bits are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Way(u64);

impl Queue {
    fn wait(&mut self, until: f64, pair: usize) {
        self.waiting.push(Reverse((Way(until.to_bits()), pair)));
        self.first = self.first.min(until);
    }

    /// If a pair's time has come, lets all go on waiting as far as there is room between all of both parts.
    fn wait_together(&mut self, way: f64, room: impl Fn((usize, usize)) -> f64) {
        if self.first <= way {
            let room = room(self.parts);
            if room > MUCH {
                self.first = way + room;
            }
        }
    }

    /// How far joints may move anything at most until it is to be looked at, where its two bodies have come this way [m].
    fn due(&self, ways: &Ways, way: f64) -> f64 {
        ways.most() + (self.first - way) / self.between.times
    }

    /// The next pair whose time has come.
    fn next(&mut self, way: f64) -> Option<usize> {
        if self.first > way {
            return None;
        }
        let Reverse((_, pair)) = self.waiting.pop()?;
        self.first = self.waiting.peek().map_or(f64::INFINITY, |Reverse((Way(bits), _))| f64::from_bits(*bits));
        Some(pair)
    }
}

impl Queues {
    /// The number of the queue of two bodies' parts.
    pub fn of(&mut self, between: Between, parts: (usize, usize)) -> usize {
        self.queues.iter().position(|queue| queue.between == between && queue.parts == parts).unwrap_or_else(|| {
            self.queues.push(Queue { between, parts, waiting: BinaryHeap::new(), first: f64::INFINITY });
            self.queues.len() - 1
        })
    }

    /// Nobody waits.
    pub fn clear(&mut self) {
        for queue in &mut self.queues {
            queue.waiting.clear();
            queue.first = f64::INFINITY;
        }
        let count = self.queues.len();
        self.due.clear();
        self.due.resize(count, f64::INFINITY);
        self.first_due.clear();
        self.first_due.resize(count.div_ceil(TOGETHER), f64::INFINITY);
    }

    /// A pair of a queue waits until its two have used up the room between them [m].
    pub fn wait(&mut self, ways: &Ways, number: usize, room: f64, pair: usize) {
        let queue = &mut self.queues[number];
        let way = ways.of(&queue.between);
        queue.wait(way + room, pair);
        let due = queue.due(ways, way);
        self.due[number] = due;
        let together = &mut self.first_due[number / TOGETHER];
        *together = together.min(due);
    }

    /// Adds the pairs that no longer wait to those that are near, in their order. `room` says how much at least is between all of two parts [m].
    pub fn gather_due(&mut self, ways: &Ways, room: impl Fn((usize, usize)) -> f64, near: &mut Vec<usize>) {
        let together = self.queues.chunks_mut(TOGETHER).zip(self.due.chunks_mut(TOGETHER));
        for ((queues, due), first) in together.zip(&mut self.first_due) {
            if *first > ways.most() {
                continue;
            }
            *first = f64::INFINITY;
            for (queue, due) in queues.iter_mut().zip(due) {
                if *due <= ways.most() {
                    let way = ways.of(&queue.between);
                    queue.wait_together(way, &room);
                    while let Some(pair) = queue.next(way) {
                        near.insert(near.partition_point(|near| *near < pair), pair);
                    }
                    *due = queue.due(ways, way);
                }
                if *due < *first {
                    *first = *due;
                }
            }
        }
    }
}
