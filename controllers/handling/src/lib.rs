//! Hands at work: what stands between perception, manipulation and the charts of a mission.
//!
//! ```text
//!  depth pictures ─▶ Eyes ── known_things ──▶ Hands ── joints of arms and fingers
//!                     ▲                        │  ▲
//!            look_wish│                   hands│  │hand_goals
//!                     └────────── skills of a chart ─────────▶ base_goal
//! ```
//!
//! [`Eyes`] looks while somebody wants to look, and remembers. [`Hands`] moves arms and fingers as somebody wants, around what is known, and watches
//! what it moves. Both are components, do slow work as deadline tasks, and know nothing of charts; [`with_hands`] adds the skills that
//! charts tell what to do. Places are in the odometry frame, which does not jump.

mod cloud;
mod desk;
mod error;
mod eyes;
mod hands;
mod known;
mod setup;
mod skills;
mod voxels;

pub use desk::Desk;
pub use error::HandlingError;
pub use eyes::Eyes;
pub use hands::{
    Frame, HAND_GOALS, HANDS, HandFailure, HandGoal, HandGoals, HandProgress, HandState, HandStates, HandTask, Hands,
    HeldObject, Insertion, Place, Shift, Taking, Turn,
};
pub use known::{KNOWN, Known, KnownObject, LOOK, LookWish};
pub use setup::{Body, ColourPlan, EyesPlan};
pub use skills::with_hands;
pub use voxels::Voxels;
