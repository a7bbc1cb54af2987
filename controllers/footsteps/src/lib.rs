//! Footsteps over ground that is known by its heights.
//!
//! ```text
//! robot_io::HeightMap, navigation::Heights ─▶ Terrain ─▶ Planner ◀─ Query: feet, goal
//!        Reachability, Collision, Cost, Heuristic ─────────┘ └─▶ FootstepPlan ─▶ walking::Gait::follow
//! ```
//!
//! [`Planner`] looks for the cheapest steps by an anytime search ([`search`]), as long as it may expand nodes; each of its parts can be
//! exchanged ([`Parts`]). A [`FootstepPlan`] can be changed, stitched to another one and looked at again when the ground is known better.
//! README.md says which method each part follows, and what was measured.

mod check;
pub mod collision;
pub mod cost;
mod edit;
mod error;
pub mod geometry;
mod graph;
pub mod heuristic;
mod outline;
mod parts;
mod plan;
mod planner;
pub mod reach;
mod refusal;
pub mod search;
mod settings;
mod standing;
pub mod terrain;

pub use collision::{Collision, CollisionSettings, LegsAndBody, Room};
pub use cost::{Cost, StepCost};
pub use edit::{Revalidated, StitchSettings};
pub use error::FootstepError;
pub use geometry::Rectangle;
pub use heuristic::{AroundObstacles, Guide, GuideSettings, Heuristic, Question, Straight};
pub use parts::Parts;
pub use plan::{FootstepPlan, Outcome, PlannedStep};
pub use planner::{Planner, Planning, Query, Replanned};
pub use reach::{BoxReach, Reachability, StrideSettings};
pub use refusal::{Reason, Refusal};
pub use search::SearchSettings;
pub use settings::FootstepSettings;
pub use terrain::{Foothold, FootingSettings, HeightTerrain, Terrain, TerrainSettings};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
