//! A bench for mapping: worlds that rays can be cast into, robots that move through them in a known way, and the sweeps
//! that they would take.
//!
//! ```
//! let mut bench = Bench::new(World::arena(), Trajectory::path(&[[0.0, 0.0], [5.0, 0.0]], 0.3));
//! for step in bench.take(4) {
//!     let estimate = mapper.process(&step.sweep);
//!     let error = step.base_in_map.inv_mul(&estimate.base_in_map);
//! }
//! ```
#![allow(clippy::unwrap_used, reason = "tests")]
#![allow(dead_code, reason = "each test uses its part of the bench")]

mod bench;
mod drift;
mod rider;
mod scanner;
mod trajectory;
mod world;

#[allow(unused_imports, reason = "each test uses its part of the bench")]
pub use {
    bench::{Bench, Step},
    drift::Drift,
    rider::Rider,
    scanner::Scanner,
    trajectory::Trajectory,
    world::{Solid, World},
};
