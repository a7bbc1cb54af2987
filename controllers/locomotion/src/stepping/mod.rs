//! Stepping over an edge that is too high to drive over, one leg at a time (hybrid driving and stepping).
//!
//! Of Klamt and Behnke, "Anytime hybrid driving-stepping locomotion planning" (2017), the sequence: drive up to the edge,
//! shift the base so that the other three feet carry it, lift, reach, put down, the next. Legs that move in their own
//! plane only cannot step aside, but their wheels roll: [`search`] looks for the fore-and-aft places of feet and base and
//! for the height at which the static margin is large and the knees are strong enough.

mod crossing;
mod edge;
mod glide;
mod model;
mod phases;
mod search;
mod settings;
mod status;

pub(crate) use crossing::{Crossing, FootOrder, Senses};
pub use settings::SteppingSettings;
pub use status::{CrossingFailure, CrossingPhase, CrossingStatus};
