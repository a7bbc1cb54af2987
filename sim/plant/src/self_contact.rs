//! Which of a robot's own shapes may touch each other in a step.
//!
//! A robot of meshes has ten thousand pairs, and nearly all of them are far apart nearly all of the time. A pair is measured once; until the
//! joints between its two have turned by what could bring them together, nobody needs to look again: a joint that turns by an angle moves
//! nothing farther than that angle times the farthest that what it carries can ever be from it. So the pairs of two bodies wait in a queue for
//! the way that they have room for, and what is near is looked at in every step. A pair whose time has come is measured only if its two have
//! really moved against each other by what could bring them together, since joints go to and fro. Whatever is remembered only saves work: a pair
//! that can be near is always looked at, so that nothing depends on when it was measured.

mod ways;

use core::cmp::Reverse;
use core::ops::Range;
use std::collections::BinaryHeap;

use mechanics::Model;
use nalgebra::Isometry3;
use parry3d::math::Vector;
use robot_model::RobotModel;

use self::ways::{Between, Ways};
use crate::finder::{Apart, Finder, Near, least_apart};
use crate::solids::Solid;

/// Links that are less deep in each other where they begin touch [m].
const TOUCHING: f64 = 1e-3;
/// Points of a robot with itself that are further apart do not take part [m]. Links that pass each other at a few millimetres are common; they
/// come nearer by less in a step, unless at 3 m/s.
const NEAR_OWN: f64 = 0.003;
/// What the search for the nearest points may be wrong by [m].
const DOUBT: f64 = 1e-3;
/// What a way in one direction may be wrong by [m].
const ROUNDING: f64 = 1e-5;
/// If so much of a pair's room is left, it need not be measured again.
const LITTLE: f64 = 0.1;

/// Two of the robot's links that overlap by more than 1 mm where it begins: they do not touch each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overlap {
    /// The one link.
    pub one: usize,
    /// The other.
    pub two: usize,
    /// How deep they are in each other [m].
    pub depth: f64,
}

/// Pairs of solids of one robot.
#[derive(Default)]
pub(crate) struct SelfContact {
    /// All pairs that may touch.
    pairs: Vec<Pair>,
    /// What they wait for.
    queues: Vec<Queue>,
    /// For each queue the most that any two bodies may have come to each other before it is looked at [m].
    due: Vec<f64>,
    /// Those that are looked at in each step, in their order.
    near: Vec<usize>,
    ways: Ways,
    /// For each solid the body with which it moves.
    moves_with: Vec<usize>,
    /// What was found in this step.
    found: Vec<Found>,
    points: Vec<Near>,
}

/// A pair that is near.
#[derive(Clone, Debug)]
struct Found {
    pair: usize,
    /// Where, among the step's points.
    points: Range<usize>,
}

/// Two solids that may touch.
#[derive(Clone, Copy, Debug)]
struct Pair {
    one: usize,
    two: usize,
    /// Its queue.
    queue: usize,
    /// As it was last measured.
    seen: Option<Seen>,
}

/// A pair as it was measured.
#[derive(Clone, Copy, Debug)]
struct Seen {
    /// The first solid in the second one's frame.
    place: Isometry3<f64>,
    /// How much farther apart than near they were [m].
    room: f64,
    /// A direction in the second one's frame in which they were so, from the second to the first.
    across: Option<Vector>,
}

impl Seen {
    /// How much room there is at least where the first solid is now [m]; `None` if that is little of what there was, and so is not known.
    fn room_at(&self, place: &Isometry3<f64>, first: &Solid) -> Option<f64> {
        Some(self.room - first.way(&self.place, place)).filter(|room| *room > DOUBT.max(LITTLE * self.room))
    }

    /// How much there is at least now, by how far apart they are in the direction in which they were.
    fn least_room_at(&self, place: &Isometry3<f64>, first: &Solid, second: &Solid) -> Option<f64> {
        Some(least_apart(first, second, place, self.across?) - NEAR_OWN)
    }
}

