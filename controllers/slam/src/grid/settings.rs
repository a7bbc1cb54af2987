//! Sizes and rates of the grid.

use robot_io::State;
use serde::{Deserialize, Serialize};

use crate::SlamError;

/// How the world around the robot is divided and how long it is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State)]
#[serde(default, deny_unknown_fields)]
pub struct GridSettings {
    /// Side of a cell on the finest level [m]; it doubles from level to level. The paper's figure 5: 0.25 m to 2 m.
    pub finest_cell: f64,
    /// Number of levels.
    pub levels: usize,
    /// Cells of a level along x and y; a power of two.
    pub side_cells: usize,
    /// Cells of a level along z; a power of two.
    pub height_cells: usize,
    /// How many sweeps a surfel remembers: each one that hits its cell takes away 1/n of the weight of what was there before.
    pub remembered_sweeps: f64,
    /// What was not hit while the robot drove this far is forgotten [m]: after a long way round it would lie beside what is seen
    /// now, by as much as the robot's own place has drifted.
    pub remembered_distance: f64,
    /// What a beam tells about the cells that it meets.
    pub occupancy: OccupancySettings,
}

/// The inverse sensor model of a beam, in log odds. One sweep is one measurement of a cell; a hit outdoes all passes.
///
/// Hit, limits and the threshold are of the size of those in Hornung et al., "OctoMap" (2013), section 5.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, State)]
#[serde(default, deny_unknown_fields)]
pub struct OccupancySettings {
    /// Added when a beam ended in the cell.
    pub hit: f64,
    /// Taken away for each beam that went through.
    pub pass: f64,
    /// At most so much is taken away in a sweep.
    pub most_passes: f64,
    /// Lowest value.
    pub lowest: f64,
    /// Highest value.
    pub highest: f64,
    /// A cell below this is free: its surfel has gone.
    pub free_below: f64,
}

impl GridSettings {
    /// Refuses sizes that make no grid.
    pub fn check(&self) -> Result<(), SlamError> {
        let wrong = |field, expected, found| Err(SlamError::Setting { field, expected, found });
        let is_side = |cells: usize| cells.is_power_of_two() && (4..=256).contains(&cells);
        match self {
            _ if !(0.01..=10.0).contains(&self.finest_cell) => {
                wrong("grid.finest_cell [m]", "0.01 to 10", self.finest_cell)
            }
            _ if !(1..=8).contains(&self.levels) => wrong("grid.levels", "1 to 8", self.levels as f64),
            _ if !is_side(self.side_cells) => {
                wrong("grid.side_cells", "a power of two, 4 to 256", self.side_cells as f64)
            }
            _ if !is_side(self.height_cells) => {
                wrong("grid.height_cells", "a power of two, 4 to 256", self.height_cells as f64)
            }
            _ if !(1.0..=1e6).contains(&self.remembered_sweeps) => {
                wrong("grid.remembered_sweeps", "1 to 1e6", self.remembered_sweeps)
            }
            _ if self.remembered_distance.is_nan() || self.remembered_distance <= 0.0 => {
                wrong("grid.remembered_distance [m]", "more than 0", self.remembered_distance)
            }
            _ => Ok(()),
        }
    }

    /// Side of a cell [m].
    pub fn cell(&self, level: usize) -> f64 {
        self.finest_cell * f64::from(1_u32 << level.min(31))
    }
}

impl Default for GridSettings {
    fn default() -> Self {
        GridSettings {
            finest_cell: 0.25,
            levels: 4,
            side_cells: 32,
            height_cells: 16,
            remembered_sweeps: 20.0,
            remembered_distance: 15.0,
            occupancy: OccupancySettings::default(),
        }
    }
}

impl Default for OccupancySettings {
    fn default() -> Self {
        OccupancySettings { hit: 0.85, pass: 0.2, most_passes: 1.2, lowest: -2.0, highest: 3.5, free_below: 0.0 }
    }
}
