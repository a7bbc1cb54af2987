//! Sensors that look outwards: what a ray meets, and the range finders and cameras that send them.
//!
//! A [`Scene`] is the world and the robot as light sees them: the terrain's own triangles, the objects' shapes and the
//! robot's visuals, placed anew in every step. It is cast against in f64 and in a fixed order, so that every machine sees
//! the same.

mod beam;
mod camera;
mod depth;
mod grid;
mod laser;
mod light;
mod mesh;
mod picture;
mod ray;
mod scene;
mod solid;
#[cfg(test)]
mod tests;
mod watch;

pub(crate) use ray::Ray;
pub(crate) use scene::Carrier;
pub(crate) use solid::Form;
pub(crate) use watch::Vision;
