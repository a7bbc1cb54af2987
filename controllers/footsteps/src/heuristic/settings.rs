//! How a coarse map of ways is made.

use robot_io::Settings;
use serde::{Deserialize, Serialize};

/// How a coarse map of ways is made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct GuideSettings {
    /// Side of its cells [m].
    #[setting(0.15, range = 0.05..=1.0)]
    pub cell: f64,
    /// The largest number of cells.
    #[setting(20_000, range = 1..=10_000_000)]
    pub cells: usize,
    /// Where no foot can stand a way costs so many times as much.
    #[setting(3.0, range = 1.0..=100.0)]
    pub bare: f64,
    /// Where the body does not fit at every heading a way costs so many times as much.
    #[setting(1.5, range = 1.0..=100.0)]
    pub narrow: f64,
    /// Where no foot can stand over a longer way than this there is no way [m].
    #[setting(0.75, range = 0.0..=10.0)]
    pub gap: f64,
    /// Where the map ends, a way costs so many times what the straight one costs.
    #[setting(2.0, range = 1.0..=100.0)]
    pub beyond: f64,
}
