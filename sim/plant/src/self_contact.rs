//! Which of a robot's own shapes may touch each other in a step.
//!
//! A robot of meshes has ten thousand pairs, and nearly all of them are far apart nearly all of the time. A pair is measured once; until the
//! joints between its two have turned by what could bring them together, nobody needs to look again: a joint that turns by an angle moves
//! nothing farther than that angle times the farthest that what it carries can ever be from it. So the pairs of two bodies wait in a queue for
//! the way that they have room for, and what is near is looked at in every step. A pair whose time has come is measured only if its two have
//! really moved against each other by what could bring them together, since joints go to and fro. Whatever is remembered only saves work: a pair
//! that can be near is always looked at, so that nothing depends on when it was measured.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use mechanics::{Joint, Model};
use nalgebra::Isometry3;
use robot_model::RobotModel;

use crate::solids::{Carrier, Finder, Solid};

/// Links that are less deep in each other where they begin touch [m].
const TOUCHING: f64 = 1e-3;
/// Points of a robot with itself that are further apart do not take part [m]. Links that pass each other at a few millimetres are common; they
/// come nearer by less in a step, unless at 3 m/s.
pub(crate) const NEAR_OWN: f64 = 0.003;
/// What the search for the nearest points may be wrong by [m].
const DOUBT: f64 = 1e-3;
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
    /// Those that are looked at in each step, in their order.
    near: Vec<usize>,
    /// The robot's bodies, the base first.
    bodies: Vec<Carried>,
    /// Positions of their joints in the last step; none before the first.
    last: Vec<f64>,
    /// The way of all joints up to each body since the first step, as what they carry can have gone it at most [m].
    way: Vec<f64>,
    /// The part of it that is each body's own joint's [m].
    turned: Vec<f64>,
    /// For each solid the body with which it moves: of what is round about its joint's axis the one that carries it.
    moves_with: Vec<usize>,
    /// For the next step.
    found: Vec<(usize, usize)>,
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
}

impl Seen {
    /// How much room there is at least where the first solid is now [m]; `None` if that is little of what there was, and so is not known.
    fn room_at(&self, place: &Isometry3<f64>, first: &Solid) -> Option<f64> {
        Some(self.room - first.way(&self.place, place)).filter(|room| *room > DOUBT.max(LITTLE * self.room))
    }
}

/// The pairs of two bodies that need not be looked at yet.
#[derive(Clone, Debug)]
struct Queue {
    /// The bodies, and the nearest one that carries both.
    bodies: (usize, usize, usize),
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

/// A body as its joint moves it.
#[derive(Clone, Copy, Debug)]
struct Carried {
    /// The body in the mechanics.
    number: usize,
    /// What carries it, among the robot's bodies.
    parent: usize,
    /// How far a point moves at most for each unit of the joint's way [m/rad or 1].
    lever: f64,
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
        let mut own = SelfContact { bodies: carried(model, base, solids), ..SelfContact::default() };
        own.moves_with = solids.iter().map(|solid| own.moves_with(model, base, solid)).collect();
        let overlaps = own.pair_up(robot, &links, solids);
        (own, overlaps)
    }

    fn moves_with(&self, model: &Model, base: usize, solid: &Solid) -> usize {
        let Carrier::Body(number) = solid.carrier else { return 0 };
        let Some(body) = number.checked_sub(base).filter(|body| *body < self.bodies.len()) else { return 0 };
        if is_round(model, number, solid) { self.bodies[body].parent } else { body }
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
        let (first, second) = (self.moves_with[one], self.moves_with[two]);
        let (mut low, mut high) = (first.min(second), first.max(second));
        while low != high {
            // whoever carries a body stands before it
            (low, high) = (low.min(self.bodies[high].parent), low.max(self.bodies[high].parent));
        }
        let bodies = (first.min(second), first.max(second), low);
        let queue = self.queues.iter().position(|queue| queue.bodies == bodies).unwrap_or_else(|| {
            self.queues.push(Queue { bodies, waiting: BinaryHeap::new(), first: f64::INFINITY });
            self.queues.len() - 1
        });
        Pair { one, two, queue, seen: None }
    }

