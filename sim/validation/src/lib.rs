//! The validation book: cases of mechanics whose outcome is known, and how far from it one is after a second or a minute of steps of 1 ms.
//!
//! `chiron bench physics` prints the book, with MuJoCo's errors in the same cases beside ours (`mujoco.toml`, made by
//! `robot_models/compare/physics.py`); a test asserts every limit. The cases are played by [`mechanics`] alone, in a [`Scene`] that knows
//! just enough shapes; what shapes, ground and wheels add is tried by the tests of `plant`.

mod cases;
mod scene;

pub use cases::book;
pub use scene::{GRAVITY, Pad, Scene, Shape, ball, cuboid, free, inertia};

use mechanics::MechanicsError;

/// MuJoCo's errors in the same cases: a version, how it stepped, and a number for each case that it can play.
pub const MUJOCO: &str = include_str!("mujoco.toml");

/// One case.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Names it in tables.
    pub name: &'static str,
    /// What happens, and what of it is compared.
    pub what: &'static str,
    /// What it is compared with: a law, a closed form, a finer step.
    pub reference: &'static str,
    /// Of the error; `1` if it is a share of what is right.
    pub unit: &'static str,
    /// Largest error that passes.
    pub limit: f64,
    /// Plays it; the error, never less than zero.
    pub error: fn() -> Result<f64, MechanicsError>,
}
