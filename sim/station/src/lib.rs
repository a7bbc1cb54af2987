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
#[cfg(feature = "window")]
mod balance_points;
mod belief;
#[cfg(feature = "window")]
mod camera;
#[cfg(feature = "window")]
mod capture;
#[cfg(feature = "window")]
mod check;
#[cfg(feature = "window")]
mod convert;
mod error;
#[cfg(feature = "window")]
mod events;
#[cfg(feature = "window")]
mod feed;
#[cfg(feature = "window")]
mod graphics;
mod history;
#[cfg(feature = "window")]
mod input;
#[cfg(feature = "window")]
mod layers;
mod log_signals;
#[cfg(feature = "window")]
mod mesh_data;
#[cfg(feature = "window")]
mod offscreen;
#[cfg(feature = "window")]
mod overlays;
#[cfg(feature = "window")]
mod panel;
mod pressure;
#[cfg(feature = "window")]
mod robot;
#[cfg(feature = "window")]
mod scenery;
#[cfg(feature = "window")]
mod shadow;
#[cfg(feature = "window")]
mod shapes;
pub mod signals;
mod soles;
#[cfg(feature = "window")]
mod stage;
#[cfg(feature = "window")]
mod step_plan;
#[cfg(feature = "window")]
pub mod support;
#[cfg(feature = "window")]
mod transitions;
#[cfg(feature = "window")]
mod window;

pub use api::{CameraPose, Options, Overlays, Playback, Request, Scene, Setting, Shot, StationFrame, Status, Verdict};
pub use error::StationError;
#[cfg(feature = "window")]
pub use graphics::{adapter, display, ready};
pub use history::History;
#[cfg(feature = "window")]
pub use input::{Action, FAST, KEYS, KeyBinding, Overlay, STICK_SPEED, action_of, keyboard_twist};
pub use log_signals::LogSignals;
#[cfg(feature = "window")]
pub use mesh_data::MeshData;
#[cfg(feature = "window")]
pub use offscreen::{screenshots, screenshots_with};
#[cfg(feature = "window")]
pub use scenery::{MOST_SAMPLES, terrain_mesh};
pub use soles::{Footprints, Sole};
#[cfg(feature = "window")]
pub use window::open;