    /// Finds the pairs that are within [`NEAR_OWN`] where the bodies' joints are at `positions`, and says how many they are.
    pub fn find(&mut self, solids: &[Solid], positions: &[f64], finder: &Finder) -> usize {
        self.found.clear();
        if !self.follow(positions) {
            self.begin(positions);
        }
        let SelfContact { queues, near, way, .. } = self;
        for queue in queues {
            let between = way_between(way, queue);
            while let Some(pair) = queue.next(between) {
                near.insert(near.partition_point(|near| *near < pair), pair);
            }
        }
        let mut near = core::mem::take(&mut self.near);
        near.retain(|&pair| self.look_at(pair, solids, finder));
        self.near = near;
        self.found.len()
    }

    /// One of the pairs that were found.
    pub fn found(&self, place: usize) -> (usize, usize) {
        self.found[place]
    }

    /// Looks at a pair: true if it has to be looked at in the next step again.
    fn look_at(&mut self, pair: usize, solids: &[Solid], finder: &Finder) -> bool {
        let Pair { one, two, queue, ref mut seen } = self.pairs[pair];
        let (first, second) = (&solids[one], &solids[two]);
        let place = first.in_frame_of(second);
        let room = seen.and_then(|seen| seen.room_at(&place, first)).unwrap_or_else(|| {
            let room = finder.distance(first, second) - NEAR_OWN;
            *seen = Some(Seen { place, room });
            room
        });
        if room < 0.0 {
            self.found.push((one, two));
        }
        let has_room = room > DOUBT;
        if has_room {
            let queue = &mut self.queues[queue];
            queue.wait(way_between(&self.way, queue) + room - DOUBT, pair);
        }
        !has_room
    }

    /// Adds up the ways since the last step; false if there was none, or if one is no number.
    fn follow(&mut self, positions: &[f64]) -> bool {
        if self.last.is_empty() {
            return false;
        }
        let mut is_number = true;
        for place in 1..self.bodies.len() {
            let Carried { number, parent, lever } = self.bodies[place];
            self.turned[place] += (positions[number] - self.last[place]).abs() * lever;
            self.last[place] = positions[number];
            self.way[place] = self.way[parent] + self.turned[place];
            is_number &= self.way[place].is_finite();
        }
        is_number
    }

    /// All pairs are to be measured.
    fn begin(&mut self, positions: &[f64]) {
        self.last.clear();
        self.last.extend(self.bodies.iter().map(|body| positions[body.number]));
        for ways in [&mut self.way, &mut self.turned] {
            ways.clear();
            ways.resize(self.bodies.len(), 0.0);
        }
        for queue in &mut self.queues {
            queue.waiting.clear();
            queue.first = f64::INFINITY;
        }
        self.near.clear();
        self.near.extend(0..self.pairs.len());
    }
}

/// How far two bodies can have come to each other since the first step [m].
fn way_between(way: &[f64], queue: &Queue) -> f64 {
    let (one, two, both) = queue.bodies;
    way[one] + way[two] - 2.0 * way[both]
}

/// Whether a solid looks the same however its joint turns it.
fn is_round(model: &Model, body: usize, solid: &Solid) -> bool {
    let Joint::Revolute(axis) = model.bodies()[body].joint else { return false };
    solid.is_round_about(&axis)
}

