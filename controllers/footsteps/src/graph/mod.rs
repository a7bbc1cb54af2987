//! Footsteps as a graph: a node is a foot that carries, an edge a step of the other foot.
//!
//! Places lie on a lattice about the goal. Where the middle of a place carries no foot, or not wholly, the best of a few spots around it
//! is taken, so that treads and stones are met that the lattice misses. What a place is does not depend on the way there.

mod lattice;
mod places;
#[cfg(test)]
mod tests;

pub(crate) use lattice::Lattice;

use walking::{Footstep, Side};

use crate::heuristic::{Guide, Question};
use crate::parts::Parts;
use crate::refusal::Refusal;
use crate::search::{Graph, SearchSettings};
use crate::standing::Place;
use lattice::Offset;
use places::Places;

/// Both feet are where they shall be.
pub(crate) const GOAL: u32 = 0;
/// The feet as they stand.
const STARTS: [u32; 2] = [1, 2];
/// One foot is where it shall be, and carries.
const LAST: [u32; 2] = [3, 4];
/// Two for each place, one for each foot.
const FIRST_PLACE: u32 = 5;

/// The steps that a robot can take.
#[derive(Debug)]
pub(crate) struct StepGraph {
    parts: Parts,
    guide: Box<dyn Guide>,
    places: Places,
    start: [Footstep; 2],
    goal: [Place; 2],
    offsets: Vec<[Vec<Offset>; 2]>,
    /// Edges that are not taken.
    banned: Vec<(u32, u32)>,
}

impl StepGraph {
    pub fn new(parts: Parts, start: [Footstep; 2], goal: [Place; 2], settings: &SearchSettings) -> StepGraph {
        let feet = [goal[0].foot, goal[1].foot];
        let guide = parts.heuristic.prepare(&Question {
            terrain: &*parts.terrain,
            cost: &*parts.cost,
            collision: &*parts.collision,
            footing: &parts.footing,
            half_sole: parts.reach.half_sole(),
            start,
            goal: feet,
        });
        let lattice = Lattice::about(&feet, settings);
        let offsets = lattice.offsets(&parts.reach.strides(lattice.spacing(), lattice.turn()));
        let places = Places::new(lattice, settings.finer);
        StepGraph { parts, guide, places, start, goal, offsets, banned: Vec::new() }
    }

    /// The nodes from which steps may be taken: those of the feet that carry while `first`, or either, takes the first step.
    pub fn starts(&self, first: Option<Side>) -> Vec<u32> {
        let carries = |side: &Side| first.is_none_or(|first| first != *side);
        Side::BOTH.iter().filter(|side| carries(side)).map(|side| STARTS[side.index()]).collect()
    }

    /// The edge from one node to another is not taken from now on.
    pub fn ban(&mut self, from: u32, to: u32) {
        self.banned.push((from, to));
    }

    /// The foot that carries at a node; `None` where both do.
    pub fn foot(&self, node: u32) -> Option<Footstep> {
        match node {
            GOAL => None,
            node if STARTS.contains(&node) => Some(self.start[node as usize - STARTS[0] as usize]),
            node if LAST.contains(&node) => Some(self.goal[node as usize - LAST[0] as usize].foot),
            node => {
                let number = node - FIRST_PLACE;
                let side = Side::BOTH[number as usize % 2];
                self.places.get(number / 2).map(|place| Footstep { side, ..place.foot })
            }
        }
    }

    /// The steps of a way, which begins at a start.
    pub fn steps(&self, way: &[u32]) -> Vec<Footstep> {
        let steps = way.windows(2).filter_map(|pair| match pair[1] {
            GOAL => self.foot(pair[0]).map(|foot| self.goal[foot.side.other().index()].foot),
            node => self.foot(node),
        });
        steps.collect()
    }

    /// Where steps from a node would lead that are refused, with why.
    pub fn refusals(&mut self, node: u32, before: Option<u32>) -> Vec<(Footstep, Refusal)> {
        let mut refused = Vec::new();
        self.look_around(
            node,
            before,
            &|_, _| true,
            &mut Found { steps: &mut Vec::new(), refused: Some(&mut refused) },
        );
        refused
    }

