//! The height map (Momaro, section 5.5): medians of what was seen, gaps filled, noise filtered.
//!
//! Beyond the paper: newer views count more, so that what has moved away disappears; what the robot can drive beneath is no
//! ground; and where the robot stands, its wheels know the ground.

mod bins;
mod cells;
mod columns;
mod filter;
mod frame;
mod gaps;
mod holes;
mod looks;
mod missing;
mod settings;
mod standing;
mod windows;

pub use frame::GridFrame;
pub(crate) use looks::Looks;
pub use settings::HeightSettings;
pub(crate) use windows::{box_sum, window_extremes};

use robot_io::{HeightMap, MapViews};

use crate::RobotFootprint;

/// How the height of a cell is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Ground {
    /// Nobody knows it.
    #[default]
    Unknown = 0,
    /// Not seen although it would be if the ground went on there: it falls off.
    Missing = 1,
    /// Not seen, but so near to the robot that it is taken for the plane on which the wheels stand.
    Assumed = 2,
    /// Filled in from its neighbours.
    Filled = 3,
    /// Measured by few points.
    Weak = 4,
    /// Measured.
    Measured = 5,
    /// The robot stands on it.
    StoodOn = 6,
}

impl Ground {
    /// The kind of that number; `Unknown` for any other number.
    pub fn from_code(code: u8) -> Ground {
        use Ground::{Assumed, Filled, Measured, Missing, StoodOn, Unknown, Weak};
        [Unknown, Missing, Assumed, Filled, Weak, Measured, StoodOn].get(usize::from(code)).copied().unwrap_or_default()
    }
}

/// Heights of the ground, and how they are known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heights {
    /// Which cell is where.
    pub frame: GridFrame,
    /// Height of each cell [m]; not-a-number where nobody knows.
    pub height: Vec<f64>,
    /// How it is known.
    pub ground: Vec<Ground>,
    /// From low to high within the cell, without the extremes [m]: a wall or something above the ground; zero if not measured.
    pub spread: Vec<f32>,
    /// Cells in which something thin stands, which few beams meet.
    pub thin: Vec<usize>,
}

impl Heights {
    /// Makes the height map of everything that was seen.
    pub fn build(views: &MapViews, robot: &RobotFootprint, settings: &HeightSettings) -> Heights {
        Heights::with_looks(views, &Looks::default().renewed(views, robot), |_, _| false, robot, settings)
    }

    /// Makes it with what is remembered: where the laser has looked, and which places were known once. Of those past looks tell
    /// nothing: what they saw there is forgotten.
    pub(crate) fn with_looks(
        views: &MapViews,
        looks: &Looks,
        once_known: impl Fn(f64, f64) -> bool,
        robot: &RobotFootprint,
        settings: &HeightSettings,
    ) -> Heights {
        let bins = bins::Bins::sort(views, robot, settings);
        let mut heights = cells::medians(&bins, settings);
        let holes = holes::find(&bins, &heights, settings);
        standing::stand(&mut heights, robot, settings);
        // the other way round than in the paper: a gap is filled with heights from which the noise is gone
        filter::filter(&mut heights, settings);
        gaps::fill(&mut heights, settings);
        holes::mark(&mut heights, &holes, settings);
        let sights = missing::Sights::new(&heights, looks, &once_known, robot, settings);
        sights.mark_missing(&mut heights, robot);
        standing::assume(&mut heights, robot, &sights, settings);
        heights
    }

    /// Heights for everyone else.
    pub fn to_map(&self) -> HeightMap {
        let GridFrame { cell, origin_x, origin_y, columns, rows } = self.frame;
        HeightMap { cell, origin_x, origin_y, columns, rows, heights: self.height.clone() }
    }
}
