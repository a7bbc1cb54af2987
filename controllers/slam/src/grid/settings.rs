//! Sizes and rates of the grid.

use robot_io::{Settings, State};
use serde::{Deserialize, Serialize};

/// How the world around the robot is divided and how long it is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct GridSettings {
    /// Side of a cell on the finest level [m]; it doubles from level to level. The paper's figure 5: 0.25 m to 2 m.
    #[setting(0.25, range = 0.01..=10.0)]
    pub finest_cell: f64,
    /// Number of levels.
    #[setting(4, range = 1..=8)]
    pub levels: usize,
    /// Cells of a level along x and y; a power of two.
    #[setting(32, power_of_two, range = 4..=256)]
    pub side_cells: usize,
    /// Cells of a level along z; a power of two.
    #[setting(16, power_of_two, range = 4..=256)]
    pub height_cells: usize,
    /// How many sweeps a surfel remembers: each one that hits its cell takes away 1/n of the weight of what was there before.
    #[setting(20.0, range = 1.0..=1e6)]
    pub remembered_sweeps: f64,
    /// What was not hit while the robot drove this far is forgotten [m]: after a long way round it would lie beside what is seen
    /// now, by as much as the robot's own place has drifted.
    #[setting(15.0, positive)]
    pub remembered_distance: f64,
    /// What a beam tells about the cells that it meets.
    pub occupancy: OccupancySettings,
}

/// The inverse sensor model of a beam, in log odds. One sweep is one measurement of a cell; a hit outdoes all passes.
///
/// Hit, limits and the threshold are of the size of those in Hornung et al., "OctoMap" (2013), section 5.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State, Settings)]
#[serde(default, deny_unknown_fields)]
pub struct OccupancySettings {
    /// Added when a beam ended in the cell.
    #[setting(0.85, positive)]
    pub hit: f64,
    /// Taken away for each beam that went through.
    #[setting(0.2, not_negative)]
    pub pass: f64,
    /// At most so much is taken away in a sweep.
    #[setting(1.2, not_negative)]
    pub most_passes: f64,
    /// Lowest value.
    #[setting(-2.0, below = highest)]
    pub lowest: f64,
    /// Highest value.
    #[setting(3.5, above = lowest)]
    pub highest: f64,
    /// A cell below this is free: its surfel has gone.
    #[setting(0.0, range = self.lowest..=self.highest)]
    pub free_below: f64,
}

impl GridSettings {
    /// Side of a cell [m].
    pub fn cell(&self, level: usize) -> f64 {
        self.finest_cell * f64::from(1_u32 << level.min(31))
    }
}
