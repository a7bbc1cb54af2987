//! Objects as data: surfaces with normals, and how they can be turned and look the same.

mod file;
mod object;
mod shapes;
mod symmetry;

pub use file::Catalogue;
pub use object::{ObjectModel, Surface, SurfacePoint};
pub use shapes::{Part, Shape};
pub use symmetry::{MOST_TURNS, Symmetry};
