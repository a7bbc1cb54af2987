//! The window and the operator's desk.

mod api;
mod camera;
mod check;
mod convert;
mod error;
mod events;
mod feed;
mod graphics;
mod history;
mod input;
mod offscreen;
mod overlays;
mod panel;
mod robot;
mod scenery;
mod shadow;
mod shapes;
pub mod signals;
mod stage;
pub mod support;
mod window;

pub use api::{CameraPose, Options, Overlays, Playback, Request, Scene, Shot, StationFrame};
pub use error::StationError;
pub use graphics::adapter;
pub use history::History;
pub use input::{Action, FAST, KEYS, KeyBinding, Overlay, STICK_SPEED, action_of, keyboard_twist};
pub use offscreen::screenshots;
pub use scenery::{MeshData, terrain_mesh};
pub use window::open;
