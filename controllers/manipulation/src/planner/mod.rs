//! From one configuration to another around what is in the way.

mod connect;
mod error;
mod grown;
mod random;
mod settings;
mod shorten;

use crate::checker::Checker;
use crate::error::check_numbers;
use connect::{Growth, grow};
pub use error::PlanError;
use random::Random;
pub use settings::PlannerSettings;
use shorten::shorten;

/// A way that is free, in straight pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The configurations at its corners, from the start to the goal that was reached: one position for each joint of the
    /// checker's group [rad or m].
    pub waypoints: Vec<Vec<f64>>,
    /// Which of the goals it leads to.
    pub goal: usize,
    /// Samples that were drawn until it was found; none where the straight way is free.
    pub iterations: u32,
    /// Configurations of both trees.
    pub nodes: usize,
}

/// After so many samples the search begins anew, with twice as many, and so on.
const FIRST_TRY: u32 = 1_250;

/// Looks for ways by RRT-Connect (J. J. Kuffner, S. M. LaValle, "RRT-Connect: an efficient approach to single-query path
/// planning", ICRA 2000) on edges that are checked eight configurations at once, and shortens what it finds. A search that has
/// got stuck begins anew now and then: how long one takes differs much from one series of samples to another.
///
/// The same question with the same seed has the same answer, to the bit, on every machine; no clock ends a search, but a
/// number of samples.
#[derive(Clone, Debug)]
pub struct Planner {
    settings: PlannerSettings,
    growth: Growth,
}

impl Planner {
    /// With these settings; refused if one is out of its bounds.
    pub fn new(settings: PlannerSettings) -> Result<Planner, PlanError> {
        settings.check()?;
        Ok(Planner { settings, growth: Growth::default() })
    }

    /// A free way of the checker's joints from `start` to one of `goals`. Goals that are not free are left out, unless none
    /// is.
    pub fn plan(&mut self, checker: &mut Checker, start: &[f64], goals: &[&[f64]]) -> Result<Plan, PlanError> {
        let dof = checker.joints().len();
        check_within(checker, "the start", start)?;
        if let Some(hit) = checker.hit_at(start) {
            return Err(PlanError::Start(hit));
        }
        let mut free = Vec::new();
        let mut refused = None;
        for (index, goal) in goals.iter().enumerate() {
            check_within(checker, "a goal", goal)?;
            match checker.hit_at(goal) {
                Some(hit) => refused = refused.or(Some(hit)),
                None => free.push(index),
            }
        }
        match refused.filter(|_| free.is_empty()) {
            Some(hit) => return Err(PlanError::Goal(hit)),
            None if free.is_empty() => return Err(PlanError::NoGoal),
            None => {}
        }
        for index in &free {
            if checker.hit_on_way(start, goals[*index]).is_none() {
                let waypoints = vec![start.to_vec(), goals[*index].to_vec()];
                return Ok(Plan { waypoints, goal: *index, iterations: 0, nodes: 0 });
            }
        }
        let mut random = Random::new(self.settings.seed);
        let (mut tried, mut most) = (0, FIRST_TRY);
        let (iterations, root) = loop {
            self.growth.begin(checker, start, free.iter().map(|index| goals[*index]));
            let samples = most.min(self.settings.most_iterations - tried);
            if let Some((iterations, root)) = grow(&mut self.growth, checker, &self.settings, &mut random, samples) {
                break (tried + iterations, root);
            }
            (tried, most) = (tried + samples, 2 * most);
            if tried >= self.settings.most_iterations {
                return Err(PlanError::NotFound { iterations: tried, nodes: self.growth.nodes() });
            }
        };
        let mut corners = core::mem::take(&mut self.growth.corners);
        shorten(&mut corners, dof, checker, &self.settings, &mut random);
        let waypoints = corners.chunks_exact(dof).map(<[f64]>::to_vec).collect();
        self.growth.corners = corners;
        Ok(Plan { waypoints, goal: free[root], iterations, nodes: self.growth.nodes() })
    }
}

/// Refuses a configuration that does not fit or is beyond the joints' limits.
fn check_within(checker: &Checker, part: &str, positions: &[f64]) -> Result<(), PlanError> {
    check_numbers(part, "positions", checker.joints().len(), positions)?;
    let beyond = |(position, [low, high]): (&f64, &[f64; 2])| *position < low - 1e-9 || *position > high + 1e-9;
    match positions.iter().zip(checker.limits()).position(beyond) {
        Some(joint) => Err(PlanError::Limit { joint, limits: checker.limits()[joint], found: positions[joint] }),
        None => Ok(()),
    }
}
