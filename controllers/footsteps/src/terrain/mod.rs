//! The ground as feet meet it.

mod adapter;
mod distance;
mod grid;
mod pyramid;
mod settings;
mod smooth;
mod sole;

pub use grid::HeightTerrain;
pub use settings::{FootingSettings, TerrainSettings};
pub use sole::{Contact, Limits, rest};

use core::fmt::Debug;

use nalgebra::Vector3;

use crate::geometry::Rectangle;

/// How a sole stands on a piece of ground. A sole is stiff and flat: it rests on what is highest under it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Foothold {
    /// Height of the sole's middle [m].
    pub height: f64,
    /// Unit normal of the plane through the ground that carries it.
    pub normal: Vector3<f64>,
    /// Share of the sole that is carried.
    pub support: f64,
    /// The same of the quarter of the sole that is carried least.
    pub weakest_quarter: f64,
    /// Root mean square distance of the ground that carries from that plane [m].
    pub roughness: f64,
    /// Share of the sole over ground that nobody knows.
    pub unknown: f64,
    /// Share of the sole over ground that is taken for known, but was not seen.
    pub assumed: f64,
    /// Distance to the nearest edge of the ground [m]: 0 if it is under the sole.
    pub edge: f64,
}

/// What a planner asks of the ground. All places are in one frame, z up; what is found depends on nothing but the question.
pub trait Terrain: Debug + Send + Sync {
    /// How a sole would stand; `None` where nothing is known or nothing carries its middle.
    fn foothold(&self, sole: &Rectangle) -> Option<Foothold>;

    /// Height of the ground [m]; `None` where nobody knows it.
    fn height_at(&self, x: f64, y: f64) -> Option<f64>;

    /// The highest ground in an area, if it is higher than `height` [m]. What nobody knows is not counted.
    fn rises_above(&self, area: &Rectangle, height: f64) -> Option<f64>;
}
