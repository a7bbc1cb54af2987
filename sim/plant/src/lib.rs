//! The simulated side: a deterministic physics world with actuators and sensors behind the plug.
//!
//! [`Simulation`] owns its world and can be stepped, hashed, saved, restored and shown; [`plug`] takes it apart into a
//! [`SimRobot`] (a [`robot_io::RobotIo`]), a [`SimClock`] (a [`robot_io::Clock`]) and a handle to the truth for those who
//! may see it. What is modelled and what is not is in `sim/README.md`.
//!
//! Parry's shapes and queries (f32, glam) are used in this crate only; its numbers meet the rest's (f64, nalgebra) in `convert`.

mod actuator;
mod ball_on_ground;
mod ceiling;
mod collision;
mod contacts;
mod convert;
mod encounters;
mod error;
mod face;
mod finder;
mod footing;
mod frame;
mod hull;
mod hull_on_ground;
mod hulls;
mod hung;
mod inertia;
mod meeting_place;
mod member;
mod patch;
mod plug;
mod self_contact;
mod sensor;
mod setup;
mod shapes;
mod simulation;
mod soil;
mod solids;
mod spawn;
mod surfaces;
mod tag;
mod thinning;
mod underside;
mod unwanted;
mod vision;
mod wheel_contact;
mod wheels;

pub use collision::{CollisionShape, Owner, collision_shapes};
pub use error::PlantError;
pub use frame::{ContactPoint, Frame, ObjectTruth, Push, Touched, Truth, UnwantedContact};
pub use member::Member;
pub use plug::{SharedSimulation, SimClock, SimRobot, plug};
pub use self_contact::Overlap;
pub use setup::{Relocation, Setup};
pub use simulation::{RobotView, Simulation};
pub use soil::Payload;
