//! Which of a robot's own shapes may touch each other in a step.
//!
//! A robot of meshes has ten thousand pairs, and nearly all of them are far apart nearly all of the time. A pair is measured once; until the
//! joints between its two have turned by what could bring them together, nobody needs to look again: a joint that turns by an angle moves
//! nothing farther than that angle times the farthest that what it carries can ever be from it. So the pairs of two bodies wait in a queue for
//! the way that they have room for, and what is near is looked at in every step. Where all that two bodies carry is far apart, none of their pairs
//! leaves its queue. A pair whose time has come is measured only if its two have
//! really moved against each other by what could bring them together, since joints go to and fro. Whatever is remembered only saves work: a pair
//! that can be near is always looked at, so that nothing depends on when it was measured.

mod parts;
mod queues;
mod seen;
mod ways;

use core::ops::Range;

use mechanics::Model;
use robot_model::RobotModel;

use self::parts::Parts;
use self::queues::Queues;
use self::seen::Seen;
use self::ways::Ways;
use crate::finder::{Finder, Near, least_apart};
use crate::meeting_place::MeetingPlace;
use crate::solids::Solid;

/// Links that are less deep in each other where they begin touch [m].
const TOUCHING: f64 = 1e-3;
/// Points of a robot with itself that are further apart do not take part [m]. Links that pass each other at a few millimetres are common; they
/// come nearer by less in a step, unless at 3 m/s.
pub(crate) const NEAR_OWN: f64 = 0.003;
/// What the search for the nearest points may be wrong by [m].
const DOUBT: f64 = 1e-3;
/// What a way in one direction may be wrong by [m].
const ROUNDING: f64 = 1e-5;
/// Of solids whose balls are further apart than this, nobody asks for more [m].
const FAR: f64 = 0.04;
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
    /// What they wait in.
    queues: Queues,
    /// Those that are looked at in each step, in their order.
    near: Vec<usize>,
    ways: Ways,
    /// For each solid the body with which it moves.
    moves_with: Vec<usize>,
    parts: Parts,
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
    place: MeetingPlace,
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
        let parts = Parts::new(solids, &moves_with);
        let mut own = SelfContact { ways, moves_with, parts, ..SelfContact::default() };
        let overlaps = own.pair_up(robot, &links, solids);
        let numbers = own.queues.group(&own.ways);
        own.pairs.iter_mut().for_each(|pair| pair.queue = numbers[pair.queue]);
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
        let queue = self.queues.of(between, self.parts.of(one, two));
        Pair { one, two, queue, seen: None }
    }

    /// Finds the pairs that are within [`NEAR_OWN`] where the bodies' joints are at `positions`, but for those that both rest, and says how
    /// many they are. The first of `of_pair` tells where a pair met in the last step, the second within what distance of each other its two count,
    /// if that is less: both may only depend on the state.
    pub fn find(
        &mut self,
        solids: &[Solid],
        positions: &[f64],
        finder: &mut Finder,
        rests: impl Fn(&Solid) -> bool,
        of_pair: (impl Fn(usize) -> MeetingPlace, impl Fn(&Solid, &Solid) -> f64),
    ) -> usize {
        self.found.clear();
        self.points.clear();
        if !self.ways.follow(positions) {
            self.begin(positions);
        }
        let SelfContact { queues, ways, parts, near, .. } = self;
        let room = |of: (usize, usize)| parts.apart(solids, of) - NEAR_OWN - ROUNDING;
        queues.gather_due(ways, room, near);
        let mut near = core::mem::take(&mut self.near);
        near.retain(|&pair| {
            let Pair { one, two, .. } = self.pairs[pair];
            (rests(&solids[one]) && rests(&solids[two])) || self.look_at(pair, solids, finder, &of_pair)
        });
        self.near = near;
        self.found.len()
    }

    /// One of the pairs that were found, and where its solids are near each other.
    pub fn found(&self, place: usize) -> ((usize, usize), &[Near]) {
        let Found { pair, ref points, .. } = self.found[place];
        let Pair { one, two, .. } = self.pairs[pair];
        ((one, two), &self.points[points.clone()])
    }

    /// The pairs that were found, with where they met.
    pub fn meetings(&self) -> impl Iterator<Item = (usize, MeetingPlace)> {
        self.found.iter().map(|found| (found.pair, found.place))
    }

    /// Looks at a pair: true if it has to be looked at in the next step again.
    fn look_at(
        &mut self,
        pair: usize,
        solids: &[Solid],
        finder: &mut Finder,
        (before, reach): &(impl Fn(usize) -> MeetingPlace, impl Fn(&Solid, &Solid) -> f64),
    ) -> bool {
        let Pair { one, two, queue, seen } = self.pairs[pair];
        let both @ (first, second) = (&solids[one], &solids[two]);
        let balls = first.apart(second);
        if balls > FAR {
            self.queues.wait(&self.ways, queue, balls - NEAR_OWN - ROUNDING, pair);
            return false;
        }
        let reach = NEAR_OWN.min(reach(first, second));
        // what is near is not looked for where it cannot matter
        let is_beyond = |room: f64, seen: &Seen| seen.room <= DOUBT && room + NEAR_OWN > reach + ROUNDING;
        let is_enough = |room: f64, seen: &Seen| room > DOUBT.max(LITTLE * seen.room);
        if let Some(seen) = seen {
            let left = seen.left(first, second);
            if is_enough(left, &seen) {
                self.queues.wait(&self.ways, queue, left - seen.doubt(), pair);
                return false;
            }
            if is_beyond(left, &seen) {
                return true;
            }
        }
        let place = first.in_frame_of(second);
        if let Some((seen, across)) = seen.and_then(|seen| Some((seen, seen.across()?))) {
            let room = least_apart(first, second, &place, across) - NEAR_OWN;
            let now = Seen::along(room, across, both);
            if is_enough(room, &seen) {
                self.pairs[pair].seen = Some(now);
                self.queues.wait(&self.ways, queue, room - now.doubt(), pair);
                return false;
            }
            if is_beyond(room, &seen) {
                self.pairs[pair].seen = Some(now);
                return true;
            }
            if seen.room <= DOUBT && self.meet((pair, reach), solids, finder, before) {
                return true;
            }
        }
        let now = Seen::new(&place, both, finder.measure(first, second));
        self.pairs[pair].seen = Some(now);
        if now.room > DOUBT {
            self.queues.wait(&self.ways, queue, now.room - now.doubt(), pair);
            return false;
        }
        if now.across().is_some() && is_beyond(now.room, &now) {
            return true;
        }
        self.meet((pair, reach), solids, finder, before);
        true
    }

    /// Finds where a pair is within `reach` [m]; false if it is not.
    fn meet(
        &mut self,
        (pair, reach): (usize, f64),
        solids: &[Solid],
        finder: &mut Finder,
        before: &impl Fn(usize) -> MeetingPlace,
    ) -> bool {
        let (first, mut place) = (self.points.len(), before(pair));
        let both @ (one, two) = (&solids[self.pairs[pair].one], &solids[self.pairs[pair].two]);
        let across = finder.find_within(one, two, reach, &mut place, |near| self.points.push(near));
        let points = first..self.points.len();
        let is_near = !points.is_empty();
        if is_near {
            self.found.push(Found { pair, points, place });
            if let Some(across) = across {
                self.pairs[pair].seen = Some(Seen::along(f64::NEG_INFINITY, across, both));
            }
        }
        is_near
    }

    /// All pairs are to be measured.
    fn begin(&mut self, positions: &[f64]) {
        self.ways.begin(positions);
        self.queues.clear();
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