/// The pairs of two bodies that need not be looked at yet.
#[derive(Clone, Debug)]
struct Queue {
    between: Between,
    /// The way of the two bodies to each other up to which a pair is apart, and which pair.
    waiting: BinaryHeap<Reverse<(Way, usize)>>,
    /// The first of them [m].
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

impl SelfContact {
    /// The pairs of a robot, whose bodies in the mechanics are those of the tree of `base`, whose links are `links` of all robots', and whose
    /// solids are where it begins. Links that
    /// hang together by a joint, those that the robot's file keeps apart, and those that overlap from the beginning do not touch; the last
    /// are told.
    pub fn new(
        robot: &RobotModel,
        model: &Model,
        (base, links): (usize, Range<usize>),
        solids: &[Solid],
    ) -> (SelfContact, Vec<Overlap>) {
        let (ways, moves_with) = Ways::new(model, base, solids);
        let mut own = SelfContact { ways, moves_with, ..SelfContact::default() };
        let overlaps = own.pair_up(robot, &links, solids);
        (own, overlaps)
    }

    fn pair_up(&mut self, robot: &RobotModel, links: &Range<usize>, solids: &[Solid]) -> Vec<Overlap> {
        let link = |solid: usize| solids[solid].owner.link_of(links);
        let mut finder = Finder::default();
        let mut overlaps: Vec<Overlap> = Vec::new();
        for two in 0..solids.len() {
            for one in 0..two {
                let (Some(first), Some(second)) = (link(one), link(two)) else { continue };
                if hang_together(robot, first, second) || robot.description.keeps_apart(first, second) {
                    continue;
                }
                match finder.depth(&solids[one], &solids[two]).filter(|depth| *depth > TOUCHING) {
                    Some(depth) => add(&mut overlaps, Overlap { one: first, two: second, depth }),
                    None => {
                        let pair = self.pair(one, two);
                        self.pairs.push(pair);
                    }
                }
            }
        }
        // a link of several shapes is one thing
        let overlaps_at = |one, two| {
            let are = |overlap: &Overlap| (Some(overlap.one), Some(overlap.two)) == (link(one), link(two));
            overlaps.iter().any(are)
        };
        self.pairs.retain(|pair| !overlaps_at(pair.one, pair.two));
        overlaps
    }

    fn pair(&mut self, one: usize, two: usize) -> Pair {
        let between = self.ways.between(self.moves_with[one], self.moves_with[two]);
        let queue = self.queues.iter().position(|queue| queue.between == between).unwrap_or_else(|| {
            self.queues.push(Queue { between, waiting: BinaryHeap::new(), first: f64::INFINITY });
            self.queues.len() - 1
        });
        Pair { one, two, queue, seen: None }
    }

    /// Finds the pairs that are within [`NEAR_OWN`] where the bodies' joints are at `positions`, but for those that both rest, and says how
    /// many they are.
    pub fn find(
        &mut self,
        solids: &[Solid],
        positions: &[f64],
        finder: &mut Finder,
        rests: impl Fn(&Solid) -> bool,
    ) -> usize {
        self.found.clear();
        self.points.clear();
        if !self.ways.follow(positions) {
            self.begin(positions);
        }
        self.gather_due();
        let mut near = core::mem::take(&mut self.near);
        near.retain(|&pair| {
            let Pair { one, two, .. } = self.pairs[pair];
            (rests(&solids[one]) && rests(&solids[two])) || self.look_at(pair, solids, finder)
        });
        self.near = near;
        self.found.len()
    }

    /// Gathers the pairs that no longer wait.
    fn gather_due(&mut self) {
        let SelfContact { queues, due, near, ways, .. } = self;
        for (queue, due) in queues.iter_mut().zip(due) {
            if *due > ways.most() {
                continue;
            }
            let way = ways.of(queue.between);
            while let Some(pair) = queue.next(way) {
                near.insert(near.partition_point(|near| *near < pair), pair);
            }
            *due = ways.most() + (queue.first - way);
        }
    }

