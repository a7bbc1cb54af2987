//! From single scans to sweeps (section 5.1 of the paper): jump edges and the robot itself are taken out, and each beam is
//! put where the scanner was at its own time.
//!
//! What runs in a cycle is cheap: a place is remembered, and 40 times a second a scan is added. The points of a
//! [`Turn`] come into one frame in [`Turn::sweep`], which whoever registers sweeps calls in its own time.

mod assembler;
mod axis;
mod body;
mod glance;
mod history;
mod jump_edges;
mod play;
mod settings;
mod solid;
mod turn;

pub use assembler::SweepAssembler;
pub use glance::Glance;
pub use settings::{AssemblySettings, MOST_SCAN_DELAY};
pub use turn::Turn;
