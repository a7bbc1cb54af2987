//! World files (TOML) to worlds: terrain from layers, objects, materials, named places.
//!
//! ```
//! let text = r#"
//!     name = "doorstep"
//!     [terrain]
//!     cell = 0.1
//!     size = [4.0, 4.0]
//!     material = "concrete"
//!     [[terrain.layer]]
//!     kind = "ramp"
//!     start = [0.0, 0.0]
//!     direction_deg = 0.0
//!     angle_deg = 10.0
//!     length = 1.0
//!     width = 2.0
//!     [[spawn]]
//!     name = "start"
//!     position = [-1.0, 0.0]
//! "#;
//! let world = worlds::World::from_str(text, "doorstep.toml", std::path::Path::new("."))?;
//! let height = world.terrain.height_at(0.5, 0.0).unwrap_or(f64::NAN);
//! assert!((height - 0.5 * 10f64.to_radians().tan()).abs() < 1e-9);
//! # Ok::<(), worlds::WorldError>(())
//! ```
//!
//! The format is described in `worlds/README.md`. World frame: SI units, right-handed, Z up (REP 103). A world is a
//! pure function of its files: the same bytes give the same bits.

mod collada;
mod error;
mod fields;
mod files;
mod height_map;
mod joint;
mod layers;
mod load;
mod material;
mod materials;
mod mesh;
mod motion;
mod object;
mod objects;
mod pair;
mod prop;
mod random;
mod read;
mod route;
mod scatter;
mod soil;
mod terrain;
mod triangles;
mod variety;
mod view;
mod world;

pub use error::WorldError;
pub use files::Source;
pub use height_map::{HeightMap, MAX_SAMPLES};
pub use joint::{Latch, ObjectJoint};
pub use material::{Material, PRESETS};
pub use motion::Motion;
pub use object::{Object, Shape};
pub use pair::Pair;
pub use random::Random;
pub use read::make_prior_map;
pub use route::Route;
pub use soil::{Sinkage, Soil};
pub use terrain::{HeightField, Terrain};
pub use triangles::TriangleMesh;
pub use world::{PriorMap, Spawn, World};
