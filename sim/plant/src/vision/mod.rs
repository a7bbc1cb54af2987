//! Sensors that look outwards: what a ray meets, and the laser range finders that send them.
//!
//! A [`Scene`] is the world and the robot as light sees them: the terrain's own triangles, the objects' shapes and the
//! robot's visuals, placed anew in every step. It is cast against in f64 and in a fixed order, so that every machine sees
//! the same.

mod beam;
mod grid;
mod laser;
mod mesh;
mod ray;
mod scene;
mod solid;
mod watch;

pub(crate) use scene::Carrier;
pub(crate) use watch::{Vision, VisionMemory};
