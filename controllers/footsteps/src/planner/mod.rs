//! From a question to a plan.

mod planning;
mod replan;

pub use planning::Planning;
pub use replan::Replanned;

use std::sync::Arc;

use robot_io::{Pose2, Settings};
use walking::{Footstep, Side};

use crate::collision::LegsAndBody;
use crate::error::FootstepError;
use crate::heuristic::AroundObstacles;
use crate::parts::Parts;
use crate::plan::FootstepPlan;
use crate::reach::BoxReach;
use crate::search::SearchSettings;
use crate::settings::FootstepSettings;
use crate::terrain::Terrain;

/// What is asked of a planner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Query {
    /// Where the feet stand: left, right; in the air: where it will have landed.
    pub feet: [Footstep; 2],
    /// The foot that takes the first step; `None` for either.
    pub first: Option<Side>,
    /// Where the middle between the feet shall be, and how they shall look.
    pub goal: Pose2,
}

/// Finds footsteps over ground. The same question has the same answer, to the bit.
#[derive(Clone, Debug)]
pub struct Planner {
    parts: Parts,
    settings: SearchSettings,
    width: f64,
}

impl Planner {
    /// Of the parts that come with this crate.
    pub fn new(terrain: Arc<dyn Terrain>, settings: &FootstepSettings) -> Result<Planner, FootstepError> {
        settings.check()?;
        let FootstepSettings { reach, swing, collision, cost, guide, .. } = *settings;
        let body = LegsAndBody::new(collision, swing, reach.half_sole, cost.width)?;
        let parts = Parts {
            terrain,
            reach: Arc::new(BoxReach { reach, strides: settings.strides }),
            collision: Arc::new(body),
            cost: Arc::new(cost),
            heuristic: Arc::new(AroundObstacles { settings: guide }),
            footing: settings.footing,
        };
        Planner::with_parts(parts, settings.search, cost.width)
    }

    /// Of any parts; `width` [m] is between both feet at the goal.
    pub fn with_parts(parts: Parts, settings: SearchSettings, width: f64) -> Result<Planner, FootstepError> {
        settings.check()?;
        parts.footing.check()?;
        Ok(Planner { parts, settings, width })
    }

    /// What it is put together from.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// The same planner on other ground.
    #[must_use]
    pub fn on(&self, terrain: Arc<dyn Terrain>) -> Planner {
        Planner { parts: Parts { terrain, ..self.parts.clone() }, ..self.clone() }
    }

    /// A search that can be carried on piece by piece.
    pub fn begin(&self, query: &Query) -> Planning {
        Planning::new(self, query)
    }

    /// The best plan that is found with as many expansions as the settings allow.
    pub fn plan(&self, query: &Query) -> FootstepPlan {
        let mut planning = self.begin(query);
        planning.advance(self.settings.expansions);
        planning.plan()
    }
}
