//! Which object is which from picture to picture: a world model.

mod assignment;
mod filter;
mod look;
mod settings;
mod track;
mod world_model;

pub use look::{Look, look_at};
pub use settings::TrackingSettings;
pub use track::{Detection, ObjectClass, Track, TrackEvent};
pub use world_model::WorldModel;
