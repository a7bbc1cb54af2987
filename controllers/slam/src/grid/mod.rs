//! The world around the robot as pieces of surface, fine near it and coarse far away, with what is known to be free.
//!
//! After section 5.2 of the paper and Droeschel, Stückler and Behnke, "Local multi-resolution representation for 6D motion
//! estimation and mapping with a continuously rotating 3D laser scanner" (ICRA 2014).

mod cloud;
mod local_map;
mod moments;
mod rays;
mod settings;
mod surfel;
mod symmetric;
mod window;

pub use cloud::SurfelCloud;
pub use local_map::LocalMap;
pub use settings::{GridSettings, OccupancySettings};
pub use surfel::Surfel;

pub(crate) use cloud::{Layer, point};
pub(crate) use symmetric::smallest_direction;
pub(crate) use window::{CellKey, Window, floor};
