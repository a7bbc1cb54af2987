//! A search that can be carried on piece by piece.

use robot_io::Pose2;
use walking::{Footstep, Side};

use super::{Planner, Query};
use crate::graph::{GOAL, StepGraph};
use crate::parts::Parts;
use crate::plan::{FootstepPlan, Outcome, PlannedStep};
use crate::refusal::{Reason, Refusal};
use crate::search::{Event, Search, SearchSettings};
use crate::standing::{Place, stand_at};

/// Nearer than this both feet are where they shall be ([m], [rad]).
const THERE: f64 = 0.01;

/// Farther away no goal is [m].
const FARTHEST: f64 = 1000.0;
/// The most that a foot leans with which a plan begins [rad].
const STEEPEST: f64 = core::f64::consts::FRAC_PI_3;

/// A search that can be carried on piece by piece; pieces change nothing about what is found.
#[derive(Debug)]
pub struct Planning {
    parts: Parts,
    settings: SearchSettings,
    query: Query,
    /// `None` if nothing is to be searched.
    work: Option<Work>,
    best: Option<FootstepPlan>,
    ended: Option<Outcome>,
}

#[derive(Debug)]
struct Work {
    graph: StepGraph,
    search: Search,
    /// Expansions of searches that were begun anew.
    before: usize,
    anew: usize,
}

impl Work {
    fn expanded(&self) -> usize {
        self.before + self.search.expanded()
    }
}

impl Planning {
    pub(super) fn new(planner: &Planner, query: &Query) -> Planning {
        let Planner { parts, settings, width } = planner.clone();
        let mut planning = Planning { parts, settings, query: *query, work: None, best: None, ended: None };
        if let Err((side, refusal)) = planning.check_feet() {
            planning.ended = Some(Outcome::FeetRefused { side, refusal });
            return planning;
        }
        match planning.goal(width) {
            Err((side, refusal)) => planning.ended = Some(Outcome::GoalRefused { side, refusal }),
            Ok(goal) if planning.is_there(&goal) => planning.ended = Some(Outcome::ToGoal),
            Ok(goal) => {
                let graph = StepGraph::new(planning.parts.clone(), query.feet, goal, &settings);
                let search = planning.search(&graph);
                planning.work = Some(Work { graph, search, before: 0, anew: 0 });
            }
        }
        planning
    }

    /// Feet may stand on ground that the map does not know, but they have to stand somewhere, and upright.
    fn check_feet(&self) -> Result<(), (Side, Refusal)> {
        for (foot, side) in self.query.feet.iter().zip(Side::BOTH) {
            let apart = foot.position.xy() - nalgebra::Vector2::new(self.query.goal.x, self.query.goal.y);
            let far = apart.norm() + 0.0 * (foot.position.z + foot.yaw + self.query.goal.yaw);
            let own = f64::from(u8::from(foot.side == side));
            let upright = if (foot.normal.norm() - 1.0).abs() < 1e-6 { foot.normal.z } else { -1.0 };
            let checked = Refusal::unless(Reason::Far, [0.0, FARTHEST], far)
                .and_then(|()| Refusal::unless(Reason::Side, [1.0, 1.0], own))
                .and_then(|()| Refusal::unless(Reason::Tilt, [0.0, STEEPEST], libm::acos(upright.clamp(-1.0, 1.0))));
            checked.map_err(|refusal| (side, refusal))?;
        }
        Ok(())
    }

    /// Both feet at the goal.
    fn goal(&self, width: f64) -> Result<[Place; 2], (Side, Refusal)> {
        let Pose2 { x, y, yaw } = self.query.goal;
        let [left, right] = Footstep::stand(nalgebra::Vector3::new(x, y, 0.0), yaw, width);
        let place = |foot: &Footstep| {
            let pose = Pose2 { x: foot.position.x, y: foot.position.y, yaw };
            stand_at(&self.parts, foot.side, &pose).map_err(|refusal| (foot.side, refusal))
        };
        let places = [place(&left)?, place(&right)?];
        let beside = self.parts.reach.check(&places[1].foot, &places[0].foot);
        let fits = |()| self.parts.collision.step(&*self.parts.terrain, None, &places[1].foot, &places[0].foot);
        beside.and_then(fits).map_err(|refusal| (Side::Left, refusal))?;
        Ok(places)
    }

    fn is_there(&self, goal: &[Place; 2]) -> bool {
        let near = |(foot, place): (&Footstep, &Place)| {
            let off = (foot.position - place.foot.position).norm();
            off.max(robot_io::math::wrap_angle(foot.yaw - place.foot.yaw).abs()) < THERE
        };
        self.query.feet.iter().zip(goal).all(near)
    }

    fn search(&self, graph: &StepGraph) -> Search {
        Search::new(graph, &graph.starts(self.query.first), GOAL, &self.settings.inflations)
    }

    /// Whether there is nothing left to find.
    pub fn is_done(&self) -> bool {
        self.ended.is_some()
    }

    /// From so many feet on the ground was looked ahead up to now.
    pub fn expansions(&self) -> usize {
        self.work.as_ref().map_or(0, Work::expanded)
    }

