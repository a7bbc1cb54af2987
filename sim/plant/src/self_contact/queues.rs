//! Pairs of solids that need not be looked at yet.
//!
//! The pairs of two bodies wait in a queue for the way that they have room for. No two bodies have come to each other by more than a certain way
//! since the first step, and a queue is looked at only when that is as far as its first pair may go; up to sixteen queues stand together, whose bodies
//! are moved by the same branches of the robot, so that most of them are passed by at once.

use core::cmp::Reverse;
use core::ops::Range;
use std::collections::BinaryHeap;

use super::ways::{Between, Ways};

/// So many queues stand together.
const TOGETHER: usize = 16;

/// A pair whose time comes within this way is not waited for [m].
const SOON: f64 = 3e-4;

/// Parts with so much room between them are far apart [m].
const MUCH: f64 = 0.02;

/// All of them.
#[derive(Default)]
pub(super) struct Queues {
    queues: Vec<Queue>,
    /// For each queue how far the joints of its group may have [moved](Group::moved) anything before it is looked at [m].
    due: Vec<f64>,
    groups: Vec<Group>,
}

/// Queues that stand together.
#[derive(Clone, Debug)]
struct Group {
    queues: Range<usize>,
    /// The segments whose joints move their bodies.
    segments: Vec<usize>,
    /// The sum, over the steps since the first, of how far the joint has moved something at most that did so the farthest [m].
    moved: f64,
    /// The least at which one of the queues is due.
    first_due: f64,
}

/// The pairs of two bodies that need not be looked at yet.
#[derive(Clone, Debug)]
struct Queue {
    between: Between,
    /// The parts of the two bodies that the pairs' solids are of.
    parts: (usize, usize),
    /// With whom it stands.
    group: usize,
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
        if self.first <= way + SOON {
            let room = room(self.parts);
            if room > MUCH {
                self.first = way + room;
            }
        }
    }

    /// How far joints may have moved anything at most when it is to be looked at, where they have `moved` it so far and its two bodies have come this way
    /// [m].
    fn due(&self, moved: f64, way: f64) -> f64 {
        moved + (self.first - way) / self.between.times
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
    /// The number of the queue of two bodies' parts, until they are [grouped](Queues::group).
    pub fn of(&mut self, between: Between, parts: (usize, usize)) -> usize {
        self.queues.iter().position(|queue| queue.between == between && queue.parts == parts).unwrap_or_else(|| {
            let (waiting, first) = (BinaryHeap::new(), f64::INFINITY);
            self.queues.push(Queue { between, parts, group: 0, waiting, first });
            self.queues.len() - 1
        })
    }

    /// Puts those together that the same segments move. For each queue its new number.
    pub fn group(&mut self, ways: &Ways) -> Vec<usize> {
        let segments = |queue: &Queue| {
            let mut segments = Vec::new();
            ways.add_segments(&queue.between, &mut segments);
            segments
        };
        let mut sorted: Vec<(Vec<usize>, usize)> =
            self.queues.iter().map(segments).enumerate().map(|(number, segments)| (segments, number)).collect();
        sorted.sort();
        let mut numbers = vec![0; sorted.len()];
        sorted.iter().enumerate().for_each(|(new, (_, old))| numbers[*old] = new);
        let old = core::mem::take(&mut self.queues);
        self.queues = sorted.iter().map(|(_, number)| old[*number].clone()).collect();
        for alike in sorted.chunk_by(|(one, _), (other, _)| one == other) {
            for together in alike.chunks(TOGETHER) {
                let first = self.groups.last().map_or(0, |group| group.queues.end);
                let queues = first..first + together.len();
                self.queues[queues.clone()].iter_mut().for_each(|queue| queue.group = self.groups.len());
                let segments = together[0].0.clone();
                self.groups.push(Group { queues, segments, moved: 0.0, first_due: f64::INFINITY });
            }
        }
        numbers
    }

    /// Nobody waits.
    pub fn clear(&mut self) {
        for queue in &mut self.queues {
            queue.waiting.clear();
            queue.first = f64::INFINITY;
        }
        self.due.clear();
        self.due.resize(self.queues.len(), f64::INFINITY);
        for group in &mut self.groups {
            (group.moved, group.first_due) = (0.0, f64::INFINITY);
        }
    }

    /// A pair of a queue waits until its two have used up the room between them [m].
    pub fn wait(&mut self, ways: &Ways, number: usize, room: f64, pair: usize) {
        let queue = &mut self.queues[number];
        let way = ways.of(&queue.between);
        queue.wait(way + room, pair);
        let group = &mut self.groups[queue.group];
        let due = queue.due(group.moved, way);
        self.due[number] = due;
        group.first_due = group.first_due.min(due);
    }

    /// Adds the pairs that no longer wait to those that are near, in their order. `room` says how much at least is between all of two parts [m].
    pub fn gather_due(&mut self, ways: &Ways, room: impl Fn((usize, usize)) -> f64, near: &mut Vec<usize>) {
        for group in &mut self.groups {
            group.moved += ways.farthest(&group.segments);
            if group.first_due > group.moved {
                continue;
            }
            group.first_due = f64::INFINITY;
            let own = group.queues.clone();
            for (queue, due) in self.queues[own.clone()].iter_mut().zip(&mut self.due[own]) {
                if *due <= group.moved {
                    let way = ways.of(&queue.between);
                    queue.wait_together(way, &room);
                    while let Some(pair) = queue.next(way + SOON) {
                        near.insert(near.partition_point(|near| *near < pair), pair);
                    }
                    *due = queue.due(group.moved, way);
                }
                if *due < group.first_due {
                    group.first_due = *due;
                }
            }
        }
    }
}
