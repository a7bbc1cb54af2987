//! From a map of points to a velocity: what can be driven, the way to the goal, and the next seconds of it.
//!
//! ```text
//! robot_io::MapViews ─▶ height map ─▶ drivability, edges ─▶ NavigationMap ─▶ global plan   (deadline task)
//!                                          global plan, pose ─▶ local rollout ─▶ Guidance  (at the follower's rate)
//! ```
//!
//! The method is that of Momaro: Schwarz et al., "Supervised Autonomy for Exploration and Mobile Manipulation in Rough
//! Terrain with a Centaur-Like Robot" (2016), sections 5.5 and 6; stepping over edges is planned in the same search.

mod cost;
mod discs;
mod distance;
mod edges;
mod error;
mod exploration;
mod explorer;
mod footprint;
mod goal;
mod height;
mod map;
mod moving;
mod navigator;
mod outline;
mod plan;
mod reach;
mod recovery;
mod refuge;
mod rollout;
mod search;
mod settings;
mod stance;

pub use cost::{CostSettings, Costs, FORBIDDEN, Footing, combined_difference, difference};
pub use edges::EdgeSettings;
pub use error::NavigationError;
pub use exploration::{ExplorationSettings, Region, View, explored_area, gain_at, next_best_view};
pub use explorer::{Explorer, ExplorerStatus};
pub use footprint::{Footprint, FootprintFinder};
pub use goal::{Approaching, Goal, Guidance, Status};
pub use height::{GridFrame, Ground, HeightSettings, Heights};
pub use map::{MapSettings, NavigationMap};
pub use moving::{Glimpse, MotionCovariance, MovingObjects, MovingSettings, Track};
pub use navigator::Navigator;
pub use plan::{GlobalPlan, Outcome, Piece, Refusal};
pub use reach::{Barrier, BarrierKind, Reach};
pub use recovery::RecoverySettings;
pub use refuge::GivingWaySettings;
pub use rollout::{FreshSettings, RolloutSettings, Weights};
pub use search::{SearchSettings, plan};
pub use settings::NavigationSettings;
pub use stance::{ContactPlane, RobotFootprint};
