//! Grasps: planned from shapes, closed with a force, watched by what the fingers feel.

mod build;
mod candidate;
mod drive;
mod fit;
mod grip;
mod hand;
mod level;
mod monitor;
mod plan;
mod probe;
mod settings;
mod shape;

pub use drive::FingerDrive;
pub use grip::{Grip, GripSettings};
pub use hand::Hand;
pub use monitor::GripMonitor;
pub use plan::{Grasp, grasps};
pub use settings::GraspSettings;
pub use shape::{GraspObject, ObjectPart, PartShape};