    /// What is guessed from a foot to the goal.
    pub fn left(&self, foot: &Footstep) -> f64 {
        let bounds = self.goal.iter().map(|goal| self.parts.cost.bound(foot, &goal.foot));
        let bound = bounds.fold(f64::INFINITY, f64::min);
        bound.max(self.guide.left(foot)) + self.parts.cost.least()
    }

    /// The foot that leaves the ground next, where it stands.
    fn lifted(&self, stance: &Footstep, node: u32, before: Option<u32>) -> Option<Footstep> {
        let start = STARTS.contains(&node).then(|| self.start[stance.side.other().index()]);
        start.or_else(|| before.and_then(|before| self.foot(before)))
    }

    /// Adds the steps from a node that are `useful`, and why others are refused.
    fn look_around(
        &mut self,
        node: u32,
        before: Option<u32>,
        useful: &dyn Fn(u32, f64) -> bool,
        found: &mut Found<'_>,
    ) {
        let Some(stance) = self.foot(node) else { return };
        let next = stance.side.other();
        let lifted = self.lifted(&stance, node, before);
        let goal = self.goal[next.index()];
        let last = if LAST.contains(&node) { GOAL } else { LAST[next.index()] };
        found.note(last, goal.foot, self.step(&stance, lifted.as_ref(), &goal, |cost| useful(last, cost)));
        if last == GOAL {
            return;
        }
        let from = self.places.lattice().spot(&stance);
        for k in 0..self.offsets[from.heading][next.index()].len() {
            let spot = self.places.lattice().moved(&from, &self.offsets[from.heading][next.index()][k]);
            match self.places.look(&spot, &self.parts) {
                Ok((number, place)) => {
                    let to = FIRST_PLACE + 2 * number + next.index() as u32;
                    let place = Place { foot: Footstep { side: next, ..place.foot }, ..place };
                    let step = self.step(&stance, lifted.as_ref(), &place, |cost| useful(to, cost));
                    found.note(to, place.foot, step);
                }
                Err(why) => {
                    let pose = self.places.lattice().pose(&spot);
                    let position = nalgebra::Vector3::new(pose.x, pose.y, stance.position.z);
                    found.note(GOAL, Footstep::flat(next, position, pose.yaw), Err(why));
                }
            }
        }
        if !self.banned.is_empty() {
            found.steps.retain(|(to, _)| !self.banned.contains(&(node, *to)));
        }
    }

    /// What a step costs, if it can be taken; nothing if it is not `useful`.
    fn step(
        &self,
        stance: &Footstep,
        lifted: Option<&Footstep>,
        place: &Place,
        useful: impl Fn(f64) -> bool,
    ) -> Result<Option<f64>, Refusal> {
        let parts = &self.parts;
        let cost = |lift: f64| place.cost + parts.cost.step(stance, &place.foot, lift);
        parts.reach.check(stance, &place.foot)?;
        if !useful(cost(0.0)) {
            return Ok(None);
        }
        let lift = parts.collision.step(&*parts.terrain, lifted, stance, &place.foot)?;
        Ok(Some(cost(lift)))
    }
}

/// What a look around has found.
struct Found<'a> {
    steps: &'a mut Vec<(u32, f64)>,
    /// What cannot be reached and why, if somebody asks.
    refused: Option<&'a mut Vec<(Footstep, Refusal)>>,
}

impl Found<'_> {
    fn note(&mut self, to: u32, foot: Footstep, step: Result<Option<f64>, Refusal>) {
        match (step, &mut self.refused) {
            (Ok(Some(cost)), _) => self.steps.push((to, cost)),
            (Err(why), Some(refused)) => refused.push((foot, why)),
            _ => {}
        }
    }
}

impl Graph for StepGraph {
    fn expand(&mut self, node: u32, before: Option<u32>, useful: &dyn Fn(u32, f64) -> bool, out: &mut Vec<(u32, f64)>) {
        self.look_around(node, before, useful, &mut Found { steps: out, refused: None });
    }

    fn guess(&self, node: u32) -> f64 {
        self.foot(node).map_or(0.0, |foot| self.left(&foot))
    }

    fn bound(&self, node: u32) -> f64 {
        let Some(foot) = self.foot(node) else { return 0.0 };
        let bounds = self.goal.iter().map(|goal| self.parts.cost.bound(&foot, &goal.foot));
        bounds.fold(f64::INFINITY, f64::min) + self.parts.cost.least()
    }
}
