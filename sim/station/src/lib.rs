//! The window and the operator's desk: Bevy shows a run, a robot or a log, and passes on what the person at the desk
//! asks for.
//!
//! Frames come in, [requests](Request) go out; the viewer steps nothing and knows no clock but the wall's. A live run
//! and a log take the same path: a log has a [span](Playback::span), and its time line can be scrubbed.
//!
//! ```no_run
//! use crossbeam::channel::{bounded, unbounded};
//! use station::{Options, Scene, StationError};
//!
//! fn watch(scene: Scene) -> Result<(), StationError> {
//!     let (to_window, frames) = bounded(1);
//!     let (requests, from_window) = unbounded();
//!     // a session on a thread of its own owns `to_window` and `from_window`
//!     # drop((to_window, from_window));
//!     station::open(scene, frames, requests, Options::default())
//! }
//! ```
//!
//! [`screenshots`] draws the same pictures without a window. One capability is one Bevy plugin: `scenery` (sky, ground,
//! objects), `robot`, `shadow` (bevy_rapier3d: collision shapes, rays), `overlays`, `layers` (the robot's map), `camera`, `input`, `panel`; `feed`
//! takes frames in. World frame: metres, Z up, X forward, in the station too.

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
mod layers;
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
pub use graphics::{adapter, display};
pub use history::History;
pub use input::{Action, FAST, KEYS, KeyBinding, Overlay, STICK_SPEED, action_of, keyboard_twist};
pub use offscreen::{screenshots, screenshots_with};
pub use scenery::{MOST_SAMPLES, MeshData, terrain_mesh};
pub use window::open;
