//! How far a robot's bodies can have come to each other since the first step, by what their joints have turned.

use core::ops::Range;

use mechanics::{Joint, Model};

use crate::solids::{Carrier, Solid};

/// The ways of bodies.
#[derive(Default)]
pub(super) struct Ways {
    /// The robot's bodies, the base first.
    bodies: Vec<Carried>,
    /// For each body its joint and all up to the base's children.
    joints: Vec<Above>,
    /// Positions of the bodies' joints in the last step; none before the first.
    last: Vec<f64>,
    /// How far each joint has turned since the first step, to and fro [rad or m].
    turned: Vec<f64>,
    /// For each [segment](Carried::segment) how far the joint of it has moved something at most in this step that did so the farthest [m].
    farthest: Vec<f64>,
}

/// A body as its joint moves it.
#[derive(Clone, Debug)]
struct Carried {
    /// The body in the mechanics.
    number: usize,
    /// What carries it, among the robot's bodies.
    parent: usize,
    /// Its own joint and those above it, in this order.
    above: Range<usize>,
    /// How far its own joint moves any point at most for each unit of its way [m/rad or 1].
    lever: f64,
    /// Of which branch of the robot its joint is: a new one begins where one parts.
    segment: usize,
}

/// One of the joints above a body.
#[derive(Clone, Copy, Debug)]
struct Above {
    /// Whose joint it is, among the robot's bodies.
    joint: usize,
    /// How far a point that moves with the body moves at most for each unit of the joint's way [m/rad or 1].
    lever: f64,
}

/// Two bodies whose ways to each other count.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Between {
    /// For each of them its own joint and those above it that move it against the other one.
    joints: [Range<usize>; 2],
    /// They come to each other by no more than so many times what the joint that moves something the farthest moves it by.
    pub times: f64,
}

impl Ways {
    /// Of the robot in the tree of `base`, and for each of its solids the body with which it moves: of what is round about its joint's axis
    /// the one that carries it.
    pub fn new(model: &Model, base: usize, solids: &[Solid]) -> (Ways, Vec<usize>) {
        let count = model.tree(base).len();
        let parent = |place: usize| model.bodies()[base + place].parent.map_or(0, |parent| parent - base);
        // how far a joint can be from the one that carries it
        let apart = |place: usize| {
            model.bodies()[base + place].placement_in_parent.translation.vector.norm() + travel(model, base + place)
        };
        let (mut far, mut moves_with) = (vec![0.0_f64; count], vec![0; solids.len()]);
        for (solid, moves_with) in solids.iter().zip(&mut moves_with) {
            let Carrier::Body(number) = solid.carrier else { continue };
            let Some(place) = number.checked_sub(base).filter(|place| *place < count) else { continue };
            let (body, off) = if is_round(model, number, solid) { (parent(place), apart(place)) } else { (place, 0.0) };
            *moves_with = body;
            far[body] = far[body].max(off + solid.farthest_in_carrier());
        }
        let mut ways = Ways { turned: vec![0.0; count], ..Ways::default() };
        for (place, far) in far.into_iter().enumerate() {
            let first = ways.joints.len();
            let (mut joint, mut reach) = (place, far);
            while joint != 0 {
                let turns = matches!(model.bodies()[base + joint].joint, Joint::Revolute(_));
                ways.joints.push(Above { joint, lever: if turns { reach } else { 1.0 } });
                reach += apart(joint);
                joint = parent(joint);
            }
            let above = first..ways.joints.len();
            ways.bodies.push(Carried { number: base + place, parent: parent(place), above, lever: 0.0, segment: 0 });
        }
        for Above { joint, lever } in &ways.joints {
            ways.bodies[*joint].lever = ways.bodies[*joint].lever.max(*lever);
        }
        ways.part();
        (ways, moves_with)
    }

    /// Numbers the segments.
    fn part(&mut self) {
        let mut children = vec![0; self.bodies.len()];
        self.bodies.iter().skip(1).for_each(|body| children[body.parent] += 1);
        for place in 1..self.bodies.len() {
            let parent = self.bodies[place].parent;
            let goes_on = parent != 0 && children[parent] == 1;
            self.bodies[place].segment = if goes_on { self.bodies[parent].segment } else { self.farthest.len() };
            if !goes_on {
                self.farthest.push(0.0);
            }
        }
    }

    /// Adds the segments of the joints that move two bodies against each other to others, ascending.
    pub fn add_segments(&self, between: &Between, segments: &mut Vec<usize>) {
        for above in between.joints.iter().flat_map(|joints| &self.joints[joints.clone()]) {
            let segment = self.bodies[above.joint].segment;
            if let Err(place) = segments.binary_search(&segment) {
                segments.insert(place, segment);
            }
        }
    }

    /// The way of two bodies to each other.
    pub fn between(&self, one: usize, two: usize) -> Between {
        let (mut low, mut high) = (one.min(two), one.max(two));
        while low != high {
            // whoever carries a body stands before it
            (low, high) = (low.min(self.bodies[high].parent), low.max(self.bodies[high].parent));
        }
        let joints = [self.below(low, one), self.below(low, two)];
        let moving = joints.iter().flat_map(|joints| &self.joints[joints.clone()]).filter(|above| above.lever > 0.0);
        let times = moving.fold(0.0, |sum, above| sum + above.lever / self.bodies[above.joint].lever);
        Between { joints, times }
    }

    /// Of the joints above a body those up to that of the child of one that carries it; none if that is the body itself.
    fn below(&self, carrier: usize, body: usize) -> Range<usize> {
        let above = self.bodies[body].above.clone();
        let last = above.clone().rfind(|place| self.bodies[self.joints[*place].joint].parent == carrier);
        above.start..last.map_or(above.start, |last| last + 1)
    }

    /// How far two bodies can have come to each other since the first step [m].
    pub fn of(&self, between: &Between) -> f64 {
        let way = |above: &Above| self.turned[above.joint] * above.lever;
        let [one, two] = &between.joints;
        let of = |joints: &Range<usize>| self.joints[joints.clone()].iter().map(way).sum::<f64>();
        of(one) + of(two)
    }

    /// No joint of some segments has moved anything farther in this step [m].
    pub fn farthest(&self, segments: &[usize]) -> f64 {
        segments.iter().fold(0.0, |most, segment| most.max(self.farthest[*segment]))
    }

    /// Adds up the ways since the last step; false if there was none, or if one is no number.
    pub fn follow(&mut self, positions: &[f64]) -> bool {
        if self.last.is_empty() {
            return false;
        }
        let mut is_number = true;
        self.farthest.fill(0.0);
        for (body, (last, turned)) in self.bodies.iter().zip(self.last.iter_mut().zip(&mut self.turned)) {
            let turn = (positions[body.number] - *last).abs();
            *last = positions[body.number];
            *turned += turn;
            let moved = turn * body.lever;
            if let Some(farthest) = self.farthest.get_mut(body.segment) {
                *farthest = farthest.max(moved);
            }
            is_number &= moved.is_finite();
        }
        is_number
    }

    /// Begins anew.
    pub fn begin(&mut self, positions: &[f64]) {
        self.last.clear();
        self.last.extend(self.bodies.iter().map(|body| positions[body.number]));
        self.turned.fill(0.0);
    }
}

/// Whether a solid looks the same however its joint turns it.
fn is_round(model: &Model, body: usize, solid: &Solid) -> bool {
    let Joint::Revolute(axis) = model.bodies()[body].joint else { return false };
    solid.is_round_about(&axis)
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
