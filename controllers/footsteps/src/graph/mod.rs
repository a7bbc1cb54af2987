//! Footsteps as a graph: a node is a foot that carries, an edge a step of the other foot.
//!
//! Places lie on a lattice about the goal. Where the middle of a place carries no foot, or not wholly, the best of a few spots around it
//! is taken, so that treads and stones are met that the lattice misses. What a place is does not depend on the way there.

mod lattice;
mod places;

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
        let lattice = Lattice::about(&crate::geometry::midway(&feet[0], &feet[1]), settings);
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
    pub fn refusals(&mut self, node: u32) -> Vec<(Footstep, Refusal)> {
        let mut refused = Vec::new();
        self.look_around(node, &mut Vec::new(), Some(&mut refused));
        refused
    }

    /// What is guessed from a foot to the goal.
    pub fn left(&self, foot: &Footstep) -> f64 {
        let bounds = self.goal.iter().map(|goal| self.parts.cost.bound(foot, &goal.foot));
        let bound = bounds.fold(f64::INFINITY, f64::min);
        bound.max(self.guide.left(foot)) + self.parts.cost.least()
    }

    /// Adds the steps from a node, and why others are refused.
    fn look_around(
        &mut self,
        node: u32,
        out: &mut Vec<(u32, f64)>,
        mut refused: Option<&mut Vec<(Footstep, Refusal)>>,
    ) {
        let Some(stance) = self.foot(node) else { return };
        let next = stance.side.other();
        let goal = self.goal[next.index()];
        let (last, to_goal) = (LAST[next.index()], self.step(&stance, &goal, next));
        if LAST.contains(&node) {
            out.extend(to_goal.ok().map(|cost| (GOAL, cost)));
            return;
        }
        match to_goal {
            Ok(cost) => out.push((last, cost)),
            Err(why) => {
                if let Some(refused) = &mut refused {
                    refused.push((goal.foot, why));
                }
            }
        }
        let from = self.places.lattice().spot(&stance);
        let offsets = core::mem::take(&mut self.offsets);
        for offset in &offsets[from.heading][next.index()] {
            let spot = self.places.lattice().moved(&from, offset);
            let (number, place) = match self.places.look(&spot, &self.parts) {
                Ok(found) => found,
                Err(why) => {
                    if let Some(refused) = &mut refused {
                        let pose = self.places.lattice().pose(&spot);
                        let position = nalgebra::Vector3::new(pose.x, pose.y, stance.position.z);
                        refused.push((Footstep::flat(next, position, pose.yaw), why));
                    }
                    continue;
                }
            };
            match self.step(&stance, &place, next) {
                Ok(cost) => out.push((FIRST_PLACE + 2 * number + next.index() as u32, cost)),
                Err(why) => {
                    if let Some(refused) = &mut refused {
                        refused.push((Footstep { side: next, ..place.foot }, why));
                    }
                }
            }
        }
        self.offsets = offsets;
        if !self.banned.is_empty() {
            let banned = &self.banned;
            out.retain(|(to, _)| !banned.contains(&(node, *to)));
        }
    }

    /// What a step costs, if it can be taken.
    fn step(&self, stance: &Footstep, place: &Place, side: Side) -> Result<f64, Refusal> {
        let (parts, step) = (&self.parts, Footstep { side, ..place.foot });
        parts.reach.check(stance, &step)?;
        let lift = parts.collision.step(&*parts.terrain, stance, &step)?;
        Ok(place.cost + parts.cost.step(stance, &step, lift))
    }
}

impl Graph for StepGraph {
    fn expand(&mut self, node: u32, out: &mut Vec<(u32, f64)>) {
        self.look_around(node, out, None);
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