    /// Goes on, and looks ahead from no more than so many feet. False if there is nothing left to find.
    pub fn advance(&mut self, expansions: usize) -> bool {
        let last = self.expansions().saturating_add(expansions);
        while !self.is_done() {
            let Some(work) = &mut self.work else { break };
            let left = last.saturating_sub(work.expanded());
            match work.search.advance(&mut work.graph, left) {
                Event::Spent if work.expanded() >= last => break,
                Event::Spent => {}
                Event::Round => {
                    self.take_way();
                }
                Event::Best => {
                    if self.take_way() {
                        self.ended = Some(Outcome::ToGoal);
                        // but for rounding it was found out already
                        self.best.iter_mut().for_each(|best| best.bound = 1.0);
                    }
                }
                Event::NoWay => self.ended = Some(self.unreached(true)),
            }
        }
        !self.is_done()
    }

    /// Takes the way that the search has found. If a swing on it meets something, the step to which it leads is not taken any more, the
    /// search begins anew, and false is returned.
    fn take_way(&mut self) -> bool {
        let Some(work) = &self.work else { return true };
        let (way, cost) = work.search.way(GOAL);
        let mut steps = Vec::new();
        let stopped = self.parts.check_until(&self.query.feet, work.graph.steps(&way), &mut steps);
        if stopped.is_some() {
            self.search_anew(&way, steps.len());
            return false;
        }
        let bound = (cost / work.search.least().max(f64::MIN_POSITIVE)).max(1.0);
        let expansions = work.expanded();
        if self.best.as_ref().is_none_or(|best| cost < best.cost || bound < best.bound) {
            let feet = self.query.feet;
            self.best = Some(FootstepPlan { feet, steps, cost, bound, expansions, outcome: Outcome::ToGoal });
        }
        true
    }

    fn search_anew(&mut self, way: &[u32], step: usize) {
        let Some(mut work) = self.work.take() else { return };
        if let Some([from, to]) = way.get(step..step + 2) {
            work.graph.ban(*from, *to);
        }
        (work.before, work.anew) = (work.expanded(), work.anew + 1);
        work.search = self.search(&work.graph);
        let is_over = work.anew > self.settings.swings;
        self.work = Some(work);
        if is_over {
            let found = self.best.as_ref().map(|best| best.outcome);
            self.ended = Some(found.unwrap_or_else(|| self.unreached(false)));
        }
    }

    /// The best plan as yet.
    pub fn plan(&mut self) -> FootstepPlan {
        let expansions = self.expansions();
        if let Some(best) = &self.best {
            return FootstepPlan { expansions, ..best.clone() };
        }
        let outcome = self.ended.unwrap_or_else(|| self.unreached(false));
        let found = self.way_as_yet().filter(|_| outcome != Outcome::ToGoal);
        let feet = self.query.feet;
        match found {
            Some((steps, cost, bound)) => {
                FootstepPlan { feet, steps, cost, bound, expansions, outcome: Outcome::ToGoal }
            }
            None => FootstepPlan { feet, steps: Vec::new(), cost: 0.0, bound: 1.0, expansions, outcome },
        }
    }

    /// A way that was found in a round that has not ended.
    fn way_as_yet(&self) -> Option<(Vec<PlannedStep>, f64, f64)> {
        let work = self.work.as_ref().filter(|work| work.search.cost().is_finite())?;
        let (way, cost) = work.search.way(GOAL);
        let mut steps = Vec::new();
        let stopped = self.parts.check_until(&self.query.feet, work.graph.steps(&way), &mut steps);
        let bound = (cost / work.search.least().max(f64::MIN_POSITIVE)).max(1.0);
        stopped.is_none().then_some((steps, cost, bound))
    }

    /// How far it came, and what is in the way there.
    fn unreached(&mut self, exhausted: bool) -> Outcome {
        let Some(work) = &mut self.work else { return Outcome::None };
        let start = work.graph.starts(self.query.first)[0];
        let node = work.search.nearest().unwrap_or(start);
        let Some(foot) = work.graph.foot(node) else { return Outcome::None };
        let left = work.graph.left(&foot);
        let refused = work.graph.refusals(node, work.search.before(node));
        let leading = refused.iter().filter(|(step, _)| work.graph.left(step) < left);
        let mut leading: Vec<(f64, Refusal)> = leading.map(|(step, why)| (work.graph.left(step), *why)).collect();
        if leading.is_empty() {
            leading = refused.iter().map(|(step, why)| (work.graph.left(step), *why)).collect();
        }
        let count = |why: &Refusal| leading.iter().filter(|(_, other)| other.reason == why.reason).count();
        let most = leading.iter().map(|(_, why)| count(why)).max().unwrap_or(0);
        let frequent = leading.iter().filter(|(_, why)| count(why) == most);
        let nearest = frequent.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.reason.cmp(&b.1.reason)));
        let refusal = nearest.map(|(_, why)| *why).unwrap_or_default();
        let nearest = Pose2 { x: foot.position.x, y: foot.position.y, yaw: foot.yaw };
        Outcome::Unreached { nearest, left, refusal, exhausted }
    }
}
