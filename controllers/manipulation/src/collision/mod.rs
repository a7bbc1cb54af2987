//! What may not meet: the robot's links as spheres, and the objects around it.

mod cover;
mod disc;
mod model;
mod scene;
mod solid;
mod sphere;

pub(crate) use cover::{cover, without_held};
pub use model::{CollisionModel, CollisionSettings, Excluded, Reason};
pub use scene::{Cloud, Held, Object, Role, Scene, Surroundings};
pub use solid::{Placed, Solid};
pub use sphere::Sphere;
pub(crate) use sphere::around;