    /// One of the pairs that were found, and where its solids are near each other.
    pub fn found(&self, place: usize) -> ((usize, usize), &[Near]) {
        let Found { pair, ref points } = self.found[place];
        let Pair { one, two, .. } = self.pairs[pair];
        ((one, two), &self.points[points.clone()])
    }

    /// Looks at a pair: true if it has to be looked at in the next step again.
    fn look_at(&mut self, pair: usize, solids: &[Solid], finder: &mut Finder) -> bool {
        let Pair { one, two, seen, .. } = self.pairs[pair];
        let (first, second) = (&solids[one], &solids[two]);
        let place = first.in_frame_of(second);
        if let Some(room) = seen.and_then(|seen| seen.room_at(&place, first)) {
            self.wait(pair, room);
            return false;
        }
        let least = seen.and_then(|seen| seen.least_room_at(&place, first, second));
        if let (Some(seen), Some(room)) = (seen, least) {
            if room > DOUBT.max(LITTLE * seen.room) {
                self.pairs[pair].seen = Some(Seen { place, room, ..seen });
                self.wait(pair, room);
                return false;
            }
            if seen.room <= DOUBT && room > ROUNDING {
                return true;
            }
        }
        if seen.is_some_and(|seen| seen.room <= DOUBT && seen.across.is_some()) && self.meet(pair, solids, finder) {
            return true;
        }
        let Apart { distance, across } = finder.measure(first, second);
        // the search may stop too early, but what is between both in its direction is there
        let proven = across.map_or(distance, |across| least_apart(first, second, &place, across));
        let room = distance.min(proven) - NEAR_OWN;
        self.pairs[pair].seen = Some(Seen { place, room, across });
        if room > DOUBT {
            self.wait(pair, room);
            return false;
        }
        self.meet(pair, solids, finder);
        true
    }

    /// A pair need not be looked at until its two can have used up the room between them [m].
    fn wait(&mut self, pair: usize, room: f64) {
        let number = self.pairs[pair].queue;
        let queue = &mut self.queues[number];
        let way = self.ways.of(queue.between);
        queue.wait(way + room - DOUBT, pair);
        self.due[number] = self.ways.most() + (queue.first - way);
    }

    /// Finds where a pair is near; false if it is not.
    fn meet(&mut self, pair: usize, solids: &[Solid], finder: &mut Finder) -> bool {
        let first = self.points.len();
        let (one, two) = (&solids[self.pairs[pair].one], &solids[self.pairs[pair].two]);
        let across = finder.find_within(one, two, NEAR_OWN, |near| self.points.push(near));
        let points = first..self.points.len();
        let is_near = !points.is_empty();
        if is_near {
            self.found.push(Found { pair, points });
            if let Some(seen) = &mut self.pairs[pair].seen {
                seen.across = across;
            }
        }
        is_near
    }

    /// All pairs are to be measured.
    fn begin(&mut self, positions: &[f64]) {
        self.ways.begin(positions);
        for queue in &mut self.queues {
            queue.waiting.clear();
            queue.first = f64::INFINITY;
        }
        self.due.clear();
        self.due.resize(self.queues.len(), f64::INFINITY);
        self.near.clear();
        self.near.extend(0..self.pairs.len());
    }
}

fn hang_together(robot: &RobotModel, one: usize, two: usize) -> bool {
    let body = |link: usize| robot.tree.place(link).body;
    let (one, two) = (body(one), body(two));
    let carries = |carrier: usize, carried: usize| {
        robot.tree.rigid_bodies().nth(carried).and_then(|body| body.parent) == Some(carrier)
    };
    one == two || carries(one, two) || carries(two, one)
}

fn add(overlaps: &mut Vec<Overlap>, new: Overlap) {
    match overlaps.iter_mut().find(|old| (old.one, old.two) == (new.one, new.two)) {
        Some(old) => old.depth = old.depth.max(new.depth),
        None => overlaps.push(new),
    }
}

#[cfg(test)]
mod tests;
