//! The window and the operator's desk.

mod api;
mod camera;
mod check;
mod convert;
mod error;
mod events;
mod feed;
mod frame;
mod graphics;
mod history;
mod offscreen;
mod overlays;
mod robot;
mod scenery;
mod shadow;
mod shapes;
pub mod signals;
mod stage;
pub mod support;

pub use frame::{Frame, FrameContact};
pub use api::{CameraPose, Options, Overlays, Playback, Request, Scene, Shot, StationFrame};
pub use error::StationError;
pub use graphics::adapter;
pub use history::History;
pub use offscreen::screenshots;
pub use scenery::{MeshData, terrain_mesh};
