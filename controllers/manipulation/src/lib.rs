//! Arms that reach: inverse kinematics, collision checking, a sampling planner, and jerk-limited motions relative to objects.
//!
//! ```text
//! RobotModel ─▶ SerialChain ─▶ InverseKinematics ──▶ positions ─┐
//!          └──▶ CollisionModel ─┐                               ▼
//!                         Scene ┴▶ Checker ──────────▶ Planner ─▶ Plan ─┐
//!                                     │                                 ▼
//!        Motion, perceived objects ───┴─▶ KeyframePlanner ───────▶ JointPath ─▶ Trajectory ─▶ JointStates
//! ```
//!
//! A [`Checker`] knows a robot of which some joints move, and what is around it; everything else asks it. README.md says which
//! method each part follows, and what was measured.

mod checker;
mod collision;
mod error;
mod grasp;
mod ik;
mod kinematics;
mod lanes;
mod motion;
mod path;
mod planner;

pub use checker::{Checker, Hit, Touching};
pub use collision::{
    Cloud, CollisionModel, CollisionSettings, Excluded, Held, Object, Placed, Reason, Role, Scene, Solid, Sphere,
    Surroundings,
};
pub use error::ManipulationError;
pub use grasp::{
    FingerDrive, Grasp, GraspObject, GraspSettings, Grip, GripMonitor, GripSettings, Hand, ObjectPart, PartShape,
    grasps,
};
pub use ik::{Goal, IkSettings, InverseKinematics, Outcome, follow};
pub use kinematics::SerialChain;
pub use motion::{
    Arc, Keyframe, KeyframePlanner, LimbGoal, Motion, MotionError, MotionSettings, Reference, Way, adapted,
};
pub use path::{Collision, JointPath, JointStates, MotionLimits, PathSettings, Stop, Trajectory};
pub use planner::{Plan, PlanError, Planner, PlannerSettings};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