/// The bodies of the robot with the levers of their joints.
fn carried(model: &Model, base: usize, solids: &[Solid]) -> Vec<Carried> {
    let tree = model.tree(base);
    // how far what a body carries, itself included, can be from its joint: all of it, and without what is round about the joint's axis
    let mut whole = vec![0.0_f64; tree.len()];
    let mut moving = vec![0.0_f64; tree.len()];
    for solid in solids {
        let Carrier::Body(number) = solid.carrier else { continue };
        let Some(place) = number.checked_sub(base).filter(|place| *place < tree.len()) else { continue };
        let far = solid.farthest_in_carrier();
        whole[place] = whole[place].max(far);
        if !is_round(model, number, solid) {
            moving[place] = moving[place].max(far);
        }
    }
    let parent = |place: usize| model.bodies()[base + place].parent.map_or(0, |parent| parent - base);
    for place in (1..tree.len()).rev() {
        let far =
            model.bodies()[base + place].placement_in_parent.translation.vector.norm() + travel(model, base + place);
        whole[parent(place)] = whole[parent(place)].max(far + whole[place]);
        moving[parent(place)] = moving[parent(place)].max(far + whole[place]);
    }
    let lever = |place: usize| match model.bodies()[base + place].joint {
        Joint::Revolute(_) => moving[place],
        _ => 1.0,
    };
    (0..tree.len()).map(|place| Carried { number: base + place, parent: parent(place), lever: lever(place) }).collect()
}

/// How far a body that slides can be from where its joint's position is zero [m].
fn travel(model: &Model, number: usize) -> f64 {
    let Joint::Prismatic(_) = model.bodies()[number].joint else { return 0.0 };
    let limits = model.constraints().iter().filter_map(|constraint| match constraint {
        mechanics::Constraint::Limit { body, lower, upper, .. } if *body == number => {
            Some(lower.abs().max(upper.abs()))
        }
        _ => None,
    });
    limits.fold(f64::INFINITY, f64::min)
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
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::collision::{Owner, collision_shapes};
    use mechanics::{Coordinates, Kinematics};
    use proptest::prelude::*;
    use std::path::Path;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        #[test]
        fn no_pair_that_is_near_is_left_out_however_the_joints_move(
            moves in proptest::collection::vec((any::<prop::sample::Index>(), -0.3_f64..0.3), 1..120)
        ) {
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
            let robot = RobotModel::load(&root.join("robot_models/centaur/centaur.toml")).unwrap();
            let world = worlds::World::load(&root.join("worlds/flat.toml")).unwrap();
            let parts = mechanics::robot(&robot.tree, Joint::Free, &Isometry3::identity(), 0, |_| 0.0);
            let model = Model::new(parts.bodies).unwrap().with(parts.constraints).unwrap();
            let mut coordinates = Coordinates::new(&model);
            let mut kinematics = Kinematics::new(&model);
            let shapes = collision_shapes(&world, &robot).unwrap();
            let mut solids: Vec<Solid> = shapes.into_iter().filter_map(|shape| {
                let Owner::Link(link) = shape.owner else { return None };
                let place = robot.tree.place(link);
                let pose = place.pose_in_body * shape.pose_in_owner;
                Some(Solid::new(shape.owner, Carrier::Body(place.body), shape.shape, pose))
            }).collect();
            let mut place_all = |solids: &mut [Solid], coordinates: &Coordinates| {
                kinematics.place(&model, coordinates);
                solids.iter_mut().for_each(|solid| if let Carrier::Body(body) = solid.carrier {
                    solid.place(&kinematics.bodies[body].in_world);
                });
            };
            place_all(&mut solids, &coordinates);
            let (mut own, _) = SelfContact::new(&robot, &model, (0, 0..robot.tree.links.len()), &solids);
            let finder = Finder::default();
            for (joint, way) in moves {
                coordinates.positions[1 + joint.index(model.bodies().len() - 1)] += way;
                place_all(&mut solids, &coordinates);
                let count = own.find(&solids, &coordinates.positions, &finder);
                let found: Vec<_> = (0..count).map(|place| own.found(place)).collect();
                for &Pair { one, two, .. } in &own.pairs {
                    let near = finder.distance(&solids[one], &solids[two]) < NEAR_OWN;
                    prop_assert_eq!(near, found.contains(&(one, two)), "solids {} and {}", one, two);
                }
            }
        }
    }
}
