//! What a planner is put together from.

use std::sync::Arc;

use crate::collision::Collision;
use crate::cost::Cost;
use crate::heuristic::Heuristic;
use crate::reach::Reachability;
use crate::terrain::{FootingSettings, Terrain};

/// What a planner is put together from. Each part can be exchanged.
#[derive(Clone, Debug)]
pub struct Parts {
    /// The ground.
    pub terrain: Arc<dyn Terrain>,
    /// Which steps legs can take.
    pub reach: Arc<dyn Reachability>,
    /// What must not be touched.
    pub collision: Arc<dyn Collision>,
    /// What steps cost.
    pub cost: Arc<dyn Cost>,
    /// How far it is to the goal.
    pub heuristic: Arc<dyn Heuristic>,
    /// Which ground carries a foot.
    pub footing: FootingSettings,
}
